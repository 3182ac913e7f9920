package dev.jobs.client;

import org.jspecify.annotations.Nullable;

/**
 * A job ready to be sent to Redis.
 *
 * @param at when the job is due, in epoch seconds as text; null if it goes to its queue at once
 * @param payload the bytes to store
 */
record ReadyJob(
        String name, String queue, String jid, @Nullable String at, byte[] payload) {}
