package dev.jobs.test;

import dev.jobs.ArgumentSeal;
import dev.jobs.JobRegistry;
import dev.jobs.Payload;
import dev.jobs.client.ReadyJob;
import dev.jobs.codec.RawJson;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job that was enqueued in a test.
 *
 * @param name its wire name
 * @param at when it is due; null if it was to run at once
 * @param payload what was stored; the arguments of an encrypted job as they were before
 */
public record EnqueuedJob(
        String jid, String name, String queue, @Nullable Instant at, Payload payload) {

    static EnqueuedJob of(ReadyJob job, JobRegistry jobs) {
        Payload stored = Payload.parse(job.payload());
        Payload read =
                ArgumentSeal.isSealed(stored) ? stored.with("args", new RawJson(jobs.arguments(stored))) : stored;
        return new EnqueuedJob(job.jid(), job.name(), job.queue(), time(job.at()), read);
    }

    static @Nullable Instant time(@Nullable String seconds) {
        if (seconds == null) {
            return null;
        }
        long micros = new BigDecimal(seconds).movePointRight(6).longValue();
        return Instant.EPOCH.plus(micros, java.time.temporal.ChronoUnit.MICROS);
    }

    /** Its arguments, as read from JSON. */
    public List<@Nullable Object> arguments() {
        return payload.args();
    }

    /** Its arguments as JSON text. */
    String json() {
        return new String(payload.rawArgs(), StandardCharsets.UTF_8);
    }

    /** How long it was to wait when it was enqueued; null if it was to run at once. */
    public @Nullable Duration delay() {
        Instant created = payload.time("created_at");
        return at == null || created == null ? null : Duration.between(created, at);
    }

    /** The call, and what is not the default. */
    @Override
    public String toString() {
        String json = json();
        return name + "(" + json.substring(1, json.length() - 1) + ") in queue " + queue
                + (at == null ? "" : ", due at " + at) + ", jid " + jid;
    }
}
