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

    private static final int LINE_CHARACTERS = 400;

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

    /**
     * Failures are warnings. The first and the last failure of a job have a stack trace, those in between have none.
     */
    static void end(JobContext job, Outcome outcome, Duration took, ArgumentMasking masking) {
        Throwable failure = outcome.failure();
        if (failure == null ? !log.isInfoEnabled() : !log.isWarnEnabled()) {
            return;
        }
        double seconds = took.toMillis() / 1000.0;
        String name = OneLine.of(job.name());
        String jid = OneLine.of(job.jid());
        if (outcome instanceof Outcome.Done) {
            log.info("done {} jid={} in {} s", name, jid, seconds);
        } else if (outcome instanceof Outcome.Interrupted) {
            log.info("interrupted {} jid={} after {} s, goes to the back of its queue", name, jid, seconds);
        } else if (outcome instanceof Outcome.Postponed postponed) {
            log.info(
                    "postponed {} jid={} by {} s, for a worker that can run it",
                    name,
                    jid,
                    postponed.delay().toMillis() / 1000.0);
        } else if (outcome instanceof Outcome.OverLimit over) {
            log.info(
                    "over limit {} jid={} after {} s, comes back in {} s: {}",
                    name,
                    jid,
                    seconds,
                    over.delay().toMillis() / 1000.0,
                    OneLine.of(masking.shown(job.payload(), FailureHandling.message(over.thrown())), LINE_CHARACTERS));
        } else if (outcome instanceof Outcome.Skipped) {
            log.info("skipped {} jid={} after {} s, its batch is cancelled", name, jid, seconds);
        } else if (outcome instanceof Outcome.Cancelled cancelled) {
            Throwable thrown = cancelled.thrown();
            String threw = thrown == null
                    ? "is not run"
                    : "threw "
                            + masking.shown(
                                    job.payload(),
                                    thrown.getClass().getName() + ": " + FailureHandling.message(thrown));
            log.info("cancelled {} jid={} after {} s, {}", name, jid, seconds, OneLine.of(threw, LINE_CHARACTERS));
        } else if (outcome instanceof Outcome.Expired expired) {
            log.info("expired {} jid={} at {}, is not run", name, jid, expired.at());
        } else if (outcome instanceof Outcome.Replaced) {
            log.info("replaced {} jid={}, a later job has its lock, is not run", name, jid);
        } else if (outcome instanceof Outcome.Failed failed) {
            String reason = String.valueOf(failed.failure().getMessage());
            String shown = masking.shown(job.payload(), reason);
            log.info("failed {} jid={} after {} s: {}", name, jid, seconds, OneLine.of(shown, LINE_CHARACTERS));
        } else if (failure != null) {
            Throwable shown = MaskedFailure.of(failure, text -> masking.shown(job.payload(), text));
            boolean inBetween = outcome instanceof Outcome.Retried && job.attempt() > 1;
            log.warn(
                    "fail {} jid={} after {} s, {}: {}",
                    name,
                    jid,
                    seconds,
                    end(job, outcome),
                    OneLine.of(line(shown), LINE_CHARACTERS),
                    inBetween ? null : shown);
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

    private static String end(JobContext job, Outcome outcome) {
        if (outcome instanceof Outcome.Retried retried) {
            return "attempt " + job.attempt() + " retried in " + retried.delay().toSeconds() + " s";
        }
        if (outcome instanceof Outcome.Dead) {
            return "goes to the dead set";
        }
        return outcome instanceof Outcome.Discarded ? "is discarded" : "but it had been taken away";
    }

    /** Class and message. */
    private static String line(Throwable shown) {
        String message = shown.getMessage();
        if (shown instanceof MaskedFailure) {
            return String.valueOf(message);
        }
        return message == null ? shown.getClass().getName() : shown.getClass().getName() + ": " + message;
    }

    static void clear() {
        MDC.remove("jid");
        MDC.remove("job");
        MDC.remove("queue");
    }
}
