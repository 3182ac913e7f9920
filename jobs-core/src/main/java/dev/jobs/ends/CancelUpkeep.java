package dev.jobs.ends;

import dev.jobs.Internal;
import dev.jobs.InvalidPayloadException;
import dev.jobs.JobStoreException;
import dev.jobs.Payload;
import dev.jobs.engine.RunContext;
import dev.jobs.limits.LimitStates;
import dev.jobs.lists.EntryReader;
import dev.jobs.lists.JobQueues;
import dev.jobs.lists.JobSets;
import dev.jobs.lists.ScanStep;
import dev.jobs.redis.CallBounds;
import dev.jobs.store.StoredSet;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forgets cancellations of jobs that had ended, once there are many: nothing else tells them from those of jobs that are
 * due in weeks. Goes through all places where jobs wait, in small steps, and forgets the oldest of those whose jobs were
 * nowhere. For the leader. Confined to one thread.
 */
@Internal
public final class CancelUpkeep {

    private static final Logger log = LoggerFactory.getLogger(CancelUpkeep.class);

    /** So many are kept in any case, the newest: their jobs may be on their way, as in a transaction. */
    public static final int ENOUGH = 100_000;

    static final Duration EACH = Duration.ofMinutes(1);

    /** How many times as long as a pass the pause after it is. */
    private static final int PAUSES = 10;

    private static final int STEPS = 20;

    /** A way through one place. */
    private interface Walk {

        /** Reads some jobs. Returns whether there are more. */
        boolean step();
    }

    private final Cancellations cancellations;
    private final JobSets sets;
    private final JobQueues queues;
    private final LimitStates limits;
    private final RunContext context;
    private final int enough;

    private final Deque<Walk> left = new ArrayDeque<>();

    /** Those whose jobs were not found yet, oldest first. */
    private final Set<String> missing = new LinkedHashSet<>();

    private double upTo;
    private long begunNanos;
    private long dueNanos;

    public CancelUpkeep(
            Cancellations cancellations,
            JobSets sets,
            JobQueues queues,
            LimitStates limits,
            RunContext context,
            int enough) {
        this.cancellations = cancellations;
        this.sets = sets;
        this.queues = queues;
        this.limits = limits;
        this.context = context;
        this.enough = enough;
        this.dueNanos = context.nanos();
    }

    /** Takes some steps. Returns how long until the next run. */
    public Duration runOnce() {
        if (!context.lease().isLeader()) {
            giveUp();
            return EACH;
        }
        try {
            if (left.isEmpty() && (context.nanos() - dueNanos < 0 || !begin())) {
                return EACH;
            }
            for (int step = 0; step < STEPS && !left.isEmpty(); step++) {
                if (!left.element().step()) {
                    left.remove();
                }
            }
            if (!left.isEmpty()) {
                return Duration.ZERO;
            }
            forget();
        } catch (JobStoreException e) {
            log.debug("The search for the jobs of cancellations is given up", e); // other parts report the outage
            giveUp();
        }
        return EACH;
    }

    private void giveUp() {
        left.clear();
        missing.clear();
    }

    private boolean begin() {
        dueNanos = context.nanos() + EACH.toNanos();
        if (cancellations.count() <= enough) {
            return false;
        }
        begunNanos = context.nanos();
        upTo = cancellations.read(0, missing::addAll);
        // A job that moves meanwhile goes from an earlier place to a later one, or to a worker, which ends it.
        left.add(walk(sets.scan(StoredSet.SCHEDULE, ""), JobSets.Entry::payload));
        left.add(walk(sets.scan(StoredSet.RETRY, ""), JobSets.Entry::payload));
        for (String limit : limits.parked() == 0 ? List.<String>of() : limits.names()) {
            left.add(walk(limits.search(limit, ""), LimitStates.Waiting::payload));
        }
        for (String queue : queues.names()) {
            left.add(queue(queue));
        }
        return true;
    }

    private <T> Walk walk(ScanStep.Steps<T> steps, Function<T, byte[]> payload) {
        return new Walk() {

            private String cursor = EntryReader.FIRST;

            @Override
            public boolean step() {
                ScanStep<T> step = steps.next(cursor, CallBounds.JOBS);
                step.found().forEach(each -> waits(payload.apply(each)));
                cursor = step.cursor();
                return !step.last();
            }
        };
    }

    /** From its newest end, at which none leave: the index stays right, and those that come are seen again. */
    private Walk queue(String queue) {
        return new Walk() {
            private long from;

            @Override
            public boolean step() {
                List<byte[]> jobs = queues.newest(queue, from, CallBounds.JOBS);
                jobs.forEach(CancelUpkeep.this::waits);
                from += jobs.size();
                return !jobs.isEmpty();
            }
        };
    }

    private void waits(byte[] stored) {
        String jid = jid(stored);
        if (jid != null) {
            missing.remove(jid);
        }
    }

    private static @Nullable String jid(byte[] stored) {
        try {
            return Payload.parse(stored).jid();
        } catch (InvalidPayloadException e) {
            return null;
        }
    }

    private void forget() {
        long tooMany = cancellations.count() - enough;
        List<String> ended = List.copyOf(missing);
        int at = 0;
        long forgotten = 0;
        while (forgotten < tooMany && at < ended.size()) {
            int end = (int) Math.min(ended.size(), at + Math.min(CallBounds.JOBS, tooMany - forgotten));
            forgotten += cancellations.forgetEnded(ended.subList(at, end), upTo);
            at = end;
        }
        missing.clear();
        long took = context.nanos() - begunNanos;
        dueNanos = context.nanos() + Math.max(EACH.toNanos(), PAUSES * took);
        if (forgotten > 0) {
            log.info("Forgot {} cancellations of jobs that have ended", forgotten);
        }
    }
}
