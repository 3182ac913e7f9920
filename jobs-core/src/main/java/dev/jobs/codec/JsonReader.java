package dev.jobs.codec;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Converts JSON text that a {@link JsonScanner} has accepted into plain Java values. */
final class JsonReader {

    /** This many decimal digits always fit a long. */
    private static final int LONG_DIGITS = 18;

    private final byte[] text;
    private int at;

    private JsonReader(byte[] text, int at) {
        this.text = text;
        this.at = at;
    }

    /**
     * The value at an index: text, Long or BigInteger, Double, Boolean, null, an ArrayList or a LinkedHashMap.
     *
     * <p>A number with a fraction or an exponent becomes a Double of any size, as in Ruby: converting the ten bytes
     * {@code 1e99999999} through an exact type would take minutes. For the same reason an integer of more than
     * {@value JsonBuffer#MAX_DIGITS} digits becomes an infinite Double.
     */
    static @Nullable Object read(byte[] text, int from) {
        return new JsonReader(text, from).value();
    }

    private @Nullable Object value() {
        at = JsonScanner.skipBlank(text, at);
        switch (text[at]) {
            case '"' -> {
                return string();
            }
            case '{' -> {
                return object();
            }
            case '[' -> {
                return array();
            }
            case 't' -> {
                at += 4;
                return Boolean.TRUE;
            }
            case 'f' -> {
                at += 5;
                return Boolean.FALSE;
            }
            case 'n' -> {
                at += 4;
                return null;
            }
            default -> {
                return number();
            }
        }
    }

    private Map<String, @Nullable Object> object() {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        at = JsonScanner.skipBlank(text, at + 1);
        while (text[at] != '}') {
            String name = string();
            at = JsonScanner.skipBlank(text, at) + 1;
            members.put(name, value());
            nextElement();
        }
        at++;
        return members;
    }

    private List<@Nullable Object> array() {
        List<@Nullable Object> elements = new ArrayList<>();
        at = JsonScanner.skipBlank(text, at + 1);
        while (text[at] != ']') {
            elements.add(value());
            nextElement();
        }
        at++;
        return elements;
    }

    private void nextElement() {
        at = JsonScanner.skipBlank(text, at);
        if (text[at] == ',') {
            at = JsonScanner.skipBlank(text, at + 1);
        }
    }

    private String string() {
        int from = at + 1;
        int i = from;
        while (text[i] != '"') {
            i += text[i] == '\\' ? 2 : 1;
        }
        at = i + 1;
        return characters(text, from, i);
    }

    /** The characters between the quotes of a string. */
    static String characters(byte[] text, int from, int to) {
        String raw = new String(text, from, to - from, StandardCharsets.UTF_8);
        return raw.indexOf('\\') < 0 ? raw : unescape(raw);
    }

    private static String unescape(String raw) {
        StringBuilder result = new StringBuilder(raw.length());
        for (int i = 0; i < raw.length(); i++) {
            char c = raw.charAt(i);
            if (c != '\\') {
                result.append(c);
                continue;
            }
            i++;
            switch (raw.charAt(i)) {
                case 'b' -> result.append('\b');
                case 'f' -> result.append('\f');
                case 'n' -> result.append('\n');
                case 'r' -> result.append('\r');
                case 't' -> result.append('\t');
                case 'u' -> {
                    result.append((char) Integer.parseInt(raw, i + 1, i + 5, 16));
                    i += 4;
                }
                default -> result.append(raw.charAt(i));
            }
        }
        return result.toString();
    }

    private Number number() {
        int from = at;
        boolean integer = true;
        while (at < text.length && isNumberPart(text[at])) {
            integer &= text[at] != '.' && text[at] != 'e' && text[at] != 'E';
            at++;
        }
        if (integer && at - from <= LONG_DIGITS) {
            return shortInteger(from, at);
        }
        String number = new String(text, from, at - from, StandardCharsets.ISO_8859_1);
        int digits = number.length() - (number.charAt(0) == '-' ? 1 : 0);
        if (!integer || digits > JsonBuffer.MAX_DIGITS) {
            return Double.valueOf(number);
        }
        BigInteger exact = new BigInteger(number);
        return exact.bitLength() < Long.SIZE ? (Number) exact.longValue() : exact;
    }

    /** Without text in between: most numbers in payloads are times, which every job has. */
    private Long shortInteger(int from, int to) {
        boolean negative = text[from] == '-';
        long value = 0;
        for (int i = negative ? from + 1 : from; i < to; i++) {
            value = 10 * value + text[i] - '0';
        }
        return negative ? -value : value;
    }

    private static boolean isNumberPart(byte b) {
        return b >= '0' && b <= '9' || b == '-' || b == '+' || b == '.' || b == 'e' || b == 'E';
    }
}
