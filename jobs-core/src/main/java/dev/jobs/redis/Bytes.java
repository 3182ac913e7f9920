package dev.jobs.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.Internal;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Converts arguments and answers of scripts from and to bytes. */
@Internal
public final class Bytes {

    private static final byte[][] SMALL = new byte[256][];

    static {
        for (int i = 0; i < SMALL.length; i++) {
            SMALL[i] = Integer.toString(i).getBytes(ISO_8859_1);
        }
    }

    private Bytes() {}

    public static byte[] of(String text) {
        return text.getBytes(UTF_8);
    }

    public static byte[] of(long number) {
        return number >= 0 && number < SMALL.length
                ? SMALL[(int) number]
                : Long.toString(number).getBytes(ISO_8859_1);
    }

    public static String text(@Nullable Object answer) {
        return answer == null ? "" : new String((byte[]) answer, UTF_8);
    }

    /** A text with a name on each line. */
    public static List<String> lines(@Nullable Object answer) {
        String text = text(answer);
        return text.isEmpty() ? List.of() : List.of(text.split("\n"));
    }

    /** A number returned as an integer, or as text as {@code TIME} returns it. */
    public static long number(@Nullable Object answer) {
        return answer instanceof Long number ? number : Long.parseLong(text(answer));
    }

    /** The SHA-1 in hexadecimal, as {@code redis.sha1hex} returns it. */
    public static String sha1(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    @SuppressWarnings("unchecked")
    public static List<Object> list(Object answer) {
        return (List<Object>) answer;
    }
}
