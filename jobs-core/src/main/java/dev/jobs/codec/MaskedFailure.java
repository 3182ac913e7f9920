package dev.jobs.codec;

import dev.jobs.Internal;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A failure and its causes as they may be logged: masked values are left out of the messages, and no message can be
 * taken for another log line. Class names and frames are those of the failure.
 */
@Internal
public final class MaskedFailure extends Throwable {

    private static final long serialVersionUID = 1L;

    private static final int MESSAGE_CHARACTERS = 2_000;
    private static final int MOST_CAUSES = 20;

    private MaskedFailure(String message, StackTraceElement[] frames, @Nullable Throwable cause) {
        super(message, cause, false, true);
        setStackTrace(frames);
    }

    /**
     * Returns the failure itself if all of it may be shown.
     *
     * @param mask hides secret values in a text
     */
    public static Throwable of(Throwable failure, UnaryOperator<String> mask) {
        try {
            Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
            return isPlain(failure, mask, seen) ? failure : copy(failure, mask, MOST_CAUSES);
        } catch (Throwable e) {
            AnyFailure.passOutOfMemory(e);
            return new MaskedFailure(text(failure, "(it can't be read)"), new StackTraceElement[0], null);
        }
    }

    /** A stack trace begins with toString(), which may be more than class and message. */
    private static boolean isPlain(Throwable failure, UnaryOperator<String> mask, Set<Throwable> seen) {
        Throwable cause = failure.getCause();
        return seen.size() < MOST_CAUSES
                && seen.add(failure)
                && failure.toString().equals(text(failure, message(failure, mask)))
                && (cause == null || isPlain(cause, mask, seen))
                && Stream.of(failure.getSuppressed()).allMatch(each -> isPlain(each, mask, seen));
    }

    /** With causes, but without suppressed failures. */
    private static MaskedFailure copy(Throwable failure, UnaryOperator<String> mask, int most) {
        Throwable cause = failure.getCause();
        return new MaskedFailure(
                text(failure, message(failure, mask)),
                failure.getStackTrace(),
                cause == null || most == 1 ? null : copy(cause, mask, most - 1));
    }

    private static @Nullable String message(Throwable failure, UnaryOperator<String> mask) {
        String message = failure.getMessage();
        return message == null ? null : OneLine.of(mask.apply(message), MESSAGE_CHARACTERS);
    }

    private static String text(Throwable failure, @Nullable String message) {
        String name = failure.getClass().getName();
        return message == null ? name : name + ": " + message;
    }

    /** Without the name of this class, because the message contains that of the failure. */
    @Override
    public String toString() {
        return String.valueOf(getMessage());
    }
}
