package dev.jobs.codec;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/** For those who have to go on whatever is thrown, unless memory ran out. */
public final class AnyFailure {

    /** These carry what was thrown elsewhere. Code that wraps it in anything else has caught it on purpose. */
    private static final Set<Class<?>> CARRIERS = Set.of(
            ExecutionException.class,
            CompletionException.class,
            InvocationTargetException.class,
            UndeclaredThrowableException.class);

    private static final int MOST_CARRIERS = 20;

    private AnyFailure() {}

    /** The failure if it says that memory ran out, or that of another thread or of a call by reflection which it only carries; or null. */
    public static @Nullable OutOfMemoryError outOfMemory(Throwable failure) {
        Throwable each = failure;
        for (int i = 0; i < MOST_CARRIERS && each != null && CARRIERS.contains(each.getClass()); i++) {
            each = each.getCause();
        }
        return each instanceof OutOfMemoryError error ? error : null;
    }

    /** Throws on what says that memory ran out: it is no business of the one piece of code that it happened to. */
    public static void passOutOfMemory(Throwable failure) {
        OutOfMemoryError error = outOfMemory(failure);
        if (error != null) {
            throw error;
        }
    }

    /** Logs a failure, be it one that throws when it is asked what it is. Throws nothing but an {@link OutOfMemoryError}. */
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
            passOutOfMemory(e); // there is no log to be had
        }
    }
}
