package dev.jobs.engine;

import dev.jobs.codec.OneLine;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A failure and its causes as they may be logged: with what is hidden left out of their messages, and with messages that can't be taken for
 * lines of their own. Class names and frames are those of the failure.
 */
final class ShownFailure extends Throwable {

    private static final long serialVersionUID = 1L;

    private static final int MESSAGE_CHARACTERS = 2_000;
    private static final int MOST_CAUSES = 20;

    private ShownFailure(String message, StackTraceElement[] frames, @Nullable Throwable cause) {
        super(message, cause, false, true);
        setStackTrace(frames);
    }

    /**
     * The failure itself if all of it may be shown.
     *
     * @param mask hides what must not be seen in a text
     */
    static Throwable of(Throwable failure, UnaryOperator<String> mask) {
        try {
            List<Throwable> chain = new ArrayList<>();
            for (Throwable each = failure; each != null && chain.size() < MOST_CAUSES; each = each.getCause()) {
                chain.add(each);
            }
            boolean asItIs = chain.size() < MOST_CAUSES;
            Throwable shown = null;
            for (int i = chain.size() - 1; i >= 0; i--) {
                Throwable each = chain.get(i);
                String message = each.getMessage();
                String seen = message == null ? null : OneLine.of(mask.apply(message), MESSAGE_CHARACTERS);
                asItIs &= Objects.equals(message, seen) && each.getSuppressed().length == 0;
                shown = new ShownFailure(text(each, seen), each.getStackTrace(), shown);
            }
            return asItIs || shown == null ? failure : shown;
        } catch (Exception | LinkageError | AssertionError | StackOverflowError e) {
            return new ShownFailure(text(failure, "(it can't be read)"), new StackTraceElement[0], null);
        }
    }

    private static String text(Throwable failure, @Nullable String message) {
        String name = failure.getClass().getName();
        return message == null ? name : name + ": " + message;
    }

    /** Without the name of this class: the message has that of the failure. */
    @Override
    public String toString() {
        return String.valueOf(getMessage());
    }
}
