package dev.jobs.engine;

import dev.jobs.ArgumentMasking;
import dev.jobs.Internal;
import dev.jobs.JobContext;
import dev.jobs.codec.OneLine;
import java.time.Duration;
import java.util.Locale;
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
        } else if (outcome instanceof Outcome.Interrupted interrupted) {
            if (interrupted.isExecuted()) {
                log.info("interrupted {} jid={} after {} s, goes to the back of its queue", name, jid, seconds);
            } else {
                log.info("not begun {} jid={}, Redis could not be asked, goes to the back of its queue", name, jid);
            }
        } else if (!outcome.text().isEmpty()) {
            String what = outcome.ending().name().toLowerCase(Locale.ROOT).replace('_', ' ');
            log.info("{} {} jid={}{}", what, name, jid, text(job, outcome, seconds, masking));
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

    private static String text(JobContext job, Outcome outcome, double seconds, ArgumentMasking masking) {
        String text = outcome.text().replace(Outcome.TOOK, String.valueOf(seconds));
        Duration delay = outcome.delay();
        if (delay != null) {
            text = text.replace(Outcome.DELAY, String.valueOf(delay.toMillis() / 1000.0));
        }
        Throwable thrown = outcome.thrown();
        if (thrown == null) {
            return text.replace(Outcome.THREW, "is not run");
        }
        String message = FailureHandling.message(thrown);
        String threw = "threw " + masking.shown(job.payload(), thrown.getClass().getName() + ": " + message);
        return text.contains(Outcome.THREW)
                ? text.replace(Outcome.THREW, OneLine.of(threw, LINE_CHARACTERS))
                : text.replace(Outcome.REASON, OneLine.of(masking.shown(job.payload(), message), LINE_CHARACTERS));
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
