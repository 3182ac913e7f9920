package dev.jobs.batches;

import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.results.RunningNotes;
import java.util.List;

/** Notes which jobs of batches a process runs. Thread-safe. */
final class BatchNotes {

    private final RunningNotes notes;
    private final BatchEffects effects;

    BatchNotes(RedisConnection connection, RedisKeys keys) {
        this.notes = new RunningNotes(connection, keys);
        this.effects = new BatchEffects(keys);
    }

    /**
     * A job that runs.
     *
     * @param token of its delivery
     */
    record Running(String token, BatchJobId job, BatchEffects.Report report) {}

    /** Notes that jobs run, with their progress, as far as this process still holds them. */
    void note(String incarnation, List<Running> jobs) {
        notes.note(
                incarnation,
                jobs.stream()
                        .map(each -> new RunningNotes.Note(each.token(), effects.of(each.job(), each.report())))
                        .toList());
    }
}
