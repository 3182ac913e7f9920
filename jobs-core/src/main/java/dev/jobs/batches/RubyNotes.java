package dev.jobs.batches;

import dev.jobs.batches.BatchEffects.Report;
import dev.jobs.codec.JsonException;
import dev.jobs.codec.JsonText;
import dev.jobs.codec.OneLine;
import dev.jobs.lists.EntryReader;
import dev.jobs.lists.EntryReader.Order;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.CallBounds;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.Replies;
import dev.jobs.store.EffectEncoder;
import io.lettuce.core.ScriptOutputType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells batches what Ruby's workers did with their jobs. Ruby's middleware, see docs/sidekiq.md, leaves notes of the
 * form {@code JID LETTER}, maybe followed by a blank and a message as a JSON string. Thread-safe.
 */
final class RubyNotes {

    private static final Logger log = LoggerFactory.getLogger(RubyNotes.class);

    private static final int JID = 24;
    private static final int MESSAGE_CHARACTERS = 500;

    /** What the letters mean, in the scripts' words. */
    private static final Map<Byte, String> OUTCOMES =
            Map.of((byte) 's', "done", (byte) 'r', "retried", (byte) 'd', "dead", (byte) 'x', "discarded");

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final BatchKeys names;
    private final BatchEffects effects;
    private final EntryReader reading;

    RubyNotes(RedisConnection connection, RedisKeys keys) {
        this.connection = connection;
        this.keys = keys;
        this.names = new BatchKeys(keys);
        this.effects = new BatchEffects(keys);
        this.reading = new EntryReader(connection);
    }

    private record Note(byte[] stored, @Nullable BatchJobId job, String outcome, String message) {

        int size() {
            return 2 * stored.length + 300;
        }
    }

    /**
     * Takes some notes, as many as one call may carry, and applies them. What is no note is dropped and logged.
     *
     * @return how many were taken; 0 if there are none
     */
    int applySome() {
        List<Note> notes = Replies.unlessWrongType(() -> reading.some(
                        names.notes(),
                        Order.OLDEST,
                        0,
                        CallBounds.JOBS,
                        connection.bounds().bytesToMove()))
                .map(part ->
                        part.flat().stream().map(each -> note((byte[]) each)).toList())
                .orElse(List.of());
        if (notes.isEmpty()) {
            return 0;
        }
        List<Note> some = connection.bounds().cut(notes, Note::size).get(0);
        List<byte[]> all = new ArrayList<>(List.of(names.notes()));
        List<byte[]> arguments = new ArrayList<>(List.of(Bytes.of(some.size())));
        EffectEncoder happening = new EffectEncoder(keys);
        for (int i = 0; i < some.size(); i++) {
            Note note = some.get(i);
            arguments.add(note.stored());
            arguments.add(Bytes.of(note.outcome()));
            if (note.job() != null) {
                happening.add(i + 1, List.of(effects.of(note.job(), new Report(note.message(), new byte[0], ""))));
            }
        }
        happening.appendTo(all, arguments);
        long taken = connection.<Long>callForOne(
                BatchScripts.TOLD,
                ScriptOutputType.INTEGER,
                all.toArray(byte[][]::new),
                arguments.toArray(byte[][]::new));
        List<Note> bad = some.subList(0, (int) taken).stream()
                .filter(note -> note.job() == null)
                .toList();
        if (!bad.isEmpty()) {
            log.warn(
                    "{} entries of the list of Ruby's notes on batches are no notes and were dropped, such as: {}",
                    bad.size(),
                    OneLine.of(Bytes.text(bad.get(0).stored())));
        }
        return (int) taken;
    }

    private static Note note(byte[] stored) {
        Note bad = new Note(stored, null, "", "");
        if (stored.length < JID + 2 || stored[JID] != ' ' || stored.length > JID + 2 && stored[JID + 2] != ' ') {
            return bad;
        }
        BatchJobId job = BatchJobId.parse(Bytes.text(Arrays.copyOf(stored, JID)));
        String outcome = OUTCOMES.get(stored[JID + 1]);
        if (job == null || outcome == null) {
            return bad;
        }
        String message = stored.length <= JID + 3 ? "" : message(Arrays.copyOfRange(stored, JID + 3, stored.length));
        return new Note(stored, job, outcome, message);
    }

    /** The message as JSON on one line, shortened; empty if it is no JSON string: the state is worth more. */
    private static String message(byte[] json) {
        try {
            return JsonText.decode(json) instanceof String text
                    ? new String(
                            JsonText.encode(JsonText.wellFormed(OneLine.of(text, MESSAGE_CHARACTERS))),
                            StandardCharsets.UTF_8)
                    : "";
        } catch (JsonException e) {
            return "";
        }
    }
}
