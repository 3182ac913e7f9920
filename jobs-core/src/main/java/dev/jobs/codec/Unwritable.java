package dev.jobs.codec;

/** Carries the reason why a value can't be written, and collects the path to the value while it propagates. */
final class Unwritable extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String reason;
    private String path = "";

    Unwritable(String reason) {
        super(reason, null, false, false);
        this.reason = reason;
    }

    Unwritable inside(int index) {
        path = JsonPath.index(index) + path;
        return this;
    }

    Unwritable inside(String name) {
        path = JsonPath.name(name) + path;
        return this;
    }

    String reason() {
        return reason;
    }

    /** The path to the value from the outermost one, such as {@code [0].price}; empty for the outermost one itself. */
    String path() {
        return path;
    }
}
