package dev.jobs.dashboard;

import dev.jobs.JobStoreException;

/** A request that can't be fulfilled: a status, a code for programs, and a sentence for people. */
final class Problem extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int status;
    private final String code;

    Problem(int status, String code, String message) {
        super(message, null, false, false);
        this.status = status;
        this.code = code;
    }

    static Problem badParameter(String name, String expected) {
        return new Problem(400, "bad-parameter", "'" + name + "' must be " + expected);
    }

    static Problem notFound(String message) {
        return new Problem(404, "not-found", message);
    }

    static Problem redis(JobStoreException e) {
        String code =
                switch (e.kind()) {
                    case UNREACHABLE, TIMEOUT -> "redis";
                    case FULL -> "redis-full";
                    case WRONG_TYPE -> "redis-type";
                    case READ_ONLY, BUSY, UNSAFE, DENIED, OTHER -> "redis-refused";
                };
        return new Problem(503, code, String.valueOf(e.getMessage()));
    }

    int status() {
        return status;
    }

    String code() {
        return code;
    }

    String text() {
        return String.valueOf(getMessage());
    }
}
