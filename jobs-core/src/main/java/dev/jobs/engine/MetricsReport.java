package dev.jobs.engine;

import dev.jobs.JobStoreException;
import dev.jobs.redis.DeployMarks;
import dev.jobs.redis.JobMetrics;
import dev.jobs.redis.JobMetrics.Counted;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings to Sidekiq's metrics what this process counted of executions, and once the mark of a deployment. What Redis does not take is kept
 * for the next time: as sums by job, so that an outage of any length takes no more memory. Thread-safe.
 */
final class MetricsReport {

    private static final Logger log = LoggerFactory.getLogger(MetricsReport.class);

    private static final Duration COMPLETE_AFTER = Duration.ofMinutes(1);

    /** Counts under a number, so that a repeated call counts once. */
    private record Call(long number, List<Counted> jobs) {}

    private final JobMetrics metrics;
    private final DeployMarks marks;
    private final ExecutionCounts executions;
    private final RunContext context;
    private final String process;
    private final Instant startedAt;
    private final ReentrantLock sending = new ReentrantLock();

    // Guarded by the lock.
    private final Queue<Call> unanswered = new ArrayDeque<>();
    private String label;
    private long number;
    private boolean complained;
    private long refused;

    /** @param label of the deployment to mark; empty if none */
    MetricsReport(JobMetrics metrics, DeployMarks marks, ExecutionCounts executions, RunContext context, String label) {
        this.metrics = metrics;
        this.marks = marks;
        this.executions = executions;
        this.context = context;
        this.label = label;
        this.process = context.lease().current().id();
        this.startedAt = context.environment().clock().instant();
    }

    /** Sends what there is. Does nothing while another thread is at it. */
    void send() {
        if (!sending.tryLock()) {
            return;
        }
        try {
            mark();
            sendUnanswered();
            number();
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
                        : "The deployment '{}' needs no mark: it was marked a moment ago, or another has this minute",
                label);
        label = "";
    }

    private void number() {
        List<Counted> counted = executions.take();
        for (int from = 0; from < counted.size(); from += JobMetrics.TOGETHER) {
            int to = Math.min(from + JobMetrics.TOGETHER, counted.size());
            unanswered.add(new Call(++number, counted.subList(from, to)));
        }
    }

    /** A call keeps its number and its counts until it is answered; whatever is counted meanwhile waits for the next number. */
    private void sendUnanswered() {
        for (Call call = unanswered.peek(); call != null; call = unanswered.peek()) {
            int refused = metrics.add(
                    process, call.number(), context.environment().clock().instant(), call.jobs());
            unanswered.remove();
            if (refused > 0) {
                complain(refused + " writes were refused, because of a key of another type or a missing right", null);
            }
        }
    }

    private void failed(JobStoreException e) {
        switch (e.kind()) {
            case UNREACHABLE, TIMEOUT, BUSY, READ_ONLY ->
                log.debug("Metrics are sent when Redis answers again", e); // others tell of the outage
            default -> complain(String.valueOf(e.getMessage()), e);
        }
    }

    /** Not every call touches the key that refuses, so that the end is known only after a while. */
    private void complete() {
        if (complained && context.nanos() - refused > COMPLETE_AFTER.toNanos()) {
            complained = false;
            log.info("Metrics of executions are complete again, as of the last {} s", COMPLETE_AFTER.toSeconds());
        }
    }

    private void complain(String reason, @Nullable JobStoreException e) {
        refused = context.nanos();
        if (!complained) {
            complained = true;
            log.warn("Metrics of executions are incomplete: {}. Jobs are not affected", reason);
            log.debug("What the metrics ran into", e);
        }
    }
}
