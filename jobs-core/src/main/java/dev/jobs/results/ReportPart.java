package dev.jobs.results;

import dev.jobs.Internal;
import dev.jobs.JobDefinition;
import dev.jobs.codec.JsonException;
import dev.jobs.engine.ClaimedJob;
import dev.jobs.engine.JobPart;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Keeps what jobs report, and what they return for those who wait. Thread-safe. */
@Internal
public final class ReportPart implements JobPart.Reads, JobPart.Returns, JobPart.Context {

    /** The largest result that is kept, in bytes. */
    static final int MOST_RESULT = 64 * 1_024;

    private final JobReport.Surroundings surroundings;

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
            keep(value, definition, report::returned, report::noResult);
        }
        return false;
    }

    /**
     * Keeps what the method of a job returned, unless it has no JSON form or a too large one.
     *
     * @param kept receives its JSON
     * @param notKept else receives the reason
     */
    public static void keep(Object value, JobDefinition definition, Consumer<byte[]> kept, Consumer<String> notKept) {
        try {
            byte[] json =
                    definition.codec().encodeResult(value, definition.method().getGenericReturnType());
            if (json.length <= MOST_RESULT) {
                kept.accept(json);
            } else {
                notKept.accept("Its result is not kept: " + json.length + " bytes of JSON, and " + MOST_RESULT
                        + " are allowed");
            }
        } catch (JsonException e) {
            notKept.accept("Its result is not kept: " + e.getMessage());
        }
    }
}
