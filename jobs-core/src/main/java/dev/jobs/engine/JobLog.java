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

    /** Failures are warnings, unless they are the business's own. */
    static void end(JobContext job, Outcome outcome, Duration took, ArgumentMasking masking) {
        double seconds = took.toMillis() / 1000.0;
        if (outcome instanceof Outcome.Done) {
            if (log.isInfoEnabled()) {
                log.info("done {} jid={} in {} s", OneLine.of(job.name()), OneLine.of(job.jid()), seconds);
            }
        } else if (outcome instanceof EarlyOutcome early && log.isInfoEnabled()) {
            new End(job, seconds, masking).write(early);
        } else if (outcome instanceof FailedOutcome failed && log.isWarnEnabled()) {
            new End(job, seconds, masking).write(failed);
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

    /**
     * The end of a job that isn't done.
     *
     * @param seconds how long it ran
     */
    private record End(JobContext job, double seconds, ArgumentMasking masking) {

        void write(EarlyOutcome early) {
            String name = OneLine.of(job.name());
            String jid = OneLine.of(job.jid());
            if (early instanceof EarlyOutcome.Interrupted) {
                if (early.isExecuted()) {
                    log.info("interrupted {} jid={} after {} s, goes to the back of its queue", name, jid, seconds);
                } else {
                    log.info("not begun {} jid={}, Redis could not be asked, goes to the back of its queue", name, jid);
                }
            } else if (!early.text().isEmpty()) {
                String what = early.ending().name().toLowerCase(Locale.ROOT).replace('_', ' ');
                log.info("{} {} jid={}{}", what, name, jid, text(early));
            }
        }

        private String text(EarlyOutcome early) {
            String text = early.text().replace(EarlyOutcome.TOOK, String.valueOf(seconds));
            Duration delay = early.delay();
            if (delay != null) {
                text = text.replace(EarlyOutcome.DELAY, String.valueOf(delay.toMillis() / 1000.0));
            }
            Throwable thrown = early.thrown();
            if (thrown == null) {
                return text.replace(EarlyOutcome.THREW, "is not run");
            }
            String message = masking.message(job.payload(), thrown);
            String threw = "threw " + thrown.getClass().getName() + ": " + message;
            return text.contains(EarlyOutcome.THREW)
                    ? text.replace(EarlyOutcome.THREW, OneLine.of(threw, LINE_CHARACTERS))
                    : text.replace(EarlyOutcome.REASON, OneLine.of(message, LINE_CHARACTERS));
        }

        /** The first and the last failure of a job have a stack trace, those in between have none. */
        void write(FailedOutcome failed) {
            String name = OneLine.of(job.name());
            String jid = OneLine.of(job.jid());
            Throwable failure = failed.failure();
            if (failed instanceof FailedOutcome.Failed) {
                String reason = masking.shown(job.payload(), String.valueOf(failure.getMessage()));
                log.info("failed {} jid={} after {} s: {}", name, jid, seconds, OneLine.of(reason, LINE_CHARACTERS));
                return;
            }
            Throwable shown = masking.shown(job.payload(), failure);
            boolean inBetween = failed instanceof FailedOutcome.Retried && job.attempt() > 1;
            log.warn(
                    "fail {} jid={} after {} s, {}: {}",
                    name,
                    jid,
                    seconds,
                    end(failed),
                    OneLine.of(shown.toString(), LINE_CHARACTERS),
                    inBetween ? null : shown);
        }

        private String end(FailedOutcome failed) {
            String decidedBy = failed.decidedBy();
            return decidedBy == null ? what(failed) : what(failed) + " (by " + OneLine.of(decidedBy) + ")";
        }

        private String what(FailedOutcome failed) {
            if (failed instanceof FailedOutcome.Retried retried) {
                return "attempt " + job.attempt() + " retried in " + inSeconds(retried.delay()) + " s";
            }
            if (failed instanceof FailedOutcome.Dead) {
                return "goes to the dead set";
            }
            return failed instanceof FailedOutcome.Discarded ? "is discarded" : "but it had been taken away";
        }

        /** They are whole unless a rule says otherwise. */
        private static String inSeconds(Duration delay) {
            return delay.getNano() == 0 ? String.valueOf(delay.toSeconds()) : String.valueOf(delay.toMillis() / 1000.0);
        }
    }
}
