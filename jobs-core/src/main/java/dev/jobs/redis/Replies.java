package dev.jobs.redis;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.JobStoreException.Kind;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.ValueScanCursor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reads many keys at once. They may hold any type, since other clients write them too. */
@Internal
public final class Replies {

    /** Maximum number of names read from a set without a natural bound. */
    public static final int MOST_NAMES = 10_000;

    private static final int SCAN_PAGE = 1_000;

    private Replies() {}

    /** The answers of several commands. */
    public static <T extends @Nullable Object> CompletionStage<List<T>> all(
            List<? extends CompletionStage<T>> answers) {
        List<CompletableFuture<T>> futures = new ArrayList<>(answers.size());
        for (CompletionStage<T> answer : answers) {
            futures.add(answer.toCompletableFuture());
        }
        return CompletableFuture.allOf(futures.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> {
                    List<T> values = new ArrayList<>(futures.size());
                    futures.forEach(future -> values.add(future.join()));
                    return values;
                });
    }

    /** The answer, or a substitute if the key has the wrong type. */
    public static <T extends @Nullable Object> CompletionStage<T> unlessWrongType(
            CompletionStage<? extends T> answer, @Nullable T substitute) {
        return answer.handle((value, failure) -> {
                    CompletableFuture<T> result = new CompletableFuture<>();
                    if (failure == null) {
                        result.complete(value);
                    } else if (isWrongType(RedisErrors.translate(unwrapped(failure), Duration.ZERO))) {
                        result.complete(substitute);
                    } else {
                        result.completeExceptionally(failure);
                    }
                    return result;
                })
                .thenCompose(result -> result);
    }

    /** The value read; empty if there is none, or if the key has the wrong type. */
    public static <T> Optional<T> unlessWrongType(Supplier<? extends @Nullable T> reading) {
        try {
            return Optional.ofNullable(reading.get());
        } catch (JobStoreException e) {
            if (isWrongType(e)) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private static Throwable unwrapped(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    private static boolean isWrongType(JobStoreException e) {
        return e.kind() == Kind.WRONG_TYPE;
    }

    /** A text as a pattern that matches only itself. */
    public static String escapeGlob(String text) {
        return text.replaceAll("([\\\\*?\\[\\]^-])", "\\\\$1");
    }

    /**
     * The members of a set of names, at most {@value #MOST_NAMES}; none if the key holds no set. Only for callers that
     * say so, or that don't need all.
     */
    public static List<String> members(RedisConnection connection, byte[] key) {
        return members(connection, key, MOST_NAMES).stream().limit(MOST_NAMES).toList();
    }

    /** All members, for callers that must not miss one. */
    public static List<String> allMembers(RedisConnection connection, byte[] key) {
        return members(connection, key, Integer.MAX_VALUE);
    }

    /** All members, or at least so many. */
    public static List<String> members(RedisConnection connection, byte[] key, int enough) {
        Set<String> names = new LinkedHashSet<>();
        ScanArgs page = ScanArgs.Builder.limit(SCAN_PAGE);
        ScanCursor cursor = ScanCursor.INITIAL;
        do {
            ScanCursor from = cursor;
            Optional<ValueScanCursor<byte[]>> found =
                    unlessWrongType(() -> connection.run(commands -> commands.sscan(key, from, page)));
            if (found.isEmpty()) {
                break;
            }
            for (byte[] name : found.get().getValues()) {
                names.add(Bytes.text(name));
            }
            cursor = found.get();
        } while (!cursor.isFinished() && names.size() < enough);
        return List.copyOf(names);
    }
}
