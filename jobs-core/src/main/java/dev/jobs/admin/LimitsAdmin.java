package dev.jobs.admin;

import dev.jobs.InvalidJobException;
import dev.jobs.LimitRule;
import dev.jobs.redis.JobSets;
import dev.jobs.redis.LimitStates;
import dev.jobs.redis.LimitStates.KeyState;
import dev.jobs.redis.LimitStates.State;
import dev.jobs.redis.LimitStates.Waiting;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The {@linkplain dev.jobs.Limit limits} and the jobs that are parked at them; {@link JobsAdmin#limits} returns it.
 * Thread-safe; throws what {@link JobsAdmin} throws.
 */
public final class LimitsAdmin {

    private static final int KEYS = 200;
    private static final int SHOWN = 5;

    private final LimitStates states;
    private final JobSets sets;
    private final Clock clock;

    LimitsAdmin(LimitStates states, JobSets sets, Clock clock) {
        this.states = states;
        this.sets = sets;
        this.clock = clock;
    }

    /** All limits that workers declared or that were set here, by name. */
    public List<LimitInfo> all() {
        return states.names().stream().map(this::info).toList();
    }

    /** A limit; one that nobody has declared has no concurrency. */
    public LimitInfo get(String name) {
        return info(name);
    }

    private LimitInfo info(String name) {
        State state = states.read(name, KEYS, null);
        Integer set = state.set();
        long oldest = state.keys().stream().mapToLong(KeyState::oldest).min().orElse(Long.MAX_VALUE);
        return new LimitInfo(
                name,
                set == null ? state.declared() : set,
                set != null,
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
    public List<LimitKey> keys(String name, @Nullable String after) {
        return states.read(name, KEYS, after).keys().stream()
                .map(each -> new LimitKey(each.key(), each.held(), each.waiting(), since(each.oldest())))
                .toList();
    }

    /** The jobs that have permits of a key, at most 100. */
    public List<LimitHolder> holders(String name, String key) {
        return states.holders(name, key).stream()
                .map(holder -> {
                    byte[] payload = holder.payload();
                    JobRecord job = payload == null ? null : JobRecord.inQueue(holder.queue(), payload);
                    return new LimitHolder(holder.incarnation(), holder.queue(), job);
                })
                .toList();
    }

    /**
     * The parked jobs of a key; the one that goes on first is the first.
     *
     * @param from how many to skip
     * @param size how many at most, 1 to 200
     */
    public List<LimitedJob> waiting(String name, String key, long from, int size) {
        return states.waiting(name, key, from, Math.max(1, Math.min(size, 200))).stream()
                .map(each -> new LimitedJob(name, each))
                .toList();
    }

    /**
     * The parked jobs with that id, at most 20, of all limits.
     *
     * @param jid 1 to 200 characters
     */
    public FoundLimitedJobs findById(String jid, ScanBudget budget) {
        FoundJobs.checkJid(jid);
        BudgetedScan scan = new BudgetedScan(budget);
        List<LimitedJob> found = new ArrayList<>();
        boolean begun = false;
        for (String name : states.names()) {
            String cursor = JobSets.FIRST_STEP;
            LimitStates.Step step;
            do {
                if (begun && !scan.lasts()) {
                    return new FoundLimitedJobs(found, true);
                }
                begun = true;
                int count = scan.next();
                step = states.search(name, cursor, jid, count);
                scan.spent(count, Math.max(step.looked(), step.found().size()));
                cursor = step.cursor();
                for (Waiting each : step.found()) {
                    LimitedJob job = new LimitedJob(name, each);
                    if (jid.equals(job.job().jid()) && found.size() < FoundJobs.MOST_OF_ONE_ID) {
                        found.add(job);
                    }
                }
            } while (!step.last());
        }
        return new FoundLimitedJobs(found, false);
    }

    /** Deletes a parked job for good. Returns whether it was still parked. */
    public boolean delete(LimitedJob job) {
        return states.delete(job.limit(), job.stored(), sets);
    }

    /** Why a parked job waits. */
    public List<Finding> whyWaiting(LimitedJob job) {
        LimitInfo limit = info(job.limit());
        String what = job.limit() + (job.key().isEmpty() ? "" : " of " + job.key());
        List<LimitHolder> holders = holders(job.limit(), job.key());
        String jids = holders.stream()
                .limit(SHOWN)
                .map(holder -> {
                    JobRecord held = holder.job();
                    return held == null || held.jid() == null ? "?" : held.jid();
                })
                .collect(Collectors.joining(", "));
        List<Finding> reasons = new ArrayList<>();
        reasons.add(Finding.info(
                "limited",
                what,
                holders.isEmpty()
                        ? "It goes back to its queue soon: the limit " + what + " is free"
                        : "The limit " + what + " lets "
                                + (limit.concurrency() == null ? "any number of" : limit.concurrency())
                                + " jobs run at once, and " + holders.size() + " run: " + jids
                                + (holders.size() > SHOWN ? ", …" : ""),
                holders.size()));
        long before = states.before(job.limit(), job.stored());
        reasons.add(
                before == 0
                        ? Finding.info("next", "", "It is the next one to go on")
                        : Finding.info("behind", Long.toString(before), before + " jobs go on before it"));
        return reasons;
    }

    /**
     * Sets how many jobs with the same key may run at once, from now on and whatever the workers declare. If that is
     * more than before, parked jobs go on at once; if it is less, running jobs go on until they end.
     *
     * @param concurrency 1 to 1,000,000
     * @return whether that is a change
     * @throws InvalidJobException if the name or the number is out of range
     */
    public boolean set(String name, int concurrency) {
        if (!LimitRule.isName(name)) {
            throw new InvalidJobException("'name' must be 1 to 200 characters without control characters");
        }
        if (concurrency < 1 || concurrency > LimitRule.MOST_PERMITS) {
            throw new InvalidJobException(
                    "'concurrency' must be 1 to " + LimitRule.MOST_PERMITS + " but was " + concurrency);
        }
        return states.set(name, concurrency);
    }

    /** What the workers declare counts again. Returns whether that is a change. */
    public boolean reset(String name) {
        return states.set(name, null);
    }

    /**
     * Removes a limit that no job holds or waits for; a worker that knows it declares it again. Returns whether it did.
     */
    public boolean forget(String name) {
        return states.forget(name);
    }
}
