package dev.jobs.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.Internal;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The names of all keys. Sidekiq's keys have Sidekiq's names; our own begin with {@code jobs:}.
 *
 * @param prefix the prefix of all keys: empty for Sidekiq's own names, or for example <code>{shop}:</code>, which keeps
 *     an installation on one slot of a Redis Cluster
 * @param orders which queues have a sorted set beside their list
 */
@Internal
public record RedisKeys(String prefix, OrderedQueue.Rules orders) {

    private static final String LOCK = "unique:";
    public static final String RECURRING_SLOTS = ":enqueued";
    public static final String RECURRING_HISTORY = ":jid_history";

    /** The names where no queue is ordered. */
    public RedisKeys(String prefix) {
        this(prefix, OrderedQueue.Rules.NONE);
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

    /** Where else jobs of a queue wait; null if it isn't ordered. */
    @Nullable public OrderedQueue ordered(String queue) {
        OrderedQueue.Rule rule = orders.of(queue);
        return rule == null ? null : new OrderedQueue(order(queue), key("jobs:tags:" + queue), rule);
    }

    /** The same if new jobs go there. */
    @Nullable public OrderedQueue orderedForNew(String queue) {
        OrderedQueue ordered = ordered(queue);
        return ordered == null || !ordered.takesNew() ? null : ordered;
    }

    /** The sorted set of an ordered queue. */
    public byte[] order(String queue) {
        return key("jobs:order:" + queue);
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

    /** The progress of an iterable job. */
    public byte[] iteration(String jid) {
        return key("it-" + jid);
    }

    /** When jobs were cancelled, by jid. */
    public byte[] cancelled() {
        return key("jobs:cancelled");
    }

    /** The prefix of the keys of all recurring jobs, and of no other keys. */
    public String recurringPrefix() {
        return prefix + "cron_job";
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

    /** The lock of unique jobs with one key: the jid of the job that holds it. */
    public byte[] lock(String digest) {
        return key(LOCK + digest);
    }

    /** What is stored about the job that the next one with its key may replace. */
    public byte[] twin(String digest) {
        return key("jobs:twin:" + digest);
    }

    /** The prefix of all locks. */
    public String lockPrefix() {
        return prefix + LOCK;
    }

    /** Is there once a unique job was enqueued. */
    public byte[] locksUsed() {
        return key("jobs:unique");
    }

    /** How a job ended, with its value. */
    public byte[] result(String jid) {
        return key("jobs:result:" + jid);
    }

    /** The jids of ended jobs for which a client waits. */
    public byte[] replies(String client) {
        return key("jobs:replies:" + client);
    }

    /** Is there once a job was enqueued whose result is kept. */
    public byte[] resultsUsed() {
        return key("jobs:results");
    }

    public byte[] bell() {
        return key("jobs:bell");
    }

    /** Its changes tell workers that a queue which was full because of its limit has room. */
    public byte[] bell(String queue) {
        return key("jobs:bell:" + queue);
    }

    /** The names of the lists of {@link #cleared(String)}. */
    public byte[] cleared() {
        return key("jobs:cleared");
    }

    /** The jobs of a queue that was cleared, until all have ended with their effects. */
    public byte[] cleared(String name) {
        return key("jobs:cleared:" + name);
    }

    /** The counters of a batch and the times of its events. The name ends with the id, which scripts read from it. */
    public byte[] batch(String id) {
        return key("jobs:batch:" + id);
    }

    public byte[] batchDefinition(String id) {
        return key("jobs:batch:" + id + ":d");
    }

    /** @param grown whether of the jobs that its own jobs added */
    public byte[] batchStates(String id, boolean grown) {
        return key("jobs:batch:" + id + (grown ? ":g" : ":s"));
    }

    /** Messages, results and progress of its jobs. */
    public byte[] batchTexts(String id) {
        return key("jobs:batch:" + id + ":j");
    }

    public byte[] batchChildren(String id) {
        return key("jobs:batch:" + id + ":k");
    }

    /** The keys of a batch besides its counters and staged jobs, in the order in which scripts want them. */
    public List<byte[]> batchKeysOf(String id) {
        return List.of(
                batchDefinition(id), batchStates(id, false), batchStates(id, true), batchTexts(id), batchChildren(id));
    }

    /** The keys of a batch's staged jobs, that of scheduled ones first. */
    public List<byte[]> batchStagedKeys(String id, List<String> queues) {
        List<byte[]> staged = new ArrayList<>(List.of(batchStagedDue(id)));
        queues.forEach(queue -> staged.add(batchStaged(id, queue)));
        return staged;
    }

    /** Jobs that wait for the batch to open. */
    public byte[] batchStaged(String id, String queue) {
        return key("jobs:batch:" + id + ":h:" + queue);
    }

    /** Jobs that will be scheduled once the batch opens. */
    public byte[] batchStagedDue(String id) {
        return key("jobs:batch:" + id + ":z");
    }

    public byte[] batches() {
        return key("jobs:batches");
    }

    public byte[] openBatches() {
        return key("jobs:batches:open");
    }

    /** Ids of batches by the digest of the key that a caller gave. */
    public byte[] batchKeys() {
        return key("jobs:batches:keys");
    }

    /** Batches that want a look, because an event may have come. */
    public byte[] restingBatches() {
        return key("jobs:batches:rest");
    }

    /** What the leader is to look at besides due jobs, by time; {@code ''} stands for all. */
    public byte[] wake() {
        return key("jobs:wake");
    }

    /** What workers declare and people set for limits. Processes hear of it when they publish themselves. */
    public byte[] limits() {
        return key("jobs:limits");
    }

    public byte[] cancelledBatches() {
        return key("jobs:batches:cancelled");
    }

    /** What Ruby workers did with jobs of batches. */
    public byte[] batchNotes() {
        return key("jobs:batches:notes");
    }

    public byte[] stack(String identity, String thread) {
        return key("jobs:stack:" + identity + ":" + thread);
    }
}
