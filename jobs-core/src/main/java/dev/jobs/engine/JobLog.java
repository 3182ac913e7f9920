package dev.jobs.engine;

import dev.jobs.ArgumentMasking;
import dev.jobs.JobContext;
import dev.jobs.codec.OneLine;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** Puts {@code jid}, {@code job} and {@code queue} into the MDC while a job runs, and writes a line when it starts and one when it ends. */
final class JobLog {

    private static final Logger log = LoggerFactory.getLogger(JobLog.class);

    private static final int MESSAGE_CHARACTERS = 300;

    private JobLog() {}

    static void start(JobContext job) {
        String name = OneLine.of(job.name());
        String jid = OneLine.of(job.jid());
        MDC.put("jid", jid);
        MDC.put("job", name);
        MDC.put("queue", job.queue());
        log.info("start {} jid={}", name, jid);
    }

    static void end(JobContext job, Outcome outcome, Duration took, ArgumentMasking masking) {
        if (log.isInfoEnabled()) {
            double seconds = took.toMillis() / 1000.0;
            String name = OneLine.of(job.name());
            String jid = OneLine.of(job.jid());
            Throwable failure = outcome.failure();
            if (outcome instanceof Outcome.Done) {
                log.info("done {} jid={} in {} s", name, jid, seconds);
            } else if (outcome instanceof Outcome.Interrupted) {
                log.info("interrupted {} jid={} after {} s, goes to the back of its queue", name, jid, seconds);
            } else if (outcome instanceof Outcome.Retry retry) {
                log.info(
                        "fail {} jid={} after {} s, attempt {} retried in {} s: {}",
                        name,
                        jid,
                        seconds,
                        job.attempt(),
                        retry.delay().toSeconds(),
                        shown(failure, job, masking));
            } else {
                String end = outcome instanceof Outcome.Dead
                        ? "goes to the dead set"
                        : outcome instanceof Outcome.Discarded ? "is dropped" : "but it had been taken away";
                log.info("fail {} jid={} after {} s, {}: {}", name, jid, seconds, end, shown(failure, job, masking));
            }
        }
        // a stack trace quotes all messages, whatever is hidden
        if (outcome.failure() != null && !masking.mayHide(job.payload())) {
            log.debug("What {} threw", job, outcome.failure());
        }
    }

    static void clear() {
        MDC.remove("jid");
        MDC.remove("job");
        MDC.remove("queue");
    }

    /** Class and message on one line, since whatever a job throws may carry line breaks made to look like other lines. */
    private static String shown(@Nullable Throwable failure, JobContext job, ArgumentMasking masking) {
        if (failure == null) {
            return "";
        }
        String message;
        try {
            message = String.valueOf(failure.getMessage());
        } catch (Exception | LinkageError | AssertionError | StackOverflowError e) {
            message = "(no message)";
        }
        return failure.getClass().getName() + ": "
                + OneLine.of(masking.shown(job.payload(), message), MESSAGE_CHARACTERS);
    }
}
