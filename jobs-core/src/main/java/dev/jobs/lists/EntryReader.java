package dev.jobs.lists;

import dev.jobs.Internal;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.LuaScript;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.Replies;
import io.lettuce.core.ScriptOutputType;
import java.util.ArrayList;
import java.util.List;

/** Reads queues, sets and hashes with entries of any size, in calls of a bounded size. Thread-safe. */
@Internal
public final class EntryReader {

    static final LuaScript SCAN = LuaScript.of(EntryReader.class, "scan");
    static final LuaScript READ_PART = LuaScript.of(EntryReader.class, "read_part");

    /** The order, and the type of key that it is for. */
    public enum Order {
        /** A list, from its left end. */
        NEWEST(1),
        /** A list, from its right end. */
        OLDEST(1),
        /** A sorted set by rank. */
        LOWEST(2),
        HIGHEST(2),
        /** A sorted set between two scores. */
        RISING(2),
        FALLING(2),
        /** A sorted set of equal scores between two members, as ZRANGEBYLEX takes them. */
        LEXICAL(1);

        private final int width;

        Order(int width) {
            this.width = width;
        }
    }

    /**
     * A part of a list or a sorted set.
     *
     * @param flat its entries, in a sorted set each followed by its score, except for {@link Order#LEXICAL}
     * @param cut whether more of the requested entries exist
     */
    public record Part(List<Object> flat, boolean cut) {

        public static final Part NOTHING = new Part(List.of(), false);
    }

    /**
     * Some entries of a sorted set or a hash.
     *
     * @param flat each followed by its score or value
     * @param cursor of the next step; {@value #FIRST} after the last one
     * @param looked number of entries that were looked at, whether they are among these or not; approximate
     */
    public record Step(List<Object> flat, String cursor, int looked) {

        public static final Step NOTHING = new Step(List.of(), FIRST, 0);

        public boolean isLast() {
            return cursor.equals(FIRST);
        }

        /** The same with what was made of the entries. */
        public <T> ScanStep<T> with(List<T> found) {
            return new ScanStep<>(found, cursor, isLast(), looked);
        }
    }

    /** The cursor of the first step. */
    public static final String FIRST = "0";

    /** How many bytes of entries a page has at most, or little more: a small application keeps them all in memory. */
    public static final int PAGE_BYTES = 16 * 1_024 * 1_024;

    private final RedisConnection connection;

    public EntryReader(RedisConnection connection) {
        this.connection = connection;
    }

    /** The requested entries, or as many of them as fit into that many bytes; at least one. */
    public Part some(byte[] key, Order order, long skip, int count, int bytes, String... bounds) {
        byte[][] arguments = new byte[4 + bounds.length][];
        arguments[0] = Bytes.of(order.name().toLowerCase(java.util.Locale.ROOT));
        arguments[1] = Bytes.of(skip);
        arguments[2] = Bytes.of(count);
        arguments[3] = Bytes.of(bytes);
        for (int i = 0; i < bounds.length; i++) {
            arguments[4 + i] = Bytes.of(bounds[i]);
        }
        List<Object> answer = connection.call(READ_PART, new byte[][] {key}, arguments);
        return new Part(Bytes.list(answer.get(1)), Bytes.number(answer.get(0)) == 1);
    }

    /**
     * The requested entries, in as many calls as needed. Entries that move in between may be missed or returned twice.
     */
    List<Object> all(byte[] key, Order order, long skip, int count, String... bounds) {
        return read(key, order, skip, count, Long.MAX_VALUE, bounds).flat();
    }

    /** The same, but no more than about {@value #PAGE_BYTES} bytes of them, unless a single one is larger. */
    public Part page(byte[] key, Order order, long skip, int count, String... bounds) {
        return read(key, order, skip, count, PAGE_BYTES, bounds);
    }

    private Part read(byte[] key, Order order, long skip, int count, long enough, String... bounds) {
        List<Object> flat = new ArrayList<>();
        long bytes = 0;
        boolean more = true;
        while (more && bytes < enough) {
            int read = flat.size() / order.width;
            Part part = some(
                    key, order, skip + read, count - read, connection.bounds().bytes(), bounds);
            flat.addAll(part.flat());
            bytes += part.flat().stream()
                    .mapToLong(each -> ((byte[]) each).length)
                    .sum();
            more = part.cut();
        }
        return new Part(flat, more);
    }

    /** One step through a sorted set, searching for a text; looks at so many entries or a few more. */
    public Step scanSet(byte[] key, String cursor, int count, String text) {
        return scan("ZSCAN", key, cursor, count, Bytes.of("*" + Replies.escapeGlob(text) + "*"));
    }

    /** One step through a hash, of so many entries or a few more. */
    public Step scanHash(byte[] key, String cursor, int count) {
        return scan("HSCAN", key, cursor, count);
    }

    /**
     * The first step through each of these hashes, sent together, so that all of them take one trip to Redis; nothing
     * of what is no hash. Together they return about what one call may.
     */
    public List<Step> scanHashes(List<byte[]> keys, int count) {
        byte[][] arguments =
                arguments("HSCAN", FIRST, count, connection.bounds().bytes() / Math.max(1, keys.size()));
        List<List<Object>> answers = connection.run(commands -> Replies.all(keys.stream()
                .map(key -> Replies.unlessWrongType(
                        RedisConnection.<List<Object>>eval(
                                commands, SCAN, ScriptOutputType.MULTI, new byte[][] {key}, arguments),
                        List.<Object>of()))
                .toList()));
        return answers.stream()
                .map(answer -> answer.isEmpty() ? Step.NOTHING : step(answer))
                .toList();
    }

    private Step scan(String command, byte[] key, String cursor, int count, byte[]... pattern) {
        return step(connection.call(
                SCAN,
                new byte[][] {key},
                arguments(command, cursor, count, connection.bounds().bytes(), pattern)));
    }

    private static byte[][] arguments(String command, String cursor, int count, int bytes, byte[]... pattern) {
        byte[][] arguments = new byte[4 + pattern.length][];
        arguments[0] = Bytes.of(command);
        arguments[1] = Bytes.of(cursor);
        arguments[2] = Bytes.of(count);
        arguments[3] = Bytes.of(bytes);
        System.arraycopy(pattern, 0, arguments, 4, pattern.length);
        return arguments;
    }

    private static Step step(List<Object> answer) {
        return new Step(Bytes.list(answer.get(1)), Bytes.text(answer.get(0)), (int) Bytes.number(answer.get(2)));
    }
}
