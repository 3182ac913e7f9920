package dev.jobs.faults;

/** How much of a fault: a little in every build, or as much as it takes to find what happens rarely. */
enum Dose {
    SHORT,
    LONG;

    /** What the system property {@code jobs.faults.dose} says, by default {@link #SHORT}. */
    static Dose current() {
        return valueOf(System.getProperty("jobs.faults.dose", "short").toUpperCase(java.util.Locale.ROOT));
    }

    <T> T of(T little, T much) {
        return this == SHORT ? little : much;
    }
}
