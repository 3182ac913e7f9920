package dev.jobs.client;

import dev.jobs.Internal;
import dev.jobs.store.Check;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job ready to be stored.
 *
 * @param at when the job is due, in epoch seconds as text; null if it goes to its queue at once
 * @param payload the bytes to store
 * @param checks those that Redis makes
 */
@Internal
public record ReadyJob(
        String name, String queue, String jid, @Nullable String at, byte[] payload, List<Check> checks) {}
