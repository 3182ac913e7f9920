package dev.jobs.dashboard;

/** A request that can't be answered as it was meant: a status, a code for programs, and a sentence for people. */
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
