package dev.jobs.metrics;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.engine.RunContext;
import dev.jobs.metrics.ExecutionCounts.Taken;
import dev.jobs.metrics.JobMetrics.Counted;
import dev.jobs.metrics.JobTimings.Timed;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends this process's counts of executions to Sidekiq's metrics, and once the mark of a deployment. Counts that Redis
 * did not take are kept for the next time, as sums by job, so that an outage of any length needs no more memory.
 * Thread-safe.
 */
@Internal
public final class MetricsReport {

    private static final Logger log = LoggerFactory.getLogger(MetricsReport.class);

    private static final Duration COMPLETE_AFTER = Duration.ofMinutes(1);

    /** Times are kept in steps of ten minutes, so they may wait: to add them costs Redis more than to add counts. */
    private static final Duration TIMES_EACH = Duration.ofSeconds(10);

    /** Counts under a number, so that a repeated call is counted once. */
    private record Call(long number, List<Counted> jobs, List<Timed> times) {}

    private final JobMetrics metrics;
    private final DeployMarks marks;
    private final ExecutionCounts executions;
    private final RunContext context;
    private final Instant startedAt;
    private final ReentrantLock sending = new ReentrantLock();

    // Guarded by the lock.
    private String process;
    private final Queue<Call> unanswered = new ArrayDeque<>();
    private final Map<String, long[]> times = new HashMap<>();
    private long timesSent;
    private String label;
    private long number;
    private boolean complained;
    private long refused;

    /** @param label of the deployment to mark; empty for none */
    public MetricsReport(
            JobMetrics metrics, DeployMarks marks, ExecutionCounts executions, RunContext context, String label) {
        this.metrics = metrics;
        this.marks = marks;
        this.executions = executions;
        this.context = context;
        this.label = label;
        this.process = context.lease().current().id();
        this.startedAt = context.environment().clock().instant();
        this.timesSent = context.nanos();
    }

    /** Sends the counts, and from time to time how long executions took. Does nothing while another thread does so. */
    public void send() {
        send(false);
    }

    /** Sends everything, before the end. */
    public void sendAll() {
        send(true);
    }

    private void send(boolean all) {
        if (!sending.tryLock()) {
            return;
        }
        try {
            mark();
            sendUnanswered();
            number(all);
            sendUnanswered();
            complete();
        } catch (JobStoreException e) {
            failed(e);
        } finally {
            sending.unlock();
        }
    }

    private void mark() {
        if (label.isEmpty()) {
            return;
        }
        boolean marked = marks.mark(label, startedAt);
        log.info(
                marked
                        ? "Marked the deployment '{}' in the metrics"
                        : "The deployment '{}' needs no mark: it was marked a moment ago, or another deployment has this minute",
                label);
        label = "";
    }

    private void number(boolean all) {
        process = context.lease().current().id(); // a new one once a copy of this process is known to use the numbers
        Taken taken = executions.take();
        taken.times().forEach(each -> each.addTo(times));
        List<Timed> due = all || context.nanos() - timesSent >= TIMES_EACH.toNanos() ? takeTimes() : List.of();
        int most = Math.max(taken.jobs().size(), due.size());
        for (int from = 0; from < most; from += JobMetrics.TOGETHER) {
            unanswered.add(new Call(++number, some(taken.jobs(), from), some(due, from)));
        }
    }

    private List<Timed> takeTimes() {
        List<Timed> taken = new ArrayList<>();
        times.forEach((field, numbers) -> taken.add(new Timed(field, numbers)));
        times.clear();
        timesSent = context.nanos();
        return taken;
    }

    private static <T> List<T> some(List<T> all, int from) {
        int to = Math.min(from + JobMetrics.TOGETHER, all.size());
        return from < to ? all.subList(from, to) : List.of();
    }

    /** A call keeps its number and its counts until it is answered; later counts wait for the next number. */
    private void sendUnanswered() {
        for (Call call = unanswered.peek(); call != null; call = unanswered.peek()) {
            int refused = metrics.add(
                    process, call.number(), context.environment().clock().instant(), call.jobs(), call.times());
            unanswered.remove();
            if (refused > 0) {
                complain(
                        refused + " writes were refused, because of a key of a wrong type or a missing permission",
                        null);
            }
        }
    }

    private void failed(JobStoreException e) {
        switch (e.kind()) {
            case UNREACHABLE, TIMEOUT, BUSY, READ_ONLY ->
                log.debug("Metrics are sent when Redis answers again", e); // other parts report the outage
            default -> complain(String.valueOf(e.getMessage()), e);
        }
    }

    /** Not every call uses the key that refuses writes, so the end is known only after a while. */
    private void complete() {
        if (complained && context.nanos() - refused > COMPLETE_AFTER.toNanos()) {
            complained = false;
            log.info("Metrics of executions have been complete again for {} s", COMPLETE_AFTER.toSeconds());
        }
    }

    private void complain(String reason, @Nullable JobStoreException e) {
        refused = context.nanos();
        if (!complained) {
            complained = true;
            log.warn("Metrics of executions are incomplete: {}. Jobs are not affected", reason);
            log.debug("The failure of the metrics", e);
        }
    }
}
