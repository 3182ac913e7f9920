package dev.jobs.ends;

import dev.jobs.Internal;
import dev.jobs.InvalidPayloadException;
import dev.jobs.JobStoreException;
import dev.jobs.Payload;
import dev.jobs.engine.RunContext;
import dev.jobs.leases.InFlightJobs;
import dev.jobs.limits.LimitStates;
import dev.jobs.lists.EntryReader;
import dev.jobs.lists.JobQueues;
import dev.jobs.lists.JobSets;
import dev.jobs.lists.ScanStep;
import dev.jobs.redis.CallBounds;
import dev.jobs.store.StoredSet;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forgets cancellations of jobs that had ended, once there are many: nothing else tells them from those of jobs that are
 * due in weeks. Goes through all places where jobs wait or are held, in small steps, and forgets the oldest of those whose
 * jobs were nowhere and that {@link PendingJobs} doesn't know. For the leader. Confined to one thread.
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
    private final InFlightJobs held;
    private final PendingJobs pending;
    private final RunContext context;
    private final int enough;

    /** Ways that follow one after the other; each group is listed when its turn has come, since new ones may come. */
    private final Deque<Supplier<List<Walk>>> phases = new ArrayDeque<>();

    private final Deque<Walk> walks = new ArrayDeque<>();

    /** Those whose jobs were not found yet, oldest first. */
    private final Set<String> missing = new LinkedHashSet<>();

    private double upTo;
    private long begunNanos;
    private long dueNanos;

    /** @param enough how many cancellations are kept in any case */
    public CancelUpkeep(
            Cancellations cancellations,
            JobSets sets,
            JobQueues queues,
            LimitStates limits,
            InFlightJobs held,
            PendingJobs pending,
            RunContext context,
            int enough) {
        this.cancellations = cancellations;
        this.sets = sets;
        this.queues = queues;
        this.limits = limits;
        this.held = held;
        this.pending = pending;
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
            if (isOver() && (context.nanos() - dueNanos < 0 || !begin())) {
                return EACH;
            }
            for (int step = 0; step < STEPS && !isOver(); step++) {
                step();
            }
            if (!isOver()) {
                return Duration.ZERO;
            }
            forget();
        } catch (JobStoreException e) {
            log.debug("The search for the jobs of cancellations is given up", e); // other parts report the outage
            giveUp();
        }
        return EACH;
    }

    private boolean isOver() {
        return phases.isEmpty() && walks.isEmpty();
    }

    private void step() {
        if (walks.isEmpty()) {
            walks.addAll(phases.remove().get());
        } else if (!walks.element().step()) {
            walks.remove();
        }
    }

    private void giveUp() {
        phases.clear();
        walks.clear();
        missing.clear();
    }

    private boolean begin() {
        dueNanos = context.nanos() + EACH.toNanos();
        if (cancellations.count() <= enough) {
            return false;
        }
        begunNanos = context.nanos();
        upTo = cancellations.read(0, missing::addAll);
        // In the order in which jobs move. One that goes back meanwhile was held at first, or is parked at last.
        // Queues come twice: a job that is claimed before its place is read and handed back after it is there the
        // second time. To be missed, it has to do so again, at such a moment of the second time.
        phases.add(this::held);
        phases.add(() -> List.of(
                walk(sets.scan(StoredSet.SCHEDULE, ""), JobSets.Entry::payload),
                walk(sets.scan(StoredSet.RETRY, ""), JobSets.Entry::payload)));
        phases.add(this::parked);
        phases.add(this::queued);
        phases.add(this::parked);
        phases.add(this::held);
        phases.add(this::queued);
        phases.add(this::held);
        return true;
    }

    /** A queue may be ordered although this process doesn't know it. */
    private List<Walk> queued() {
        return queues.allNames().stream()
                .flatMap(queue -> Stream.of(walk(queues.scanInOrder(queue), Function.identity()), listed(queue)))
                .toList();
    }

    private List<Walk> parked() {
        List<String> names = limits.parked() == 0 ? List.of() : limits.names();
        return names.stream()
                .map(limit -> walk(limits.search(limit, ""), LimitStates.Waiting::payload))
                .toList();
    }

    private List<Walk> held() {
        return held.incarnations().stream().map(this::held).toList();
    }

    private Walk held(String incarnation) {
        return new Walk() {

            private final Deque<List<String>> tokens = new ArrayDeque<>();
            private boolean begun;

            @Override
            public boolean step() {
                if (!begun) {
                    begun = true;
                    tokens.addAll(CallBounds.slices(held.tokens(incarnation), CallBounds.JOBS));
                } else {
                    held.payloads(incarnation, tokens.remove()).forEach(CancelUpkeep.this::waits);
                }
                return !tokens.isEmpty();
            }
        };
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
    private Walk listed(String queue) {
        return new Walk() {
            private long from;

            @Override
            public boolean step() {
                List<byte[]> jobs = queues.newestListed(queue, from, CallBounds.JOBS);
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
            List<String> some = new ArrayList<>(ended.subList(at, end));
            some.removeAll(pending.pending(some));
            forgotten += cancellations.forgetEnded(some, upTo);
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
