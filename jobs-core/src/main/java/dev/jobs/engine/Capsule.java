package dev.jobs.engine;

import dev.jobs.Internal;
import dev.jobs.store.JobClaims;
import dev.jobs.threads.Deadline;
import dev.jobs.threads.Threads;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A group of queues with a fetcher and processors, up to as many as jobs may run at once. */
@Internal
public final class Capsule {

    private static final Logger log = LoggerFactory.getLogger(Capsule.class);

    private final CapsuleConfig config;
    private final Fetcher fetcher;
    private final Thread fetching;
    private final HeldJobs held;
    private final Processor processor;
    private boolean last;

    /**
     * @param index the capsule's number in the process
     * @param standing creates the claim that its fetcher leaves in Redis while it is idle
     * @param duty whether it is notified of jobs
     * @param pools the threads, also of capsules of other engines
     */
    public Capsule(
            CapsuleConfig config,
            int index,
            RunContext context,
            JobClaims claims,
            AwaitingClaim.Factory standing,
            OnCall duty,
            JobRunner runner,
            ThreadPools pools) {
        this.config = config;
        IdleWait idleWait = new IdleWait(context);
        this.held = new HeldJobs(pools.join(config, context, idleWait::wake), idleWait, claims.bounds(), context);
        this.processor = new Processor(held, runner, context);
        this.fetcher = new Fetcher(config, index, context, claims, standing, duty, idleWait, held);
        this.fetching = new Thread(context.guard().watched(fetcher), fetcher.threadName());
    }

    /**
     * Replaces a thread that doesn't end its job by a new one, which also settles the job. Returns whether it
     * is a thread of this capsule.
     */
    boolean replace(Thread abandoned, ClaimedJob job) {
        return held.share().replace(abandoned, () -> processor.takeOver(job));
    }

    void start() {
        held.share().start(processor::process);
        fetching.start();
    }

    public Fetcher fetcher() {
        return fetcher;
    }

    /** What it has done. */
    CapsuleWork work() {
        return held.work(config);
    }

    HeldJobs held() {
        return held;
    }

    List<Thread> processors() {
        return held.share().threads();
    }

    /** Lets the processors end after their current job, unless capsules of other engines need them. */
    void endProcessors() {
        held.awaited().release();
        last = held.share().leave();
    }

    /** Waits for the processors; leaves behind those that don't end in time, with a log line that shows their stack. */
    void awaitProcessors(Deadline deadline) {
        held.awaited().awaitLate(deadline.left());
        if (!last) {
            if (!Threads.await(deadline.left(), held.share()::isIdle)) {
                log.warn(
                        "Threads still run jobs that were handed back; other engines of this process need the threads");
            }
            return;
        }
        for (Thread thread : held.share().threads()) {
            if (!Threads.isExiting(thread) && !Threads.join(thread, deadline.left())) {
                log.warn(
                        held.awaited().isHandlingDeath(thread)
                                ? "{} is in a death handler that takes too long, and is left behind. It is at\n    {}"
                                : "{} ignores its interruption and is left behind. A job that it still runs was handed back and runs elsewhere, "
                                        + "so this is a duplicate from here on. It is at\n    {}",
                        thread.getName(),
                        String.join("\n    ", Threads.frames(thread)));
            }
        }
    }

    /** Waits until the fetcher has settled everything and ended. Abandons it at the deadline. */
    void awaitFetcher(Deadline deadline) {
        if (!Threads.join(fetching, deadline.left())) {
            fetcher.abandon();
        }
    }
}
