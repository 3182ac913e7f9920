package dev.jobs.limits;

import dev.jobs.Internal;
import dev.jobs.InvalidJobException;
import dev.jobs.JobDefinition;
import dev.jobs.admin.BudgetedScan;
import dev.jobs.admin.Finding;
import dev.jobs.admin.Found;
import dev.jobs.admin.JobRecord;
import dev.jobs.admin.Page;
import dev.jobs.admin.QueuesAdmin;
import dev.jobs.admin.ScanBudget;
import dev.jobs.admin.WaitReason;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.limits.LimitStates.KeyState;
import dev.jobs.limits.LimitStates.State;
import dev.jobs.limits.LimitStates.Waiting;
import dev.jobs.lists.JobSets;
import dev.jobs.redis.CallBounds.Portion;
import dev.jobs.trash.Trash;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The {@linkplain dev.jobs.limits.Limit limits} and the jobs that are parked at them; {@link JobsAdmin#limits} returns it.
 * Thread-safe; throws what {@link JobsAdmin} throws.
 */
public final class LimitsAdmin {

    private static final int KEYS = 200;
    private static final int SHOWN = 5;
    private static final int MOST_OF_ONE_TIME = 10_000;

    private final LimitStates states;
    private final JobSets sets;
    private final Clock clock;

    @Internal
    public LimitsAdmin(LimitStates states, JobSets sets, Clock clock) {
        this.states = states;
        this.sets = sets;
        this.clock = clock;
    }

    /** All limits that workers declared or that were set here, by name. */
    public List<LimitInfo> all() {
        return states.names().stream().map(this::info).toList();
    }

    /** The names of all limits, sorted. */
    @Internal
    public List<String> names() {
        return states.names();
    }

    /** A limit; one that nobody has declared has no concurrency. */
    public LimitInfo get(String name) {
        return info(name);
    }

    private LimitInfo info(String name) {
        State state = states.read(name, KEYS, null);
        LimitNumbers numbers = state.set().or(state.declared());
        long oldest = state.keys().stream().mapToLong(KeyState::oldest).min().orElse(Long.MAX_VALUE);
        return new LimitInfo(
                name,
                numbers.concurrency(),
                numbers.rate(),
                !state.set().equals(LimitNumbers.NONE),
                state.held(),
                state.waiting(),
                state.keys().isEmpty() ? Duration.ZERO : since(oldest));
    }

    private Duration since(long millis) {
        Duration wait = Duration.between(Instant.ofEpochMilli(millis), clock.instant());
        return wait.isNegative() ? Duration.ZERO : wait;
    }

    /**
     * The keys of a limit for which jobs are parked, sorted, at most 200.
     *
     * @param after the key after which to begin, the last one of the call before; null for the first ones
     */
    public List<LimitInfo.Key> keys(String name, @Nullable String after) {
        return states.read(name, KEYS, after).keys().stream()
                .map(each ->
                        new LimitInfo.Key(each.key(), each.held(), each.waiting(), since(each.oldest()), each.next()))
                .toList();
    }

    /** The jobs that have permits of a key, at most 100. */
    public List<LimitInfo.Holder> holders(String name, String key) {
        return states.holders(name, key).stream()
                .map(holder -> {
                    byte[] payload = holder.payload();
                    JobRecord job = payload == null ? null : JobRecord.inQueue(holder.queue(), payload);
                    return new LimitInfo.Holder(holder.incarnation(), holder.queue(), job);
                })
                .toList();
    }

    /**
     * The parked jobs of a key; the one that goes on first is the first.
     *
     * @param from the position to begin at, 0 or more; {@link Page#next} of the page before
     * @param size how many at most, 1 to 200
     */
    public Page<LimitedJob> waiting(String name, String key, long from, int size) {
        long total = states.waiting(name, key);
        long begin = BudgetedScan.begin(from, size, total);
        Portion<Waiting> some = states.waiting(name, key, begin, size);
        List<LimitedJob> jobs =
                some.items().stream().map(each -> new LimitedJob(name, each)).toList();
        long next = begin + jobs.size();
        return new Page<>(jobs, begin, !jobs.isEmpty() && next < total ? next : -1, total, some.more());
    }

    /**
     * The parked jobs with that id, at most 20, of all limits.
     *
     * @param jid 1 to 200 characters
     */
    public Found<LimitedJob> findById(String jid, ScanBudget budget) {
        Found.checkJid(jid);
        BudgetedScan scan = new BudgetedScan(budget);
        List<LimitedJob> found = new ArrayList<>();
        boolean begun = false;
        for (String name : states.names()) {
            boolean partial = begun && !scan.lasts()
                    || !scan.scan(states.search(name, jid), each -> {
                        LimitedJob job = new LimitedJob(name, each);
                        if (jid.equals(job.job().jid()) && found.size() < Found.MOST_OF_ONE_ID) {
                            found.add(job);
                        }
                    });
            if (partial) {
                return new Found<>(found, true);
            }
            begun = true;
        }
        return new Found<>(found, false);
    }

    /**
     * The parked job of a key with that address, if it is still there. Of equal jobs any. Looks at 10,000 jobs at most
     * that were enqueued in the same millisecond.
     *
     * @param address {@link LimitedJob#address}
     */
    public Optional<LimitedJob> findAt(String name, String key, String address) {
        String time = address.split("_", 2)[0];
        int looked = 0;
        List<Waiting> some;
        do {
            some = states.enqueuedAt(name, key, time, looked);
            looked += some.size();
            Optional<LimitedJob> found = some.stream()
                    .map(each -> new LimitedJob(name, each))
                    .filter(job -> job.address().equals(address))
                    .findFirst();
            if (found.isPresent()) {
                return found;
            }
        } while (!some.isEmpty() && looked < MOST_OF_ONE_TIME);
        return Optional.empty();
    }

    /** Deletes a parked job for good; {@link Trash} can restore it. Returns whether it was still parked. */
    public boolean delete(LimitedJob job) {
        return states.delete(job.limit(), job.stored(), sets);
    }

    /** How many jobs are parked, at all limits together. */
    @Internal
    public long parked() {
        return states.parked();
    }

    /** Says whether as many jobs of a queue run as its limit allows. */
    @Internal
    public WaitReason waitReason() {
        return new WaitReason() {
            @Override
            public List<Finding> blocked(String queue) {
                LimitInfo limit = info(QueueLimit.nameOf(queue));
                Integer concurrency = limit.concurrency();
                return concurrency == null || limit.held() < concurrency
                        ? List.of()
                        : List.of(Finding.info(
                                "queue-limited",
                                queue,
                                "The limit of queue " + queue + " lets " + concurrency + " jobs run at once, and "
                                        + limit.held() + " run",
                                limit.held()));
            }
        };
    }

    /** Why a parked job waits. */
    public List<Finding> whyWaiting(LimitedJob job) {
        LimitInfo limit = info(job.limit());
        String what = job.limit() + (job.key().isEmpty() ? "" : " of " + job.key());
        List<LimitInfo.Holder> holders = holders(job.limit(), job.key());
        String jids = holders.stream()
                .limit(SHOWN)
                .map(holder -> {
                    JobRecord held = holder.job();
                    return held == null || held.jid() == null ? "?" : held.jid();
                })
                .collect(Collectors.joining(", "));
        List<Finding> reasons = new ArrayList<>();
        LimitRate rate = limit.rate();
        Duration next = rate == null ? Duration.ZERO : states.next(job.limit(), job.key());
        if (!next.isZero()) {
            reasons.add(Finding.info(
                    "rate",
                    what,
                    "The limit " + what + " lets " + rate + " start, the next one in " + inWords(next),
                    Math.max(1, next.toMillis())));
        }
        boolean free = holders.isEmpty() || limit.concurrency() == null && rate != null;
        if (next.isZero() || !free) {
            reasons.add(Finding.info(
                    free ? "limit-free" : "limited",
                    what,
                    free
                            ? "It goes back to its queue soon: the limit " + what + " is free"
                            : "The limit " + what + " lets "
                                    + (limit.concurrency() == null ? "any number of" : limit.concurrency())
                                    + " jobs run at once, and " + holders.size() + " run: " + jids
                                    + (holders.size() > SHOWN ? ", …" : ""),
                    holders.size()));
        }
        long before = states.before(job.limit(), job.stored());
        reasons.add(
                before == 0
                        ? Finding.info("next", "", "It is the next one to go on")
                        : Finding.info("behind", Long.toString(before), before + " jobs go on before it"));
        return reasons;
    }

    private static String inWords(Duration time) {
        return time.toSeconds() > 0 ? time.toSeconds() + " s" : Math.max(1, time.toMillis()) + " ms";
    }

    /**
     * Sets how many jobs with the same key may run at once, from now on and whatever the workers declare. If that is
     * more than before, parked jobs go on at once; if it is less, running jobs go on until they end. The rate stays as
     * it is.
     *
     * <p>The limit of a whole queue is {@code queue:NAME}. If no worker knows it yet, workers heed it from their next
     * heartbeat on.
     *
     * @param concurrency 1 to 1,000,000; to stop a queue, {@linkplain QueuesAdmin#pause pause} it
     * @return whether that is a change
     * @throws InvalidJobException if the name or the number is out of range
     */
    public boolean set(String name, int concurrency) {
        return store(name, LimitNumbers.atOnce(concurrency));
    }

    /**
     * Sets how many jobs with the same key may start in a time, from now on and whatever the workers declare. If the
     * next one may start earlier than before, it does. The number of jobs at once stays as it is.
     *
     * @return whether that is a change
     * @throws InvalidJobException if the name is out of range, or that of the limit of a queue, which has no rate
     */
    public boolean set(String name, LimitRate rate) {
        return store(name, new LimitNumbers(null, rate));
    }

    /**
     * Sets both numbers in one step, as the methods for each do.
     *
     * @return whether that is a change
     * @throws InvalidJobException if one of them could not be set; then neither is
     */
    public boolean set(String name, int concurrency, LimitRate rate) {
        return store(name, new LimitNumbers(concurrency, rate));
    }

    private boolean store(String name, LimitNumbers numbers) {
        checkName(name);
        Integer concurrency = numbers.concurrency();
        if (concurrency != null && (concurrency < 1 || concurrency > LimitRule.MOST_PERMITS)) {
            throw new InvalidJobException(
                    "'concurrency' must be 1 to " + LimitRule.MOST_PERMITS + " but was " + concurrency);
        }
        if (numbers.rate() != null && name.startsWith(LimitRule.OF_QUEUE)) {
            throw new InvalidJobException("The limit '" + name + "' of a queue can't have a rate");
        }
        return states.set(name, numbers);
    }

    private static void checkName(String name) {
        if (!LimitRule.isName(name)) {
            throw new InvalidJobException("'name' must be 1 to 200 characters without control characters");
        }
        if (name.startsWith(LimitRule.OF_QUEUE)
                && !JobDefinition.QUEUE_NAME
                        .matcher(name.substring(LimitRule.OF_QUEUE.length()))
                        .matches()) {
            throw new InvalidJobException("'name' must be '" + LimitRule.OF_QUEUE
                    + "' and a queue of 1 to 128 characters, letters, digits or one of _.:- but was '" + name + "'");
        }
    }

    /** What the workers declare counts again. Returns whether that is a change. */
    public boolean reset(String name) {
        return states.reset(name);
    }

    /**
     * Removes a limit that no job holds or waits for; a worker that knows it declares it again. Returns whether it did.
     */
    public boolean forget(String name) {
        return states.forget(name);
    }
}
