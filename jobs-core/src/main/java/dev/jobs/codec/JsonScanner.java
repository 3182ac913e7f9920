package dev.jobs.codec;

/**
 * Scans JSON text in one pass without building anything, and refuses text that is not JSON.
 *
 * <p>For JSON written by hand it is as lenient as Ruby's parser ({@code //} and {@code /* *}{@code /} comments pass).
 * It refuses what Ruby could not write again: invalid UTF-8, NaN, nesting beyond {@value JsonText#MAX_DEPTH}
 * containers, which also bounds the recursion. It is hand-written because in Jackson only the parser that keeps every
 * member name it has read knows the byte offsets of tokens.
 */
final class JsonScanner {

    private final byte[] text;
    private int at;
    private boolean plain;

    JsonScanner(byte[] text) {
        this.text = text;
    }

    /** The index of the next byte to scan. */
    int position() {
        return at;
    }

    /** Whether the last scanned string was ASCII without escapes, so that its bytes are its characters. */
    boolean plain() {
        return plain;
    }

    /** Skips white space and comments; returns whether there is more text. */
    boolean more() throws JsonException {
        at = skipBlank(text, at);
        if (at < text.length && text[at] == '/') {
            throw malformed("an unfinished or unreadable comment", at);
        }
        return at < text.length;
    }

    /** Skips white space and comments, and returns the next byte without consuming it. */
    byte peek() throws JsonException {
        if (at < text.length && text[at] > ' ' && text[at] != '/') {
            return text[at]; // nearly always: programs write JSON without white space
        }
        if (!more()) {
            throw malformed("the text ends too early", at);
        }
        return text[at];
    }

    /** Skips white space and comments, and consumes the next byte if it is the wanted one. */
    boolean take(char wanted) throws JsonException {
        if (peek() != wanted) {
            return false;
        }
        at++;
        return true;
    }

    void expect(char wanted) throws JsonException {
        if (!take(wanted)) {
            throw malformed("'" + wanted + "' is missing", at);
        }
    }

    /** Scans one value, enclosed by the given number of containers. */
    void value(int depth) throws JsonException {
        switch (peek()) {
            case '"' -> string();
            case '{' -> object(depth + 1);
            case '[' -> array(depth + 1);
            case 't' -> literal("true");
            case 'f' -> literal("false");
            case 'n' -> literal("null");
            default -> number();
        }
    }

    void string() throws JsonException {
        if (peek() != '"') {
            throw malformed("a member name is missing", at);
        }
        int start = at;
        int i = at + 1;
        boolean asWritten = true;
        while (i < text.length) {
            byte b = text[i];
            if (b == '"') {
                at = i + 1;
                plain = asWritten;
                return;
            }
            if (b == '\\') {
                asWritten = false;
                i = escape(i);
            } else if (b >= ' ') {
                i++;
            } else if (b < 0) {
                asWritten = false;
                int end = utf8End(text, i);
                if (end < 0) {
                    throw malformed("invalid UTF-8", i);
                }
                i = end;
            } else {
                throw malformed("a raw control character in a string", i);
            }
        }
        throw malformed("a string that does not end", start);
    }

    /** The index of the first byte that is neither white space nor part of a complete comment. */
    static int skipBlank(byte[] text, int from) {
        int i = from;
        while (i < text.length) {
            byte b = text[i];
            if (b == ' ' || b == '\n' || b == '\r' || b == '\t') {
                i++;
            } else if (b == '/') {
                int end = commentEnd(text, i);
                if (end < 0) {
                    return i;
                }
                i = end;
            } else {
                return i;
            }
        }
        return i;
    }

    private static int commentEnd(byte[] text, int slash) {
        byte kind = slash + 1 < text.length ? text[slash + 1] : 0;
        if (kind == '/') {
            int i = slash + 2;
            while (i >= 0 && i < text.length && text[i] != '\n') {
                i = text[i] < 0 ? utf8End(text, i) : i + 1;
            }
            return i;
        }
        if (kind == '*') {
            int i = slash + 2;
            while (i >= 0 && i + 1 < text.length) {
                if (text[i] == '*' && text[i + 1] == '/') {
                    return i + 2;
                }
                i = text[i] < 0 ? utf8End(text, i) : i + 1;
            }
        }
        return -1;
    }

