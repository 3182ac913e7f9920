package dev.jobs.history;

import dev.jobs.codec.JsonException;
import dev.jobs.codec.JsonText;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Texts in the database. */
final class Texts {

    /** Maximum number of characters of parameters and results. */
    static final int LONGEST = 65_536;

    /** Maximum number of characters of the messages of a job. */
    private static final int LONGEST_MESSAGES = 1_000_000;

    private Texts() {}

    /** At most so many characters, without those that a database refuses. */
    static String fit(String text, int characters) {
        String clean = JsonText.wellFormed(text.indexOf('\0') < 0 ? text : text.replace('\0', '\ufffd'));
        if (clean.length() <= characters) {
            return clean;
        }
        int end = characters - 1;
        return clean.substring(0, Character.isHighSurrogate(clean.charAt(end - 1)) ? end - 1 : end) + "…";
    }

    static @Nullable String fitOrNull(@Nullable String text, int characters) {
        return text == null ? null : fit(text, characters);
    }

    /** A JSON array; null for no messages. */
    static @Nullable String json(List<String> messages) {
        if (messages.isEmpty()) {
            return null;
        }
        List<String> fitting = new ArrayList<>();
        long length = 2;
        for (String message : messages) {
            length += 2L * message.length() + 3; // quotes and backslashes take two characters
            if (length > LONGEST_MESSAGES) {
                break;
            }
            fitting.add(fit(message, LONGEST));
        }
        try {
            return new String(JsonText.encode(fitting), StandardCharsets.UTF_8);
        } catch (JsonException e) {
            throw new IllegalStateException(e); // any well-formed text has a JSON form
        }
    }

    static List<String> messages(@Nullable String json) {
        if (json == null) {
            return List.of();
        }
        try {
            return JsonText.decode(json.getBytes(StandardCharsets.UTF_8)) instanceof List<?> texts
                    ? texts.stream().map(String::valueOf).toList()
                    : List.of(json);
        } catch (JsonException e) {
            return List.of(json); // another program wrote it
        }
    }
}
