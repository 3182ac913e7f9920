package dev.jobs.admin;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a thread was doing.
 *
 * @param at when, by the clock of its process
 * @param jid the id of the job that it ran, or null if it ran none any more
 * @param thread its name
 * @param frames the innermost first, at most 300; none if it ran no job
 */
public record StackDump(@Nullable Instant at, @Nullable String jid, String thread, List<String> frames) {

    public StackDump {
        frames = List.copyOf(frames);
    }
}