    private void object(int depth) throws JsonException {
        enter(depth);
        if (take('}')) {
            return;
        }
        do {
            string();
            expect(':');
            value(depth);
        } while (take(','));
        expect('}');
    }

    private void array(int depth) throws JsonException {
        enter(depth);
        if (take(']')) {
            return;
        }
        do {
            value(depth);
        } while (take(','));
        expect(']');
    }

    private void enter(int depth) throws JsonException {
        if (depth > JsonText.MAX_DEPTH) {
            throw malformed("nesting deeper than " + JsonText.MAX_DEPTH + " levels", at);
        }
        at++;
    }

    private void literal(String word) throws JsonException {
        for (int i = 0; i < word.length(); i++) {
            if (at + i >= text.length || text[at + i] != word.charAt(i)) {
                throw malformed("an unknown word", at);
            }
        }
        at += word.length();
    }

    private void number() throws JsonException {
        int start = at;
        if (text[at] == '-') {
            at++;
        }
        if (at < text.length && text[at] == '0') {
            at++;
        } else {
            digits(start);
        }
        if (at < text.length && text[at] == '.') {
            at++;
            digits(start);
        }
        if (at < text.length && (text[at] == 'e' || text[at] == 'E')) {
            at++;
            if (at < text.length && (text[at] == '+' || text[at] == '-')) {
                at++;
            }
            digits(start);
        }
    }

    private void digits(int numberStart) throws JsonException {
        int from = at;
        while (at < text.length && text[at] >= '0' && text[at] <= '9') {
            at++;
        }
        if (at == from) {
            throw malformed(from == numberStart ? "a value is missing" : "an incomplete number", numberStart);
        }
    }

    private int escape(int backslash) throws JsonException {
        int kind = backslash + 1 < text.length ? text[backslash + 1] : 0;
        switch (kind) {
            case '"', '\\', '/', 'b', 'f', 'n', 'r', 't' -> {
                return backslash + 2;
            }
            case 'u' -> {
                int end = backslash + 6;
                for (int i = backslash + 2; i < end; i++) {
                    if (i >= text.length || text[i] < 0 || Character.digit(text[i], 16) < 0) {
                        throw malformed("an incomplete escape in a string", backslash);
                    }
                }
                return end;
            }
            default -> throw malformed("an unknown escape in a string", backslash);
        }
    }

    /** The index after a valid multi-byte character, in its shortest form and not a surrogate; else -1. */
    private static int utf8End(byte[] text, int i) {
        int lead = text[i] & 0xff;
        int next = i + 1 < text.length ? text[i + 1] & 0xff : 0;
        int least = 0x80;
        int most = 0xbf;
        int size;
        if (lead >= 0xc2 && lead <= 0xdf) {
            size = 2;
        } else if (lead >= 0xe0 && lead <= 0xef) {
            size = 3;
            least = lead == 0xe0 ? 0xa0 : least;
            most = lead == 0xed ? 0x9f : most;
        } else if (lead >= 0xf0 && lead <= 0xf4) {
            size = 4;
            least = lead == 0xf0 ? 0x90 : least;
            most = lead == 0xf4 ? 0x8f : most;
        } else {
            return -1;
        }
        boolean valid = next >= least && next <= most && i + size <= text.length;
        for (int k = 2; valid && k < size; k++) {
            valid = (text[i + k] & 0xc0) == 0x80;
        }
        return valid ? i + size : -1;
    }

    /** Scans the next value, which is not an object, to the end of the text. */
    JsonException notAnObject() throws JsonException {
        byte first = peek();
        value(0);
        if (more()) {
            throw malformed("more text after the value", at);
        }
        String kind =
                switch (first) {
                    case '[' -> "an array";
                    case '"' -> "a string";
                    case 't', 'f' -> "a boolean";
                    case 'n' -> "null";
                    default -> "a number";
                };
        return new JsonException("JSON, but not an object: the text is " + kind + ".");
    }

    JsonException malformed(String what, int where) {
        return new JsonException("Not JSON: " + what + " at byte " + where + " of " + text.length + ".");
    }
}
