package dev.jobs.codec;

import dev.jobs.Internal;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/**
 * For code that must continue after any exception or error, except when memory ran out. An {@link OutOfMemoryError} for
 * an array or a text that no JVM can have is an error of the code that asked for it: memory is not short.
 */
@Internal
public final class AnyFailure {

    /** Exceptions that only carry another one. Code that wraps an error in anything else caught it on purpose. */
    private static final Set<Class<?>> CARRIERS = Set.of(
            ExecutionException.class,
            CompletionException.class,
            InvocationTargetException.class,
            UndeclaredThrowableException.class);

    /** How the JVM and the JDK begin when they say that a size is above the limit of any array, whatever the heap. */
    private static final String[] TOO_LARGE = {
        "Requested array size exceeds VM limit",
        "Requested string length exceeds VM limit",
        "Required ",
        "Repeating ",
        "Overflow: String length out of range",
        "UTF16 String size is ",
        "String size ",
        "Encoded size is too large",
        "Pattern too complex",
        "too large to fit in a String"
    };

    private static final int MOST_CARRIERS = 20;

    private AnyFailure() {}

    /**
     * Returns the failure if it says that memory ran out, or the one that it only carries from another thread or from a
     * call by reflection; else null.
     */
    public static @Nullable OutOfMemoryError outOfMemory(Throwable failure) {
        Throwable each = failure;
        for (int i = 0; i < MOST_CARRIERS && each != null && CARRIERS.contains(each.getClass()); i++) {
            each = each.getCause();
        }
        return each instanceof OutOfMemoryError error && !isTooLarge(error.getMessage()) ? error : null;
    }

    private static boolean isTooLarge(@Nullable String message) {
        if (message != null) {
            for (String beginning : TOO_LARGE) { // without a new object, since memory may be short
                if (message.startsWith(beginning)) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * Rethrows the error if memory ran out: that concerns the whole process, not just the code where it happened.
     */
    public static void passOutOfMemory(Throwable failure) {
        OutOfMemoryError error = outOfMemory(failure);
        if (error != null) {
            throw error;
        }
    }

    /** Logs a failure, even if its own methods throw. Throws nothing unless memory runs out. */
    public static void log(Logger log, Level level, String message, Throwable failure) {
        try {
            log.atLevel(level).setCause(failure).log(message);
        } catch (Throwable e) {
            passOutOfMemory(e);
            logName(log, level, message, failure);
        }
    }

    private static void logName(Logger log, Level level, String message, Throwable failure) {
        try {
            log.atLevel(level).log(message + ": " + failure.getClass().getName());
        } catch (Throwable e) {
            passOutOfMemory(e); // logging itself doesn't work
        }
    }
}
