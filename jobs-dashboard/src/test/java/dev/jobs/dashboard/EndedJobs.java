package dev.jobs.dashboard;

import dev.jobs.batches.BatchEffects.Report;
import dev.jobs.batches.BatchEnds;
import dev.jobs.batches.BatchReader;
import dev.jobs.batches.BatchRetention;
import dev.jobs.batches.BatchStore;
import dev.jobs.batches.BatchStore.Correction;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisConnections;
import java.util.List;
import java.util.function.LongFunction;
import java.util.stream.LongStream;

/** Ends jobs of batches as if workers had settled them. */
public final class EndedJobs implements AutoCloseable {

    private static final int AT_ONCE = 500;

    private final RedisConnection connection;
    private final BatchStore store;
    private final BatchReader reader;
    private final BatchEnds ends;

    public EndedJobs(RedisConnections redis) {
        connection = redis.open("test-ends");
        store = new BatchStore(connection, redis.keys());
        reader = new BatchReader(connection, redis.keys());
        ends = new BatchEnds(connection, redis.keys(), BatchRetention.defaults());
    }

    /**
     * Ends jobs.
     *
     * @param outcome the scripts' word for it
     * @param message what each leaves, by its index; empty for none
     */
    public void end(String batch, String outcome, LongFunction<String> message, LongStream indexes) {
        List<Correction> marks = indexes.mapToObj(index -> {
                    String text = message.apply(index);
                    return new Correction(
                            index, "", outcome, new Report(text.isEmpty() ? "" : '"' + text + '"', new byte[0], ""));
                })
                .toList();
        for (int at = 0; at < marks.size(); at += AT_ONCE) {
            store.mark(batch, marks.subList(at, Math.min(at + AT_ONCE, marks.size())));
        }
    }

    /** Does what the leader does when all jobs of a batch have ended. */
    public void look(String batch) {
        ends.look(batch, reader.find(batch).orElseThrow().definition(), List.of(), true);
    }

    @Override
    public void close() {
        connection.close();
    }
}
