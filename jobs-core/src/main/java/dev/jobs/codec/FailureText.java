package dev.jobs.codec;

import dev.jobs.Internal;
import java.util.ArrayList;
import java.util.List;

/** What is stored of something thrown, as far as it can be read: its methods may throw something themselves. */
@Internal
public final class FailureText {

    private static final int CHARACTERS = 10_000;
    private static final int MOST_LINES = 1_000;

    private FailureText() {}

    /** The message of an error as far as it can be read and stored; its class if it has none. */
    public static String message(Throwable failure) {
        String message;
        try {
            message = failure.getMessage();
        } catch (Throwable e) {
            AnyFailure.passOutOfMemory(e);
            message = "(its message could not be read: " + e.getClass().getName() + ")";
        }
        if (message == null) {
            message = failure.getClass().getName();
        }
        return storable(message);
    }

    /**
     * The first lines of its stack; none if it can't be read.
     *
     * @param lines how many; at most 1,000 are returned
     */
    public static List<String> stack(Throwable failure, long lines) {
        StackTraceElement[] stack = stack(failure);
        List<String> frames = new ArrayList<>();
        for (int i = 0; i < stack.length && i < Math.min(lines, MOST_LINES); i++) {
            frames.add(storable(stack[i].toString()));
        }
        return frames;
    }

    private static StackTraceElement[] stack(Throwable failure) {
        try {
            return failure.getStackTrace();
        } catch (Throwable e) {
            AnyFailure.passOutOfMemory(e);
            return new StackTraceElement[0];
        }
    }

    /** The first characters of a text, without unpaired surrogates, which JSON can't carry. */
    private static String storable(String text) {
        boolean fits = text.length() <= CHARACTERS || text.codePointCount(0, text.length()) <= CHARACTERS;
        return JsonText.wellFormed(fits ? text : text.substring(0, text.offsetByCodePoints(0, CHARACTERS)));
    }
}
