package dev.jobs.redis;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.JobStoreException.Kind;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Translates errors of Redis for callers. */
@Internal
public final class RedisErrors {

    private RedisErrors() {}

    static JobStoreException translate(Throwable error, Duration timeout) {
        if (error instanceof JobStoreException known) {
            return known;
        }
        if (error instanceof RedisCommandTimeoutException) {
            return new JobStoreException(
                    Kind.TIMEOUT, "Redis did not answer within " + timeout.toMillis() + " ms", error);
        }
        if (error instanceof RedisCommandExecutionException) {
            String message = String.valueOf(error.getMessage());
            Kind kind = kind(message);
            return new JobStoreException(kind, explain(kind, message) + ": " + message, error);
        }
        return new JobStoreException(Kind.UNREACHABLE, "Redis can't be reached: " + rootMessage(error), error);
    }

    /** What a script was refused and answers as a text. */
    public static JobStoreException ofScript(String error) {
        return translate(new RedisCommandExecutionException(error), Duration.ZERO);
    }

    /** Whether a repetition may succeed soon. A command that timed out has used up its time. */
    public static boolean isWorthRepeating(JobStoreException e) {
        return !(e instanceof NoClientException)
                && (e.kind() == Kind.UNREACHABLE || e.kind() == Kind.BUSY || e.kind() == Kind.READ_ONLY);
    }

    /** Whether the failed command may have been executed: false only if it was refused or never sent. */
    public static boolean mayHaveRun(JobStoreException e) {
        return switch (e.kind()) {
            case TIMEOUT, OTHER -> true;
            case UNREACHABLE ->
                e.getCause() != null
                        && !(e.getCause() instanceof RedisConnectionException)
                        && !isRejected(e.getCause());
            default -> false;
        };
    }

    /** Whether Lettuce did not send the command, since the connection is lost. */
    static boolean isRejected(Throwable failure) {
        return String.valueOf(failure.getMessage()).contains("Commands are rejected");
    }

    static String rootMessage(Throwable error) {
        Throwable root = error;
        while (root.getCause() != null && root.getCause() != root) {
            root = root.getCause();
        }
        return root.getMessage() == null ? root.getClass().getSimpleName() : root.getMessage();
    }

    /** Redis 6.2 wraps errors of scripts, and scripts rethrow errors, so the word may be anywhere in the text. */
    private static Kind kind(String message) {
        if (message.contains("READONLY")
                || message.contains("UNBLOCKED")
                || message.contains("MASTERDOWN")
                || message.startsWith("MOVED ")) {
            return Kind.READ_ONLY;
        }
        if (message.contains("OOM ")) {
            return Kind.FULL;
        }
        if (message.contains("MISCONF") || message.contains("NOREPLICAS")) {
            return Kind.UNSAFE;
        }
        if (message.contains("LOADING")
                || message.contains("BUSY")
                || message.contains("CLUSTERDOWN")
                || message.contains("TRYAGAIN")
                || message.startsWith("ASK ")) {
            return Kind.BUSY;
        }
        if (message.contains("NOAUTH")
                || message.contains("WRONGPASS")
                || message.contains("NOPERM")
                || message.contains("ACL failure in script") // since Redis 7.2
                || message.contains("The user executing the script can't")) {
            return Kind.DENIED;
        }
        if (message.contains("WRONGTYPE")) {
            return Kind.WRONG_TYPE;
        }
        return Kind.OTHER;
    }

    /**
     * Whether another node may answer where this one doesn't: it is a replica or has lost the hash slot, is silent, or
     * is cut off from the rest of its cluster.
     */
    static boolean isBetterElsewhere(JobStoreException e) {
        return switch (e.kind()) {
            case READ_ONLY, TIMEOUT -> true;
            case BUSY -> String.valueOf(e.getMessage()).contains("CLUSTERDOWN");
            default -> false;
        };
    }

    private static String explain(Kind kind, String message) {
        if (message.startsWith("MOVED ")) {
            return "Another node of the Redis Cluster has the jobs now";
        }
        if (message.startsWith("ASK ") || message.contains("TRYAGAIN")) {
            return "The hash slot of the jobs is being moved to another node of the Redis Cluster";
        }
        if (message.contains("CLUSTERDOWN")) {
            return "The Redis Cluster does not serve all its hash slots";
        }
        return switch (kind) {
            case READ_ONLY -> "Redis is a read-only replica";
            case FULL -> "Redis is full (maxmemory) and takes no new data";
            case UNSAFE -> "Redis refuses writes because it can't persist or replicate them";
            case BUSY -> "Redis is busy";
            case DENIED -> "Redis denies access";
            case WRONG_TYPE -> "A key in Redis holds another type than it should";
            default -> "Redis refused a command";
        };
    }

    /** What a future reports, without the exceptions that only carry it. */
    static Throwable cause(Throwable failure) {
        Throwable cause = failure.getCause();
        boolean wrapper = failure instanceof CompletionException || failure instanceof ExecutionException;
        return wrapper && cause != null ? cause(cause) : failure;
    }
}
