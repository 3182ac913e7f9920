package dev.jobs.codec;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.Internal;
import java.io.ByteArrayOutputStream;

/**
 * Shortens JSON text to what people need to recognize it. The structure stays: a shortened string ends in …, and a
 * shortened list or object ends with a member that is this mark.
 */
@Internal
public final class JsonCut {

    /** Marks an omission. */
    private static final String MARK = "…";

    private static final int LONGEST_TEXT = 200;
    private static final int LONGEST_NUMBER = 40;
    private static final byte[] MARK_TEXT = ('"' + MARK + '"').getBytes(UTF_8);
    private static final byte[] MARK_MEMBER = ('"' + MARK + "\":\"" + MARK + '"').getBytes(UTF_8);

    private final byte[] text;
    private final JsonScanner scanner;
    private final int most;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    /** Reading has ended; only the open containers are still closed. */
    private boolean ended;

    private JsonCut(byte[] text, int most) {
        this.text = text;
        this.scanner = new JsonScanner(text);
        this.most = most;
    }

    /**
     * Shortens a value to about the given size.
     *
     * @param most bytes; the result may have a few hundred more
     * @throws JsonException if the part that is read is not JSON
     */
    public static byte[] cut(byte[] value, int most) throws JsonException {
        if (value.length <= most) {
            return value;
        }
        JsonCut cut = new JsonCut(value, most);
        cut.value(0);
        return cut.out.toByteArray();
    }

    private boolean isFull() {
        return out.size() >= most;
    }

    private void value(int depth) throws JsonException {
        switch (scanner.peek()) {
            case '"' -> string();
            case '{' -> members('{', '}', depth + 1);
            case '[' -> members('[', ']', depth + 1);
            default -> {
                int from = scanner.position();
                scanner.value(depth);
                int size = scanner.position() - from;
                if (size <= LONGEST_NUMBER) {
                    out.write(text, from, size);
                } else {
                    out.writeBytes(MARK_TEXT);
                }
            }
        }
    }

    private void members(char open, char close, int depth) throws JsonException {
        scanner.expect(open);
        out.write(open);
        if (!scanner.take(close)) {
            boolean first = true;
            do {
                if (!first) {
                    out.write(',');
                }
                first = false;
                if (isFull()) {
                    out.writeBytes(open == '{' ? MARK_MEMBER : MARK_TEXT);
                    ended = true;
                    break;
                }
                if (open == '{') {
                    scanner.peek();
                    string();
                    scanner.expect(':');
                    out.write(':');
                }
                value(depth);
            } while (!ended && scanner.take(','));
            if (!ended) {
                scanner.expect(close);
            }
        }
        out.write(close);
    }

    private void string() throws JsonException {
        int from = scanner.position();
        scanner.string();
        int to = scanner.position();
        if (to - from <= LONGEST_TEXT) {
            out.write(text, from, to - from);
            return;
        }
        int end = from + 1;
        while (end < from + LONGEST_TEXT) {
            end += character(end);
        }
        out.write(text, from, end - from);
        out.writeBytes(MARK.getBytes(UTF_8));
        out.write('"');
    }

    /** The number of bytes of the character at an index; an escaped surrogate pair is one character. */
    private int character(int at) {
        int lead = text[at] & 0xff;
        if (lead == '\\') {
            boolean code = text[at + 1] == 'u';
            boolean pair = code
                    && (text[at + 2] == 'd' || text[at + 2] == 'D')
                    && Character.digit(text[at + 3], 16) >= 8
                    && Character.digit(text[at + 3], 16) < 12
                    && text[at + 6] == '\\'
                    && text[at + 7] == 'u';
            return pair ? 12 : code ? 6 : 2;
        }
        return lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    }
}
