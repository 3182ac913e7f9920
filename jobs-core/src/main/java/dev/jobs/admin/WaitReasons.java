package dev.jobs.admin;

import dev.jobs.Payload;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Explains why a job waits. */
final class WaitReasons {

    private static final String DEFAULT_QUEUE = "default";

    private final Workforce workforce;
    private final Set<String> paused;
    private final Instant now;

    WaitReasons(Workforce workforce, Set<String> paused, Instant now) {
        this.workforce = workforce;
        this.paused = paused;
        this.now = now;
    }

    List<Finding> of(PlacedJob placed) {
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
        if (set != null) {
            reasons.add(time(job, set));
        }
        queue(job, payload, reasons);
        if (set == null) {
            reasons.add(place(placed.index()));
        }
        return reasons;
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

    private void queue(JobRecord job, @Nullable Payload payload, List<Finding> reasons) {
        String named = job.queue();
        String queue = named == null || named.isEmpty() ? DEFAULT_QUEUE : named;
        if (paused.contains(queue)) {
            reasons.add(Finding.warning("paused", queue, "The queue " + queue + " is paused"));
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
            if (job.set() == null && busy >= threads) {
                reasons.add(Finding.info(
                        "busy", Integer.toString(threads), "All " + threads + " threads of its workers are busy"));
            }
        }
    }

    private static Finding place(long before) {
        return before == 0
                ? Finding.info("next", "", "It is the next one to be taken from its queue")
                : Finding.info("behind", Long.toString(before), before + " jobs are taken before it");
    }
}
