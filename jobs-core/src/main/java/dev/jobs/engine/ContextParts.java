package dev.jobs.engine;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Lets the parts answer what the application's code asks the context of its job, and hear what it says. Immutable. */
final class ContextParts {

    /** For what is no job. */
    static final ContextParts NONE = new ContextParts(List.of());

    private final JobPart.Context[] parts;

    /** @param all what features add to the run of a job, in order */
    ContextParts(List<JobPart> all) {
        parts = JobParts.of(all, JobPart.Context.class);
    }

    boolean isCancelled(ClaimedJob job) {
        for (JobPart.Context part : parts) {
            if (part.isCancelled(job)) {
                return true;
            }
        }
        return false;
    }

    @Nullable Duration remaining(ClaimedJob job) {
        return JobParts.first(parts, part -> part.remaining(job));
    }

    void message(ClaimedJob job, String message) {
        for (JobPart.Context part : parts) {
            part.message(job, message);
        }
    }

    void progress(ClaimedJob job, long done, long total) {
        for (JobPart.Context part : parts) {
            part.progress(job, done, total);
        }
    }

    void log(ClaimedJob job, String text) {
        for (JobPart.Context part : parts) {
            part.log(job, text);
        }
    }

    <T> @Nullable T feature(ClaimedJob job, Class<T> type) {
        return JobParts.first(parts, part -> part.feature(job, type));
    }
}
