package dev.jobs.results;

import dev.jobs.Internal;
import dev.jobs.JobDefinition;
import dev.jobs.codec.ArgumentCodec;
import dev.jobs.codec.JsonException;
import dev.jobs.engine.ClaimedJob;
import dev.jobs.engine.JobPart;
import org.jspecify.annotations.Nullable;

/** Keeps what jobs report, and what they return for those who wait. Thread-safe. */
@Internal
public final class ReportPart implements JobPart.Reads, JobPart.Returns, JobPart.Context {

    private final JobReport.Surroundings surroundings;
    private final ArgumentCodec codec = new ArgumentCodec();

    public ReportPart(JobReport.Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public void read(ClaimedJob job) {
        if (job.payload().has(KeptResult.KEEP)) {
            reporting(job);
        }
    }

    private JobReport reporting(ClaimedJob job) {
        return job.part(JobReport.class, () -> new JobReport(job.payload(), surroundings));
    }

    @Override
    public void progress(ClaimedJob job, long done, long total) {
        reporting(job).progress(done, total);
    }

    @Override
    public void log(ClaimedJob job, String text) {
        reporting(job).log(text);
    }

    /** The job has succeeded: a bad value only leaves a message. */
    @Override
    public boolean returned(ClaimedJob job, JobDefinition definition, @Nullable Object value) {
        JobReport report = job.part(JobReport.class);
        if (value != null && report != null && report.keepsResult()) {
            try {
                report.returned(codec.encodeResult(value, definition.method().getGenericReturnType()));
            } catch (JsonException e) {
                report.noResult("Its result is not kept: " + e.getMessage());
            }
        }
        return false;
    }
}
