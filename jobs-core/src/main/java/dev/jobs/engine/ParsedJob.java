package dev.jobs.engine;

import dev.jobs.Payload;
import java.util.Objects;

/**
 * What a claimed job turned out to be. Read once, because it is asked for repeatedly while the job runs.
 *
 * @param name empty if the payload has none
 * @param jid empty if the payload has none
 * @param parts what features add to its run
 */
record ParsedJob(Payload payload, String name, String jid, JobParts parts) {

    static ParsedJob of(Payload payload, JobParts parts) {
        return new ParsedJob(
                payload,
                Objects.requireNonNullElse(payload.jobName(), ""),
                Objects.requireNonNullElse(payload.jid(), ""),
                parts);
    }

    /** 1 for the first one. */
    int attempt() {
        Long count = payload.integer("retry_count");
        return count == null ? 1 : (int) Math.max(1, Math.min(Integer.MAX_VALUE - 2, count) + 2);
    }
}
