package dev.jobs.codec;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import tools.jackson.core.io.NumberOutput;

/**
 * A growing buffer of JSON text that writes strings and numbers exactly as Ruby's generator does.
 *
 * <p>Entries are found and removed by comparing bytes, and Ruby compares them with its own output: one differing escape
 * leaves a second copy of a job behind.
 */
final class JsonBuffer {

    /**
     * Numbers with more digits are refused here, and never bound to a parameter: converting them costs too much time.
     */
    static final int MAX_DIGITS = 1000;

    /** The most digits of a long. */
    private static final int LONG_DIGITS = 19;

    private static final int MAX_CAPACITY = Integer.MAX_VALUE - 8;
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] NULL = "null".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] TRUE = "true".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] FALSE = "false".getBytes(StandardCharsets.US_ASCII);

    private byte[] bytes;
    private int length;

    JsonBuffer(int capacity) {
        bytes = new byte[capacity];
    }

    /** For an object with these values: growing a buffer takes time, as does clearing one that is far too large. */
    static JsonBuffer forMembers(Collection<?> values) {
        int capacity = 2;
        for (Object value : values) {
            capacity += 32 + (value instanceof RawJson json ? json.bytes().length : 0);
        }
        return new JsonBuffer(capacity);
    }

    int length() {
        return length;
    }

    byte[] toBytes() {
        return Arrays.copyOf(bytes, length);
    }

    /** What was written since the buffer had this length. */
    String textFrom(int begin) {
        return new String(bytes, begin, length - begin, StandardCharsets.UTF_8);
    }

    void raw(char ascii) {
        ensure(1);
        bytes[length++] = (byte) ascii;
    }

    void raw(byte[] text) {
        ensure(text.length);
        System.arraycopy(text, 0, bytes, length, text.length);
        length += text.length;
    }

    void nullValue() {
        raw(NULL);
    }

    void bool(boolean value) {
        raw(value ? TRUE : FALSE);
    }

    void number(long value) {
        if (value == Long.MIN_VALUE) {
            ascii(Long.toString(value));
            return;
        }
        ensure(20);
        if (value < 0) {
            bytes[length++] = '-';
            value = -value;
        }
        int digits = 1;
        for (long power = 10; digits < LONG_DIGITS && value >= power; power *= 10) {
            digits++;
        }
        length += digits;
        int at = length;
        for (; value > Integer.MAX_VALUE; value /= 10) {
            bytes[--at] = (byte) ('0' + value % 10);
        }
        int rest = (int) value; // a division of ints takes a fraction of the time
        do {
            bytes[--at] = (byte) ('0' + rest % 10);
            rest /= 10;
        } while (rest > 0);
    }

    void number(BigInteger value) {
        if (value.bitLength() < Long.SIZE) {
            number(value.longValue());
            return;
        }
        // 10^1000 has 3322 bits; rendering a much larger number as text would take seconds
        String text = value.bitLength() > 3_400 ? "" : value.abs().toString();
        if (text.isEmpty() || text.length() > MAX_DIGITS) {
            throw new Unwritable("a number of more than " + MAX_DIGITS + " digits can't be read back; "
                    + "pass it as text in a form of your own");
        }
        if (value.signum() < 0) {
            raw('-');
        }
        ascii(text);
    }

    void number(double value) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            throw new Unwritable("NaN and Infinity have no JSON form; pass null or text instead");
        }
        decimal(NumberOutput.toString(value, true));
    }

    void number(float value) {
        if (Float.isNaN(value) || Float.isInfinite(value)) {
            throw new Unwritable("NaN and Infinity have no JSON form; pass null or text instead");
        }
        decimal(NumberOutput.toString(value, true));
    }

    /**
     * Writes a decimal as text: Ruby would turn a JSON number into a float. In plain notation, unless only an exponent
     * keeps its scale.
     */
    void number(BigDecimal value) {
        // checked before rendering: 1E+99999999 would become text of a hundred million digits
        if (value.precision() > MAX_DIGITS || Math.abs((long) value.scale()) > MAX_DIGITS) {
            throw new Unwritable("a decimal of more than " + MAX_DIGITS + " digits in plain notation can't be read "
                    + "back; pass it as text in a form of your own");
        }
        raw('"');
        ascii(text(value));
        raw('"');
    }

    /** The text of a decimal; plain notation would turn 1E+3, which has one digit, into 1000, which has four. */
    static String text(BigDecimal value) {
        return value.scale() < 0 ? value.toString() : value.toPlainString();
    }

    void string(String text) {
        int count = text.length();
        ensure(count + 2);
        bytes[length++] = '"';
        for (int i = 0; i < count; i++) {
            char c = text.charAt(i);
            if (c < 0x80 && c >= ' ' && c != '"' && c != '\\') {
                bytes[length++] = (byte) c;
            } else if (c < 0x80) {
                escape(c, count - i);
            } else {
                i += utf8(text, i);
            }
        }
        bytes[length++] = '"';
    }

    private void escape(char c, int remaining) {
        // room for the escape, one byte for each following character, and the closing quote
        ensure(6 + remaining);
        bytes[length++] = '\\';
        switch (c) {
            case '"', '\\' -> bytes[length++] = (byte) c;
            case '\b' -> bytes[length++] = 'b';
            case '\f' -> bytes[length++] = 'f';
            case '\n' -> bytes[length++] = 'n';
            case '\r' -> bytes[length++] = 'r';
            case '\t' -> bytes[length++] = 't';
            default -> {
                bytes[length++] = 'u';
                bytes[length++] = '0';
                bytes[length++] = '0';
                bytes[length++] = HEX[c >> 4];
                bytes[length++] = HEX[c & 0xf];
            }
        }
    }

    /** Appends the character at an index as UTF-8; returns the number of further chars consumed. */
    private int utf8(String text, int i) {
        ensure(4 + text.length() - i);
        char c = text.charAt(i);
        if (c < 0x800) {
            bytes[length++] = (byte) (0xc0 | c >> 6);
            bytes[length++] = (byte) (0x80 | c & 0x3f);
            return 0;
        }
        if (!Character.isSurrogate(c)) {
            bytes[length++] = (byte) (0xe0 | c >> 12);
            bytes[length++] = (byte) (0x80 | c >> 6 & 0x3f);
            bytes[length++] = (byte) (0x80 | c & 0x3f);
            return 0;
        }
        if (Character.isLowSurrogate(c) || i + 1 == text.length() || !Character.isLowSurrogate(text.charAt(i + 1))) {
            throw new Unwritable("the text is not valid Unicode (half of a surrogate pair at character " + i
                    + "); clean the text first");
        }
        int codePoint = Character.toCodePoint(c, text.charAt(i + 1));
        bytes[length++] = (byte) (0xf0 | codePoint >> 18);
        bytes[length++] = (byte) (0x80 | codePoint >> 12 & 0x3f);
        bytes[length++] = (byte) (0x80 | codePoint >> 6 & 0x3f);
        bytes[length++] = (byte) (0x80 | codePoint & 0x3f);
        return 1;
    }

    /**
     * Formats the shortest digits of a floating-point number as Ruby's json 2.21 does.
     *
     * <p>For about one in 250 numbers of full precision json 2.21 itself writes other digits, which are not the
     * shortest or not the nearest; earlier versions always wrote these.
     */
    private void decimal(String shortest) {
        StringBuilder digits = new StringBuilder(24);
        int exponent = 0; // of the digits, read as a whole number
        boolean fraction = false;
        for (int i = 0; i < shortest.length(); i++) {
            char c = shortest.charAt(i);
            if (c == '-') {
                raw('-');
            } else if (c == '.') {
                fraction = true;
            } else if (c == 'E') {
                exponent += Integer.parseInt(shortest, i + 1, shortest.length(), 10);
                break;
            } else {
                if (digits.length() > 0 || c != '0') {
                    digits.append(c);
                }
                exponent -= fraction ? 1 : 0;
            }
        }
        if (digits.length() == 0) {
            ascii("0.0");
            return;
        }
        int count = digits.length();
        while (digits.charAt(count - 1) == '0') {
            count--;
            exponent++;
        }
        digits.setLength(count);
        int magnitude = exponent + count - 1;
        if (exponent >= 0 && magnitude < 15) {
            digits.append("0".repeat(exponent)).append(".0");
        } else if (exponent < 0 && (exponent > -7 || Math.abs(magnitude) < 10)) {
            if (magnitude < 0) {
                digits.insert(0, "0".repeat(-magnitude)).insert(1, '.');
            } else {
                digits.insert(magnitude + 1, '.');
            }
        } else {
            if (count > 1) {
                digits.insert(1, '.');
            }
            digits.append(magnitude < 0 ? "e-" : "e+").append(Math.abs(magnitude));
        }
        ascii(digits);
    }

    private void ascii(CharSequence text) {
        int count = text.length();
        ensure(count);
        for (int i = 0; i < count; i++) {
            bytes[length++] = (byte) text.charAt(i);
        }
    }

    private void ensure(int more) {
        if (more > bytes.length - length) {
            if (more > MAX_CAPACITY - length) {
                throw new Unwritable("the text is larger than an array can be; store the data elsewhere and pass "
                        + "a reference to it");
            }
            long wanted = Math.max((long) length + more, 2L * bytes.length);
            bytes = Arrays.copyOf(bytes, (int) Math.min(wanted, MAX_CAPACITY));
        }
    }
}
