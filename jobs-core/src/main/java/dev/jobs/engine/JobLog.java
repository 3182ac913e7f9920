package dev.jobs.engine;

import dev.jobs.ArgumentMasking;
import dev.jobs.Internal;
import dev.jobs.JobContext;
import dev.jobs.codec.OneLine;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * Puts {@code jid}, {@code job} and {@code queue} into the MDC while a job runs, and writes a line when it starts and
 * one when it ends.
 */
@Internal
public final class JobLog {

    private static final Logger log = LoggerFactory.getLogger(JobLog.class);

    private JobLog() {}

    static void start(JobContext job) {
        if (log.isInfoEnabled()) {
            log.info("start {} jid={}", OneLine.of(job.name()), OneLine.of(job.jid()));
        }
    }

    /** Lines of this thread name the job until {@link #clear()}. */
    static void about(JobContext job) {
        MDC.put("jid", OneLine.of(job.jid()));
        MDC.put("job", OneLine.of(job.name()));
        MDC.put("queue", job.queue());
    }

    static void end(JobContext job, Outcome outcome, Duration took, ArgumentMasking masking) {
        double seconds = took.toMillis() / 1000.0;
        if (!(outcome instanceof Outcome.Done)) {
            new EndLine(log, job, seconds, masking).write(outcome);
        } else if (log.isInfoEnabled()) {
            log.info("done {} jid={} in {} s", OneLine.of(job.name()), OneLine.of(job.jid()), seconds);
        }
    }

    /** The thread of a job that was given up after its timeout has ended it. */
    static void late(JobContext job, Duration took) {
        log.info(
                "late {} jid={} after {} s, without effect: it had timed out",
                OneLine.of(job.name()),
                OneLine.of(job.jid()),
                took.toMillis() / 1000.0);
    }

    static void clear() {
        MDC.remove("jid");
        MDC.remove("job");
        MDC.remove("queue");
    }
}
