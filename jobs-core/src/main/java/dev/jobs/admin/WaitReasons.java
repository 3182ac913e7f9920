package dev.jobs.admin;

import dev.jobs.Expiry;
import dev.jobs.Internal;
import dev.jobs.JobOrder;
import dev.jobs.Payload;
import dev.jobs.batches.BatchCancellations;
import dev.jobs.batches.BatchEffects;
import dev.jobs.batches.BatchJobId;
import dev.jobs.ends.Cancellations;
import dev.jobs.limits.LimitedJob;
import dev.jobs.limits.LimitsAdmin;
import dev.jobs.ordered.OrderRule;
import dev.jobs.store.JobQueues;
import dev.jobs.unique.Debounce;
import dev.jobs.unique.HeldLock;
import dev.jobs.unique.LocksAdmin;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Explains why a job waits. */
@Internal
public final class WaitReasons {

    private static final String DEFAULT_QUEUE = "default";

    private final Workforce workforce;
    private final JobQueues queues;
    private final LimitsAdmin limits;
    private final LocksAdmin locks;
    private final Cancellations cancellations;
    private final BatchCancellations batches;
    private final Instant now;

    public WaitReasons(
            Workforce workforce,
            JobQueues queues,
            LimitsAdmin limits,
            LocksAdmin locks,
            Cancellations cancellations,
            BatchCancellations batches,
            Instant now) {
        this.workforce = workforce;
        this.queues = queues;
        this.limits = limits;
        this.locks = locks;
        this.cancellations = cancellations;
        this.batches = batches;
        this.now = now;
    }

    public List<Finding> of(PlacedJob placed) {
        List<Finding> reasons = new ArrayList<>();
        JobRecord job = placed.job();
        JobSet set = job.set();
        Payload payload = job.payload();
        if (payload == null) {
            reasons.add(Finding.error(
                    "malformed",
                    "",
                    "This is not a job, so no worker can run it; it goes to the dead set when it is taken"));
        }
        if (set == JobSet.DEAD) {
            reasons.add(Finding.info("dead", "", "It is not retried unless someone revives it"));
            return reasons;
        }
        if (payload != null) {
            ended(job, payload, reasons);
        }
        if (set != null) {
            reasons.add(time(job, set));
        }
        if (set == JobSet.SCHEDULED && payload != null) {
            turnOfKey(job, payload, reasons);
        }
        queue(job, payload, set == null, reasons);
        if (set == null) {
            order(job, payload, placed.index(), reasons);
            reasons.add(place(placed.index()));
        }
        return reasons;
    }

    /** Why a job that is parked at a limit waits. */
    public List<Finding> of(LimitedJob parked) {
        List<Finding> reasons = new ArrayList<>();
        Payload payload = parked.job().payload();
        if (payload != null) {
            ended(parked.job(), payload, reasons);
        }
        queue(parked.job(), payload, false, reasons);
        reasons.addAll(limits.whyWaiting(parked));
        return reasons;
    }

    /** No worker will run it, but it ends only when one takes it. */
    private void ended(JobRecord job, Payload payload, List<Finding> reasons) {
        String jid = job.jid();
        Instant cancelled = jid == null ? null : cancellations.find(jid);
        if (cancelled != null) {
            reasons.add(Finding.warning(
                    "cancelled",
                    "",
                    "It was cancelled at " + cancelled + ", so it ends without being run when a worker takes it",
                    cancelled.toEpochMilli()));
        }
        BatchJobId place = BatchEffects.place(payload);
        if (place != null
                && !place.isCallback()
                && !batches.among(Set.of(place.batch())).isEmpty()) {
            reasons.add(Finding.warning(
                    "batch-cancelled",
                    place.batch(),
                    "Its batch " + place.batch()
                            + " was cancelled, so it ends without being run when a worker takes it"));
        }
        Instant expiry = Expiry.of(payload);
        if (expiry != null && expiry.isBefore(now)) {
            reasons.add(Finding.warning(
                    "expired",
                    "",
                    "It expired at " + expiry + ", so it ends without being run when a worker takes it",
                    expiry.toEpochMilli()));
        }
        if (locks.isReplaced(payload)) {
            String by = locks.of(payload).map(HeldLock::holder).orElse("");
            reasons.add(
                    Finding.warning(
                            "replaced",
                            by.isEmpty() ? "?" : by,
                            (by.isEmpty() ? "A later job" : "Job " + by)
                                    + " has its lock and has replaced it, so it ends without being run when a worker takes it"));
        }
    }

