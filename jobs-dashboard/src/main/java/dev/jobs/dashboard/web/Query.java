package dev.jobs.dashboard.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Reads parameters from the part of an address behind its question mark. Servers differ in what they make of malformed
 * ones; here they are errors.
 */
final class Query {

    private Query() {}

    /**
     * The first value of a parameter, empty if it has no value; null if there is no such parameter.
     *
     * @throws IllegalArgumentException if the query has parts up to there that are not UTF-8, percent-encoded
     */
    static @Nullable String parameter(@Nullable String query, String name) {
        if (query != null) {
            for (String pair : query.split("&")) {
                int end = pair.indexOf('=');
                if (decoded(end < 0 ? pair : pair.substring(0, end)).equals(name)) {
                    return end < 0 ? "" : decoded(pair.substring(end + 1));
                }
            }
        }
        return null;
    }

    private static String decoded(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
        for (int at = 0; at < text.length(); at++) {
            char each = text.charAt(at);
            if (each == '%') {
                if (at + 2 >= text.length()) {
                    throw new IllegalArgumentException("An encoded character is cut off");
                }
                bytes.write(HexFormat.fromHexDigits(text, at + 1, at + 3));
                at += 2;
            } else if (each == '+') {
                bytes.write(' ');
            } else if (each < 0x80) {
                bytes.write(each);
            } else {
                throw new IllegalArgumentException("A character is not encoded");
            }
        }
        try {
            return UTF_8.newDecoder()
                    .decode(ByteBuffer.wrap(bytes.toByteArray()))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("Not UTF-8", e);
        }
    }
}
