package dev.jobs.codec;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/** For code that must continue after any exception or error except an {@link OutOfMemoryError}. */
public final class AnyFailure {

    /** Exceptions that only carry another one. Code that wraps an error in anything else caught it on purpose. */
    private static final Set<Class<?>> CARRIERS = Set.of(
            ExecutionException.class,
            CompletionException.class,
            InvocationTargetException.class,
            UndeclaredThrowableException.class);

    private static final int MOST_CARRIERS = 20;

    private AnyFailure() {}

    /**
     * Returns the failure if it is an {@link OutOfMemoryError}, or the one that it only carries from another thread or
     * from a call by reflection; else null.
     */
    public static @Nullable OutOfMemoryError outOfMemory(Throwable failure) {
        Throwable each = failure;
        for (int i = 0; i < MOST_CARRIERS && each != null && CARRIERS.contains(each.getClass()); i++) {
            each = each.getCause();
        }
        return each instanceof OutOfMemoryError error ? error : null;
    }

    /**
     * Rethrows an {@link OutOfMemoryError}: running out of memory concerns the whole process, not just the code where
     * it happened.
     */
    public static void passOutOfMemory(Throwable failure) {
        OutOfMemoryError error = outOfMemory(failure);
        if (error != null) {
            throw error;
        }
    }

    /** Logs a failure, even if its own methods throw. Throws nothing but an {@link OutOfMemoryError}. */
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
