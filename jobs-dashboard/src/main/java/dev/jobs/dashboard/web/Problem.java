package dev.jobs.dashboard.web;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import org.jspecify.annotations.Nullable;

/** A request that can't be fulfilled: a status, a code for programs, and a sentence for people. */
@Internal
public final class Problem extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int status;
    private final String code;
    private final @Nullable String allowed;

    public Problem(int status, String code, String message) {
        this(status, code, message, null);
    }

    private Problem(int status, String code, String message, @Nullable String allowed) {
        super(message, null, false, false);
        this.status = status;
        this.code = code;
        this.allowed = allowed;
    }

    /** @param allowed the methods that the address has */
    public static Problem wrongMethod(String allowed) {
        return new Problem(405, "method", "Only " + allowed + " is allowed here", allowed);
    }

    public static Problem badParameter(String name, String expected) {
        return new Problem(400, "bad-parameter", "'" + name + "' must be " + expected);
    }

    public static Problem notFound(String message) {
        return new Problem(404, "not-found", message);
    }

    public static Problem redis(JobStoreException e) {
        String code =
                switch (e.kind()) {
                    case UNREACHABLE, TIMEOUT -> "redis";
                    case FULL -> "redis-full";
                    case WRONG_TYPE -> "redis-type";
                    case READ_ONLY, BUSY, UNSAFE, DENIED, OTHER -> "redis-refused";
                };
        return new Problem(503, code, String.valueOf(e.getMessage()));
    }

    public int status() {
        return status;
    }

    public String code() {
        return code;
    }

    /** The methods that the address has, if the problem is the method. */
    @Nullable public String allowed() {
        return allowed;
    }

    public String text() {
        return String.valueOf(getMessage());
    }
}
