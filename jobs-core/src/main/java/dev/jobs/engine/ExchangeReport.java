package dev.jobs.engine;

import dev.jobs.engine.ClaimLine.Exchange;
import dev.jobs.store.JobClaims.Reply;
import dev.jobs.store.JobClaims.Status;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the lease, listeners and the log of a fetcher's exchanges. For the fetcher's thread. */
final class ExchangeReport {

    private static final Logger log = LoggerFactory.getLogger(ExchangeReport.class);

    private static final Duration TRIMMED_INTERVAL = Duration.ofMinutes(1);

    private final RunContext context;

    /** Calls of listeners that may take long. */
    private final Queue<Runnable> news = new ArrayDeque<>();

    private long trimmed;
    private long nextTrimmedLine;

    ExchangeReport(RunContext context) {
        this.context = context;
        this.nextTrimmedLine = context.nanos();
    }

    /**
     * An exchange was answered.
     *
     * @param at when, on the engine's own clock
     */
    void answered(Exchange exchange, Reply reply, long at) {
        int settled = exchange.batch().size();
        int claimed = reply.claimed().size();
        Duration took = Duration.ofNanos(at - exchange.started());
        news.add(() -> context.hooks().tell(listener -> listener.exchanged(settled, claimed, took)));
        if (reply.status() == Status.FENCED) {
            context.lease().fenced(exchange.incarnation());
        } else if (reply.status() == Status.STALE) {
            context.lease().cloned(exchange.incarnation());
        }
        reply.brokenQueues().forEach(context.brokenKeys()::queue);
        trimmed(reply.trimmed());
        int late = reply.late();
        if (late > 0) {
            log.warn(
                    "{} jobs were settled too late: Redis no longer held them for {}. If they run elsewhere, they run twice",
                    late,
                    exchange.incarnation().id());
            context.hooks().tell(listener -> listener.settlementRefused(late));
        }
    }

    /** A full dead set loses a job with each new one; one line a minute reports their number. */
    private void trimmed(int jobs) {
        trimmed += jobs;
        if (trimmed > 0 && context.nanos() - nextTrimmedLine >= 0) {
            log.info("{} jobs fell out of the dead set, because it was full or they were too old", trimmed);
            trimmed = 0;
            nextTrimmedLine = context.nanos() + TRIMMED_INTERVAL.toNanos();
        }
    }

    /** Makes the calls of listeners that were left, without the fetcher's lock. */
    void tellNews() {
        Runnable next;
        while ((next = news.poll()) != null) {
            next.run();
        }
    }
}
