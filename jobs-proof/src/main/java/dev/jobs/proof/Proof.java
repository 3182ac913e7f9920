package dev.jobs.proof;

/** Whether the proof runs the tests of this JVM. */
public final class Proof {

    private Proof() {}

    /** For tests that the everyday command runs with fewer variants. False in an IDE. */
    public static boolean isRunning() {
        return Boolean.getBoolean("jobs.proof.running");
    }
}
