package dev.jobs.engine;

import dev.jobs.Payload;
import dev.jobs.ends.CancelledJobs;
import dev.jobs.results.JobReport;
import java.util.Objects;

/**
 * What a claimed job turned out to be. Read once, because it is asked for repeatedly while the job runs.
 *
 * @param name empty if the payload has none
 * @param jid empty if the payload has none
 * @param cancelled what this process knows of cancelled jobs
 * @param surroundings what its report needs
 */
record ParsedJob(
        Payload payload, String name, String jid, CancelledJobs cancelled, JobReport.Surroundings surroundings) {

    static ParsedJob of(Payload payload, CancelledJobs cancelled, JobReport.Surroundings surroundings) {
        return new ParsedJob(
                payload,
                Objects.requireNonNullElse(payload.jobName(), ""),
                Objects.requireNonNullElse(payload.jid(), ""),
                cancelled,
                surroundings);
    }

    /** 1 for the first one. */
    int attempt() {
        Long count = payload.integer("retry_count");
        return count == null ? 1 : (int) Math.max(1, Math.min(Integer.MAX_VALUE - 2, count) + 2);
    }

    boolean isCancelled() {
        return cancelled.contains(jid);
    }
}
