package dev.jobs.faults;

/** The amount of a fault: a little in every build, or enough to find rare failures. */
enum Dose {
    SHORT,
    LONG;

    /** The value of the system property {@code jobs.faults.dose}, by default {@link #SHORT}. */
    static Dose current() {
        return valueOf(System.getProperty("jobs.faults.dose", "short").toUpperCase(java.util.Locale.ROOT));
    }

    <T> T of(T little, T much) {
        return this == SHORT ? little : much;
    }
}
