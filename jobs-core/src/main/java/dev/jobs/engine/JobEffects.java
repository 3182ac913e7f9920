package dev.jobs.engine;

import dev.jobs.Expiry;
import dev.jobs.Internal;
import dev.jobs.batches.BatchEffects;
import dev.jobs.batches.BatchRun;
import dev.jobs.ends.Cancellations;
import dev.jobs.limits.LimitedJobs;
import dev.jobs.redis.RedisKeys;
import dev.jobs.results.JobReport;
import dev.jobs.results.JobReports;
import dev.jobs.results.JobReports.Report;
import dev.jobs.results.ResultEffects;
import dev.jobs.store.Effect;
import dev.jobs.store.EffectSource;
import dev.jobs.store.Settlement;
import dev.jobs.unique.LockEffects;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Collects what else changes in the step in which a job ends or moves: its batch, lock, permits, slots, report and
 * result, and what the engine's own source adds. Thread-safe.
 */
@Internal
public final class JobEffects {

    private final RedisKeys keys;
    private final BatchEffects batches;
    private final LockEffects locks;
    private final ResultEffects results;
    private final LimitedJobs limited;
    private final EffectSource source;

    /**
     * @param limited knows which jobs have limits
     * @param source supplies further effects of jobs that ran, are recovered or are cleared here
     */
    JobEffects(RedisKeys keys, LimitedJobs limited, EffectSource source) {
        this.keys = keys;
        this.batches = new BatchEffects(keys);
        this.locks = new LockEffects(keys);
        this.results = new ResultEffects(keys);
        this.limited = limited;
        this.source = source;
    }

    /**
     * The settlement of a job that ran here.
     *
     * @param result what is kept of its end; null for nothing
     */
    Settlement ended(Settlement settlement, ClaimedJob job, byte @Nullable [] result) {
        List<Effect> all = new ArrayList<>(job.hasReachedCode() ? List.of() : starts(job));
        if (job.isParsed()) {
            all.addAll(locks.of(job.payload()));
        }
        all.addAll(source.of(job.stored()));
        all.addAll(job.remembered());
        all.addAll(limited.release(job));
        all.addAll(reported(job));
        if (result != null) {
            all.addAll(results.of(job.payload(), result));
        }
        BatchRun run = job.batchRun();
        if (run != null) {
            all.add(batches.of(run.place(), run.report()));
        }
        if (all.isEmpty()) {
            return settlement;
        }
        all.addAll(0, settlement.effects());
        return settlement.with(all);
    }

    /** The settlement of a job that is given up: a cancellation that was not heard in time goes with it. */
    Settlement givenUp(Settlement settlement, ClaimedJob job) {
        return job.jid().isEmpty() ? settlement : settlement.with(List.of(Cancellations.ended(keys, job.jid())));
    }

    private List<Effect> reported(ClaimedJob job) {
        JobReport report = job.report();
        Report last = report == null || job.jid().isEmpty() ? null : report.last();
        return last == null ? List.of() : List.of(JobReports.effect(keys, job.jid(), last));
    }

    /**
     * The settlement of a job that goes back as it was claimed, only that it no longer expires if it had begun. Its
     * batch is told even if the job has not run: an audit may have looked for it in the queue while it was here, and
     * here after it had gone back.
     *
     * @param executed whether it had been started
     */
    Settlement handedBack(ClaimedJob job, boolean executed) {
        Settlement settlement = Settlement.handedBack(job.token(), job.queue(), executed);
        if (job.extras().hasBegunInTime()) {
            settlement = settlement.with(Expiry.setAside(job.payload()).bytes());
        }
        if (job.batchRun() != null) {
            return ended(settlement, job, null);
        }
        List<Effect> own = new ArrayList<>(batches.and(locks).of(job.stored()));
        own.addAll(limited.release(job));
        own.addAll(reported(job));
        return own.isEmpty() ? settlement : settlement.with(own);
    }

    /** The settlement of a job that goes back without having begun: it gives back its starts as well. */
    Settlement unstarted(ClaimedJob job) {
        Settlement back = handedBack(job, false);
        List<Effect> starts = starts(job);
        if (starts.isEmpty() || job.batchRun() != null) { // that of a batch has them already
            return back;
        }
        List<Effect> all = new ArrayList<>(starts); // first: the next job may have the start at once
        all.addAll(back.effects());
        return back.with(all);
    }

    /** What gives back the starts by rates that a job took. */
    private static List<Effect> starts(ClaimedJob job) {
        return job.limits().isEmpty() && job.permit() == null
                ? List.of()
                : job.extras().starts();
    }

    /** The effects of a job that goes back without having run, to wait at a limit. */
    public List<Effect> parked(ClaimedJob job) {
        List<Effect> own = new ArrayList<>(batches.and(locks).of(job.stored()));
        own.addAll(limited.releaseGiven(job));
        return own;
    }

    /** Supplies all effects of jobs that move without having run here. */
    public EffectSource all() {
        return batches.and(locks).and(results).and(source);
    }

    public BatchEffects batches() {
        return batches;
    }
}
