package dev.jobs.results;

import dev.jobs.Internal;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.Replies;
import dev.jobs.store.Effect;
import io.lettuce.core.RedisFuture;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What jobs tell people: how far they have come, and the lines that they logged. Thread-safe. */
@Internal
public final class JobReports {

    /** How many lines of a job are kept. */
    public static final int MOST_LINES = 200;

    private final RedisConnection connection;
    private final ResultKeys keys;
    private final RunningNotes notes;

    public JobReports(RedisConnection connection, RedisKeys keys) {
        this.connection = connection;
        this.notes = new RunningNotes(connection, keys);
        this.keys = new ResultKeys(keys);
    }

    /**
     * News of a job.
     *
     * @param progress {@code DONE TOTAL MILLIS}; empty if it is the same as before
     * @param lines each {@code BEGAN NUMBER MILLIS TEXT}, without line breaks: when its execution began, and its number
     *     there, which grows; at most {@value #MOST_LINES}
     */
    public record Report(String progress, List<String> lines) {

        public Report {
            lines = List.copyOf(lines);
        }
    }

    /**
     * News of a job that runs.
     *
     * @param token of its delivery
     */
    public record Running(String token, String jid, Report report) {}

    /**
     * What is kept of a job.
     *
     * @param progress null if there is none
     */
    public record Kept(@Nullable String progress, List<String> lines) {}

    /** The effect by which news are kept in the step in which the job ends, moves or is noted. */
    public static Effect effect(ResultKeys keys, String jid, Report report) {
        return new Effect(
                "report",
                List.of(keys.progress(jid), keys.log(jid)),
                "",
                List.of(Bytes.of(report.progress()), Bytes.of(String.join("\n", report.lines()))));
    }

    /** Keeps news of jobs, as far as this process still holds them. */
    public void note(String incarnation, List<Running> jobs) {
        notes.note(
                incarnation,
                jobs.stream()
                        .map(each -> new RunningNotes.Note(each.token(), effect(keys, each.jid(), each.report())))
                        .toList());
    }

    /** What is kept of a job; a key of another type counts as nothing. */
    public Kept find(String jid) {
        return connection.run(commands -> {
            RedisFuture<byte[]> progress = commands.get(keys.progress(jid));
            CompletionStage<List<byte[]>> lines =
                    Replies.unlessWrongType(commands.lrange(keys.log(jid), -MOST_LINES, -1), List.of());
            return Replies.<byte @Nullable []>unlessWrongType(progress, null)
                    .thenCombine(
                            lines,
                            (found, all) -> new Kept(
                                    found == null ? null : Bytes.text(found),
                                    all.stream().map(Bytes::text).toList()));
        });
    }
}
