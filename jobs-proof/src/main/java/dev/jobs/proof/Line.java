package dev.jobs.proof;

/**
 * A test that was to run.
 *
 * @param reason why it was skipped; empty for others
 */
record Line(Kind kind, Result result, long milliseconds, String reason) {

    enum Result {
        PASSED,
        FAILED,
        SKIPPED
    }

    Line {
        reason = reason.replaceAll("\\s+", " ");
    }

    static Line parse(String text) {
        String[] parts = text.split("\t", -1);
        return new Line(Kind.valueOf(parts[0]), Result.valueOf(parts[1]), Long.parseLong(parts[2]), parts[3]);
    }

    /** What {@link #parse} reads. */
    @Override
    public String toString() {
        return String.join("\t", kind.name(), result.name(), Long.toString(milliseconds), reason);
    }
}
