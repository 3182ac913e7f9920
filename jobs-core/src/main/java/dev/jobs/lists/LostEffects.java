package dev.jobs.lists;

import dev.jobs.Internal;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.LuaScript;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.Replies;
import dev.jobs.store.Effect;
import dev.jobs.store.EffectEncoder;
import dev.jobs.store.StoreKeys;
import dev.jobs.store.StoreScripts;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Makes effects again that met an error when their job ended or moved, such as a key of the wrong type. A job doesn't
 * wait for its effects, so scripts note what they could not do. Thread-safe.
 */
@Internal
public final class LostEffects {

    /** How long an effect is made again; later the key may mean something else. */
    public static final Duration PATIENCE = Duration.ofMinutes(10);

    private static final int AT_ONCE = 1_000;

    private static final LuaScript EFFECTS_AGAIN =
            LuaScript.of(LostEffects.class, "effects_again", StoreScripts.EFFECTS);

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final byte[] list;

    public LostEffects(RedisConnection connection, RedisKeys keys) {
        this.connection = connection;
        this.keys = keys;
        this.list = new StoreKeys(keys).lostEffects();
    }

    /**
     * What became of the notes.
     *
     * @param made how many effects were made, or met an error again
     * @param dropped how many were given up
     * @param kinds the kinds of those that were given up
     */
    public record Result(int made, int dropped, SortedSet<String> kinds) {}

    /** Makes all effects again that are noted now, or gives them up. */
    public Result makeAgain(Instant now) {
        long left = Math.min(
                AT_ONCE,
                Replies.unlessWrongType(() -> connection.<Long>run(commands -> commands.llen(list)))
                        .orElse(0L));
        int made = 0;
        int dropped = 0;
        SortedSet<String> kinds = new TreeSet<>();
        for (; left > 0; left--) {
            byte @Nullable [] stored = connection.run(commands -> commands.lindex(list, 0));
            if (stored == null) {
                break;
            }
            Note note = Note.read(stored);
            boolean lasts = note != null && !now.isAfter(note.time().plus(PATIENCE));
            if (lasts && note != null) {
                made += take(stored, note);
            } else {
                dropped += take(stored, null);
                kinds.add(note == null ? "unreadable" : note.effect().kind());
            }
        }
        return new Result(made, dropped, kinds);
    }

    /** @param note null to drop it */
    private int take(byte[] stored, @Nullable Note note) {
        List<byte[]> all = new ArrayList<>(List.of(list));
        List<byte[]> arguments = new ArrayList<>(List.of(
                stored,
                Bytes.of(note == null ? "" : note.outcome()),
                Bytes.of(note == null ? "" : note.token()),
                Bytes.of(note == null ? "" : Long.toString(note.time().getEpochSecond()))));
        if (note != null) {
            EffectEncoder happening = new EffectEncoder(keys);
            happening.add(1, List.of(note.effect()));
            happening.appendTo(all, arguments);
        }
        return connection
                .<Long>callForOne(
                        EFFECTS_AGAIN,
                        ScriptOutputType.INTEGER,
                        all.toArray(byte[][]::new),
                        arguments.toArray(byte[][]::new))
                .intValue();
    }

    /** An effect and what it was for, as {@code shared_effects.lua} writes it: texts, each behind its length. */
    private record Note(Instant time, String outcome, String token, Effect effect) {

        private static final int TEXTS_BEFORE_KEYS = 6;

        static @Nullable Note read(byte[] stored) {
            try {
                List<byte[]> texts = texts(stored);
                int end = TEXTS_BEFORE_KEYS + Integer.parseInt(Bytes.text(texts.get(5)));
                List<byte[]> ownKeys = texts.subList(TEXTS_BEFORE_KEYS, end);
                List<byte[]> arguments = texts.subList(end, texts.size());
                String kind = Bytes.text(texts.get(1));
                return new Note(
                        Instant.ofEpochSecond(Bytes.number(texts.get(0))),
                        Bytes.text(texts.get(2)),
                        Bytes.text(texts.get(3)),
                        Bytes.text(texts.get(4)).equals("1")
                                ? Effect.brief(kind, ownKeys, Bytes.number(arguments.get(0)))
                                : new Effect(kind, ownKeys, "", arguments));
            } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
                return null; // only scripts write there, but other clients can
            }
        }

        private static List<byte[]> texts(byte[] stored) {
            List<byte[]> texts = new ArrayList<>();
            for (int at = 0; at < stored.length; ) {
                int colon = at;
                while (stored[colon] != ':') {
                    colon++;
                }
                int end = colon + 1 + Integer.parseInt(Bytes.text(Arrays.copyOfRange(stored, at, colon)));
                if (end <= colon || end > stored.length) {
                    throw new IllegalArgumentException("cut");
                }
                texts.add(Arrays.copyOfRange(stored, colon + 1, end));
                at = end;
            }
            return texts;
        }
    }
}
