package dev.jobs.batches;

import dev.jobs.Internal;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.EffectEncoder;
import dev.jobs.store.StoreScripts;
import java.util.ArrayList;
import java.util.List;

/** Notes which jobs of batches a process runs. Thread-safe. */
@Internal
public final class BatchNotes {

    private final RedisConnection connection;
    private final RedisKeys keys;

    public BatchNotes(RedisConnection connection, RedisKeys keys) {
        this.connection = connection;
        this.keys = keys;
    }

    /**
     * A job that runs.
     *
     * @param token of its delivery
     */
    public record Running(String token, BatchJobId job, BatchEffects.Report report) {}

    /** Notes that jobs run, with their progress, as far as this process still holds them. */
    public void note(String incarnation, List<Running> jobs) {
        BatchEffects effects = new BatchEffects(keys);
        for (List<Running> together :
                connection.limits().cut(jobs, each -> each.report().messages().length() * 3L + 300)) {
            List<byte[]> all = new ArrayList<>(List.of(keys.inFlight(incarnation)));
            List<byte[]> arguments = new ArrayList<>(List.of(Bytes.of(together.size())));
            EffectEncoder happening = new EffectEncoder(keys);
            for (int i = 0; i < together.size(); i++) {
                arguments.add(Bytes.of(together.get(i).token()));
                happening.add(
                        i + 1,
                        List.of(effects.of(
                                together.get(i).job(), together.get(i).report())));
            }
            happening.appendTo(all, arguments);
            connection.call(StoreScripts.NOTE, all.toArray(byte[][]::new), arguments.toArray(byte[][]::new));
        }
    }
}
