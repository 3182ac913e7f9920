package dev.jobs.engine;

import dev.jobs.threads.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What becomes of the jobs of a capsule that stops: they get time to end, and then go back to their queues. Those that
 * end the process are left to recovery. Thread-safe.
 */
final class JobsAtStop {

    /** The reverse of the order in which jobs were claimed, so that they are in their queue as they were before. */
    private static final Comparator<ClaimedJob> NEWEST_FIRST = Comparator.comparingLong(ClaimedJob::claimedNanos)
            .thenComparingInt(ClaimedJob::index)
            .reversed();

    private final HeldJobs held;
    private final SettlementQueue settlements;
    private final IdleWait idleWait;
    private final JobEffects effects;

    private volatile boolean goBack;

    /** Jobs that called {@code System.exit} and so keep their threads; known to this process to the end. */
    private final Set<String> exiting = ConcurrentHashMap.newKeySet();

    JobsAtStop(HeldJobs held, SettlementQueue settlements, IdleWait idleWait, JobEffects effects) {
        this.held = held;
        this.settlements = settlements;
        this.idleWait = idleWait;
        this.effects = effects;
    }

    /**
     * Waits until no job runs or could be started: the others have ended, or wait for a lease that can't be renewed.
     */
    void awaitEnded(Duration patience) {
        noteExiting();
        Threads.await(
                patience, () -> held.all().stream().noneMatch(job -> job.mayEndByItself() && !isExiting(job.token())));
    }

    private void noteExiting() {
        for (ClaimedJob job : held.all()) {
            Thread runner = job.runner();
            if (runner != null && Threads.isExiting(runner)) {
                exiting.add(job.token());
            }
        }
    }

    /** Whether the job with this token was found to have called {@code System.exit}. */
    boolean isExiting(String token) {
        return exiting.contains(token);
    }

    /**
     * Leaves the jobs to recovery that called {@code System.exit}, as if they had killed the process, which they would
     * do to the next one as well. Returns them.
     */
    List<ClaimedJob> loseExiting() {
        noteExiting();
        List<ClaimedJob> left = new ArrayList<>();
        for (ClaimedJob job : held.all()) {
            if (isExiting(job.token()) && job.lose()) {
                left.add(job);
                held.forget(job, false);
            }
        }
        return left;
    }

    /** Whether all jobs go back, also those that Redis had claimed and that come only now. */
    boolean goBack() {
        return goBack;
    }

    /** Hands back all jobs, to be taken next. Returns those that were running. */
    List<ClaimedJob> handBackAll() {
        goBack = true;
        List<ClaimedJob> running = new ArrayList<>();
        List<ClaimedJob> all = new ArrayList<>(held.all());
        all.sort(NEWEST_FIRST);
        for (ClaimedJob job : all) {
            if (job.handBack()) {
                boolean executed = job.hasBegun();
                if (executed) {
                    running.add(job);
                }
                settlements.add(job, executed ? effects.handedBack(job) : effects.unstarted(job));
                held.asking().handedBack(job);
            }
        }
        idleWait.wake();
        return running;
    }

    /** Waits until no job is held. Returns whether that happened in time. */
    boolean awaitEmpty(Duration patience) {
        return Threads.await(patience, held::isEmpty);
    }
}
