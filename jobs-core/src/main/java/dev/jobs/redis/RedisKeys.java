package dev.jobs.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.Internal;
import java.time.LocalDate;
import org.jspecify.annotations.Nullable;

/**
 * The names of all keys. Sidekiq's keys have Sidekiq's names; our own begin with {@code jobs:}.
 *
 * @param prefix the prefix of all keys: empty for Sidekiq's own names, or for example <code>{shop}:</code>, which keeps
 *     an installation on one hash slot of a Redis Cluster
 * @param sorted which queues have a sorted set beside their list
 */
@Internal
public record RedisKeys(String prefix, SortedQueue.Rules sorted) {

    /** The names where no queue has a sorted set. */
    public RedisKeys(String prefix) {
        this(prefix, SortedQueue.Rules.NONE);
    }

    public byte[] key(String name) {
        return (prefix + name).getBytes(UTF_8);
    }

    /**
     * Whether a queue may have that name: a line break terminates names in stored values, and invalid Unicode would be
     * stored under another name.
     */
    public static boolean isQueueName(@Nullable String name) {
        return name != null
                && !name.isEmpty()
                && name.indexOf('\n') < 0
                && UTF_8.newEncoder().canEncode(name);
    }

    public byte[] queues() {
        return key("queues");
    }

    public byte[] queue(String name) {
        return key("queue:" + name);
    }

    /** Where else jobs of a queue wait; null if it has only its list. */
    @Nullable public SortedQueue sorted(String queue) {
        SortedQueue.Rule rule = sorted.of(queue);
        return rule == null ? null : new SortedQueue(order(queue), tags(queue), rule);
    }

    /** The same if new jobs go there. */
    @Nullable public SortedQueue sortedForNew(String queue) {
        SortedQueue found = sorted(queue);
        return found == null || !found.takesNew() ? null : found;
    }

    /** The sorted set beside the list of a queue. */
    public byte[] order(String queue) {
        return key("jobs:order:" + queue);
    }

    /** What the scripts remember of the keys of the jobs in that set. */
    public byte[] tags(String queue) {
        return key("jobs:tags:" + queue);
    }

    public byte[] schedule() {
        return key("schedule");
    }

    public byte[] retry() {
        return key("retry");
    }

    public byte[] dead() {
        return key("dead");
    }

    public byte[] paused() {
        return key("paused");
    }

    public byte[] leader() {
        return key("dear-leader");
    }

    /** Which process has a role. */
    public byte[] role(String name) {
        return key("jobs:role:" + name);
    }

    public byte[] processes() {
        return key("processes");
    }

    public byte[] processCleanup() {
        return key("process_cleanup");
    }

    public byte[] process(String identity) {
        return key(identity);
    }

    public byte[] work(String identity) {
        return key(identity + ":work");
    }

    public byte[] signals(String identity) {
        return key(identity + "-signals");
    }

    public byte[] processed() {
        return key("stat:processed");
    }

    public byte[] failed() {
        return key("stat:failed");
    }

    /** @param day the day in UTC */
    public byte[] processed(LocalDate day) {
        return key("stat:processed:" + day);
    }

    /** @param day the day in UTC */
    public byte[] failed(LocalDate day) {
        return key("stat:failed:" + day);
    }

    public byte[] beats() {
        return key("jobs:beats");
    }

    public byte[] seen() {
        return key("jobs:seen");
    }

    public byte[] round() {
        return key("jobs:round");
    }

    public byte[] inFlight(String incarnation) {
        return key(inFlightPrefix() + incarnation);
    }

    public String inFlightPrefix() {
        return "jobs:in:";
    }

    public byte[] ledger() {
        return key("jobs:ledger");
    }

    public byte[] recovered() {
        return key("jobs:recovered");
    }

    public byte[] recoveredTimes() {
        return key("jobs:recovered:times");
    }

    public byte[] pushes(String client) {
        return key("jobs:pushes:" + client);
    }

    /** The names of the lists of {@link #cleared(String)}. */
    public byte[] cleared() {
        return key("jobs:cleared");
    }

    /** The jobs of a queue that was cleared, until all have ended with their effects. */
    public byte[] cleared(String name) {
        return key("jobs:cleared:" + name);
    }

    /** What the leader is to look at besides due jobs, by time; {@code ''} stands for all. */
    public byte[] wake() {
        return key("jobs:wake");
    }
}
