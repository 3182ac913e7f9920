package dev.jobs.admin;

import dev.jobs.Internal;
import java.util.Arrays;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The text by which a caller lets an action go on where it stopped: numbers with underscores between them. */
@Internal
public final class CursorText {

    private static final int MOST_CHARACTERS = 200;

    private CursorText() {}

    public static String of(Number... numbers) {
        return Arrays.stream(numbers).map(String::valueOf).collect(Collectors.joining("_"));
    }

    /**
     * Reads a cursor.
     *
     * @param numbers how many it has
     * @param reader makes it of the texts of the numbers; null if they are out of range
     * @throws IllegalArgumentException if no such action wrote the text
     */
    public static <T> T parse(String text, int numbers, Function<String[], @Nullable T> reader) {
        String[] parts = text.length() > MOST_CHARACTERS ? new String[0] : text.split("_", -1);
        T cursor = null;
        try {
            cursor = parts.length == numbers ? reader.apply(parts) : null;
        } catch (NumberFormatException e) {
            // reported below
        }
        if (cursor == null) {
            throw new IllegalArgumentException("'cursor' must be that of the previous answer, or none");
        }
        return cursor;
    }
}
