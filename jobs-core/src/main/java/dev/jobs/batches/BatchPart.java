package dev.jobs.batches;

import dev.jobs.ArgumentMasking;
import dev.jobs.Internal;
import dev.jobs.JobDefinition;
import dev.jobs.JobListener.Ending;
import dev.jobs.ends.Known;
import dev.jobs.engine.ClaimedJob;
import dev.jobs.engine.EarlyOutcome;
import dev.jobs.engine.FailureHandling;
import dev.jobs.engine.JobPart;
import dev.jobs.engine.Outcome;
import dev.jobs.results.ReportPart;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gathers what a job tells its batch, and ends the jobs of cancelled batches. Thread-safe. */
@Internal
public final class BatchPart
        implements JobPart.Reads, JobPart.Refuses, JobPart.Begins, JobPart.Returns, JobPart.Repeats, JobPart.Context {

    private static final Logger log = LoggerFactory.getLogger(BatchPart.class);

    private final AtomicBoolean warnedOfRuby = new AtomicBoolean();
    private final BatchAccess access;
    private final ArgumentMasking masking;
    private final FailureHandling failureHandling;
    private final CancelledBatches known;
    private final LongSupplier nanoTime;
    private final CancelledBatches.@Nullable Source source;

    /**
     * @param masking hides arguments in what is told
     * @param known which batches are cancelled
     * @param source where that is looked up; null if what is known counts
     */
    public BatchPart(
            BatchAccess access,
            ArgumentMasking masking,
            FailureHandling failureHandling,
            CancelledBatches known,
            LongSupplier nanoTime,
            CancelledBatches.@Nullable Source source) {
        this.access = access;
        this.masking = masking;
        this.failureHandling = failureHandling;
        this.known = known;
        this.nanoTime = nanoTime;
        this.source = source;
    }

    @Override
    public void read(ClaimedJob job) {
        BatchJobId batchJob = BatchEffects.batchJob(job.payload());
        if (batchJob != null) {
            boolean keepsResult =
                    Long.valueOf(BatchEffects.KEEPS_RESULT).equals(job.payload().integer(BatchEffects.MEMBER));
            job.attach(new BatchRun(batchJob, keepsResult, access, known::contains, masking, job.payload()));
        }
    }

    /** A batch that is not known as cancelled is not, also if Redis can't be asked now. */
    private Known ask(ClaimedJob job) {
        BatchRun run = job.part(BatchRun.class);
        CancelledBatches.Source asked = source;
        if (run == null || run.batchJob().isCallback()) {
            return Known.NO;
        }
        return asked == null
                ? Known.of(run.isCancelled())
                : Known.of(job, () -> known.isCancelled(run.batchJob().batch(), job.claimedNanos(), nanoTime, asked));
    }

    /** Since nothing else remains that keeps a job from its permits. */
    @Override
    public @Nullable Outcome refused(ClaimedJob job, Ending why) {
        return why == Ending.SKIPPED ? skipped() : null;
    }

    @Override
    public @Nullable Outcome before(ClaimedJob job, @Nullable JobDefinition definition) {
        if (job.payload().text("bid") != null && !warnedOfRuby.getAndSet(true)) {
            log.warn(
                    "Job {} belongs to a batch of Ruby's. It runs, but its batch is never notified of its end; leave jobs of batches to Ruby. "
                            + "This is logged once",
                    job);
        }
        return switch (ask(job)) {
            case NO -> null;
            case YES -> skipped();
            case UNKNOWN -> failureHandling.notBegun(job.payload());
        };
    }

    @Override
    public @Nullable Outcome insteadOfAgain(ClaimedJob job) {
        return isCancelled(job) && ask(job) == Known.YES ? skipped() : null;
    }

    private static Outcome skipped() {
        return new EarlyOutcome.Ended(
                Ending.SKIPPED,
                " after " + EarlyOutcome.TOOK + " s, its batch is cancelled",
                null,
                null,
                true,
                List.of());
    }

    /** The job has succeeded: a bad value only leaves a message. */
    @Override
    public boolean returned(ClaimedJob job, JobDefinition definition, @Nullable Object value) {
        BatchRun run = job.part(BatchRun.class);
        if (value != null && run != null && run.keepsResult()) {
            ReportPart.keep(value, definition, run::result, run::message);
        }
        return false;
    }

    @Override
    public boolean isCancelled(ClaimedJob job) {
        BatchRun run = job.part(BatchRun.class);
        return run != null && run.isCancelled();
    }

    @Override
    public void message(ClaimedJob job, String message) {
        BatchRun run = job.part(BatchRun.class);
        if (run != null) {
            run.message(message);
        }
    }

    @Override
    public void progress(ClaimedJob job, long done, long total) {
        BatchRun run = job.part(BatchRun.class);
        if (run != null) {
            run.progress(done, total);
        }
    }

    @Override
    public <T> @Nullable T feature(ClaimedJob job, Class<T> type) {
        BatchRun run = job.part(BatchRun.class);
        return run != null && type == JobBatch.class ? type.cast(run.batch()) : null;
    }
}
