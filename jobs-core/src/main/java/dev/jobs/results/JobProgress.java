package dev.jobs.results;

import dev.jobs.Internal;
import dev.jobs.admin.LenientValues;
import dev.jobs.results.JobReports.Kept;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a job tells people, as it was stored last: about a second ago at most while it runs. Unreadable data are left
 * out.
 *
 * @param steps its progress; empty if it told none
 * @param lines the last lines that it logged, in all its executions, the oldest first; at most 200
 */
public record JobProgress(Optional<Steps> steps, List<Line> lines) {

    public JobProgress {
        lines = List.copyOf(lines);
    }

    /**
     * A progress in steps.
     *
     * @param done number of steps that are done
     * @param total number of all steps; 0 if it is unknown
     * @param at when the job told so, by its worker's clock
     */
    public record Steps(long done, long total, Instant at) {}

    /**
     * A line of a job's log.
     *
     * @param at when the job logged it, by its worker's clock
     */
    public record Line(Instant at, String text) {}

    @Internal
    public static JobProgress of(Kept kept) {
        return new JobProgress(
                Optional.ofNullable(kept.progress()).map(JobProgress::steps),
                kept.lines().stream()
                        .map(JobProgress::line)
                        .filter(Objects::nonNull)
                        .toList());
    }

    private static @Nullable Steps steps(String text) {
        String[] parts = text.split(" ", 3);
        Instant at = parts.length < 3 ? null : time(parts[2]);
        return at == null ? null : new Steps(LenientValues.count(parts[0]), LenientValues.count(parts[1]), at);
    }

    /** Before the text are the beginning of its execution, its number there, and its time. */
    private static @Nullable Line line(String text) {
        String[] parts = text.split(" ", 4);
        Instant at = parts.length < 4 ? null : time(parts[2]);
        return at == null ? null : new Line(at, parts[3]);
    }

    private static @Nullable Instant time(String millis) {
        try {
            return Instant.ofEpochMilli(Long.parseLong(millis));
        } catch (NumberFormatException e) {
            return null;
        }
    }
}
