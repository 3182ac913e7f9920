package dev.jobs.admin;

import dev.jobs.Expiry;
import dev.jobs.Internal;
import dev.jobs.Payload;
import dev.jobs.lists.JobQueues;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Explains why a job waits: what everybody can see of its set, its queue and its workers, and what each feature says. */
@Internal
public final class WaitReasons {

    private static final String DEFAULT_QUEUE = "default";

    /** That it has expired. */
    public static final WaitReason EXPIRED = new WaitReason() {
        @Override
        public List<Finding> ending(Payload job, Instant now) {
            Instant expiry = Expiry.of(job);
            return expiry == null || !expiry.isBefore(now)
                    ? List.of()
                    : List.of(Finding.warning(
                            "expired",
                            "",
                            "It expired at " + expiry + ", so it ends without being run when a worker takes it",
                            expiry.toEpochMilli()));
        }
    };

    private final ProcessesAdmin processes;
    private final JobQueues queues;
    private final Clock clock;
    private final List<WaitReason> features;

    public WaitReasons(ProcessesAdmin processes, JobQueues queues, Clock clock, List<WaitReason> features) {
        this.processes = processes;
        this.queues = queues;
        this.clock = clock;
        this.features = List.copyOf(features);
    }

    public List<Finding> of(ListedJob listed) {
        List<Finding> reasons = new ArrayList<>();
        JobRecord job = listed.job();
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
        Instant now = clock.instant();
        if (payload != null) {
            ending(payload, now, reasons);
        }
        if (set != null) {
            reasons.add(time(job, set, now));
        }
        if (set == JobSet.SCHEDULED && payload != null) {
            features.forEach(each -> reasons.addAll(each.scheduled(payload, job.stored())));
        }
        queue(job, payload, set == null, reasons);
        if (set == null) {
            turn(job, payload, listed.index(), reasons);
            reasons.add(position(listed.index()));
        }
        return reasons;
    }

    /** Why a job that is in neither a queue nor a set waits, apart from what keeps it where it is. */
    public List<Finding> of(JobRecord elsewhere) {
        List<Finding> reasons = new ArrayList<>();
        Payload payload = elsewhere.payload();
        if (payload != null) {
            ending(payload, clock.instant(), reasons);
        }
        queue(elsewhere, payload, false, reasons);
        return reasons;
    }

    private void ending(Payload payload, Instant now, List<Finding> reasons) {
        features.forEach(each -> reasons.addAll(each.ending(payload, now)));
    }

    private static Finding time(JobRecord job, JobSet set, Instant now) {
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

    /** @param taken whether a worker can take it from the queue now */
    private void queue(JobRecord job, @Nullable Payload payload, boolean taken, List<Finding> reasons) {
        String named = job.queue();
        String queue = named == null || named.isEmpty() ? DEFAULT_QUEUE : named;
        if (queues.isPaused(queue)) {
            reasons.add(Finding.warning("paused", queue, "The queue " + queue + " is paused"));
        }
        if (taken) {
            features.forEach(each -> reasons.addAll(each.blocked(queue)));
        }
        Workforce workforce = processes.workforce();
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

    private void turn(JobRecord job, @Nullable Payload payload, long index, List<Finding> reasons) {
        String queue = job.queue();
        if (queue != null && payload != null) {
            features.forEach(each -> reasons.addAll(each.turn(queue, payload, index)));
        }
    }

    private static Finding position(long before) {
        return before == 0
                ? Finding.info("next", "", "It is the next one to be taken from its queue")
                : Finding.info("behind", Long.toString(before), before + " jobs are taken before it");
    }
}
