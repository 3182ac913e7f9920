package dev.jobs.results;

import dev.jobs.Internal;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.LuaScript;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.Effect;
import dev.jobs.store.EffectEncoder;
import dev.jobs.store.StoreScripts;
import java.util.ArrayList;
import java.util.List;

/** Notes news of jobs that run. Thread-safe. */
@Internal
public final class RunningNotes {

    private static final LuaScript NOTE = LuaScript.of(RunningNotes.class, "note", StoreScripts.EFFECTS);

    private final RedisConnection connection;
    private final RedisKeys keys;

    public RunningNotes(RedisConnection connection, RedisKeys keys) {
        this.connection = connection;
        this.keys = keys;
    }

    /**
     * News of a job.
     *
     * @param token of its delivery
     * @param effect what they change
     */
    public record Note(String token, Effect effect) {

        private int size() {
            return 32 + token.length() + Effect.size(List.of(effect));
        }
    }

    /** Notes news of jobs, as far as this process still holds them. */
    public void note(String incarnation, List<Note> notes) {
        for (List<Note> together : connection.bounds().cut(notes, Note::size)) {
            List<byte[]> all = new ArrayList<>(List.of(keys.inFlight(incarnation)));
            List<byte[]> arguments = new ArrayList<>(List.of(Bytes.of(together.size())));
            EffectEncoder happening = new EffectEncoder(keys);
            for (int i = 0; i < together.size(); i++) {
                arguments.add(Bytes.of(together.get(i).token()));
                happening.add(i + 1, List.of(together.get(i).effect()));
            }
            happening.appendTo(all, arguments);
            connection.call(NOTE, all.toArray(byte[][]::new), arguments.toArray(byte[][]::new));
        }
    }
}