    private Finding time(JobRecord job, JobSet set) {
        Instant at = job.at();
        if (at == null) {
            return job.score() < 0 ? due() : Finding.warning("never", "", "Its time never comes");
        }
        if (!at.isAfter(now)) {
            return due();
        }
        String code = set == JobSet.RETRY ? "retry" : "scheduled";
        return Finding.info(code, "", "It waits for its time, " + at, at.toEpochMilli());
    }

    private static Finding due() {
        return Finding.info("due", "", "It is due; the next poll of a worker moves it to its queue");
    }

    /** It is scheduled because another job with its key was there before. */
    private void turnOfKey(JobRecord job, Payload payload, List<Finding> reasons) {
        if (locks.isLater(payload, job.stored())) {
            reasons.add(
                    Finding.info(
                            "lock",
                            "",
                            "Another job had the lock of its key: it waits until that is over, and a later call takes its place"));
        }
        Debounce debounce = Debounce.of(payload);
        if (debounce != null) {
            Duration pause = Duration.ofMillis(debounce.pause());
            reasons.add(Finding.info(
                    "debounced",
                    "",
                    "It waits until no call with its key has come for " + pause + "; a later call takes its place",
                    pause.toMillis()));
        }
    }

    /** @param taken whether a worker can take it from the queue now */
    private void queue(JobRecord job, @Nullable Payload payload, boolean taken, List<Finding> reasons) {
        String named = job.queue();
        String queue = named == null || named.isEmpty() ? DEFAULT_QUEUE : named;
        if (queues.isPaused(queue)) {
            reasons.add(Finding.warning("paused", queue, "The queue " + queue + " is paused"));
        }
        if (taken) {
            fullQueue(queue).ifPresent(reasons::add);
        }
        List<ProcessInfo> serving = workforce.serving(queue);
        if (serving.isEmpty()) {
            reasons.add(Finding.error("unserved", queue, "No live worker serves the queue " + queue));
        } else if (workforce.workers(queue) == 0) {
            reasons.add(Finding.warning("quiet", queue, "All workers of the queue " + queue + " take no more jobs"));
        } else {
            String name = payload == null ? null : payload.jobName();
            if (payload != null && name != null && Boolean.FALSE.equals(workforce.knows(queue, payload))) {
                reasons.add(Finding.error(
                        "unknown-job", name, "No live worker of the queue " + queue + " knows the job " + name));
            }
            int threads = serving.stream().mapToInt(ProcessInfo::concurrency).sum();
            int busy = serving.stream().mapToInt(ProcessInfo::busy).sum();
            if (taken && busy >= threads) {
                reasons.add(Finding.info(
                        "busy", Integer.toString(threads), "All " + threads + " threads of its workers are busy"));
            }
        }
    }

    private Optional<Finding> fullQueue(String queue) {
        return limits.full(queue)
                .map(limit -> Finding.info(
                        "queue-limited",
                        queue,
                        "The limit of queue " + queue + " lets " + limit.concurrency() + " jobs run at once, and "
                                + limit.held() + " run",
                        limit.held()));
    }

    private void order(JobRecord job, @Nullable Payload payload, long index, List<Finding> reasons) {
        String queue = job.queue();
        OrderRule rule = queue == null ? null : queues.rule(queue);
        if (queue == null || rule == null || payload == null) {
            return;
        }
        if (index < queues.listed(queue)) {
            reasons.add(Finding.info(
                    "before-order",
                    queue,
                    "The queue " + queue + " is ordered, and this job is one of those that are taken before its order "
                            + "counts"));
        } else if (rule.by() == OrderRule.By.PRIORITY) {
            int priority = JobOrder.priority(payload);
            reasons.add(Finding.info(
                    "priority",
                    queue,
                    "The queue " + queue + " is ordered by priority, and that of this job is " + priority,
                    priority));
        } else if (rule.by() == OrderRule.By.FAIR) {
            String key = JobOrder.key(payload);
            reasons.add(
                    key.isEmpty()
                            ? Finding.info(
                                    "turns-without-key",
                                    queue,
                                    "In the queue " + queue + " keys take turns, and this job has none, so it shares "
                                            + "turns with all others without a key")
                            : Finding.info(
                                    "turns",
                                    queue,
                                    "In the queue " + queue + " keys take turns, and that of this job is " + key,
                                    key));
        }
    }

    private static Finding place(long before) {
        return before == 0
                ? Finding.info("next", "", "It is the next one to be taken from its queue")
                : Finding.info("behind", Long.toString(before), before + " jobs are taken before it");
    }
}
