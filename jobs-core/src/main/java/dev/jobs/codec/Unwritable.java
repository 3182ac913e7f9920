package dev.jobs.codec;

/** Carries the reason why a value has no JSON text, and collects on its way out where the value stands. */
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

    /** Where the value stands inside what was to be written, such as {@code [0].price}; empty for the whole. */
    String path() {
        return path;
    }
}
