package dev.jobs.admin;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The stack of a thread.
 *
 * @param at when it was taken, by the clock of its process
 * @param jid the id of the job that the thread ran, or null if it no longer ran one
 * @param thread the name of the thread
 * @param frames the innermost first, at most 300; none if it ran no job
 */
public record StackDump(@Nullable Instant at, @Nullable String jid, String thread, List<String> frames) {

    public StackDump {
        frames = List.copyOf(frames);
    }
}
