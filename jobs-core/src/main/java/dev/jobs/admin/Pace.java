package dev.jobs.admin;

/**
 * How many jobs to read at once: one at first, since nobody knows how large they are, then more and more as long as they make no more than
 * a few megabytes. Confined to one thread.
 */
final class Pace {

    private static final int MOST = 100;
    private static final int GROWTH = 4;
    private static final long BYTES = 4L * 1_024 * 1_024;

    private int next = 1;

    int next() {
        return next;
    }

    /** Tells what a read brought. */
    void took(int jobs, long bytes) {
        long fitting = jobs * BYTES / Math.max(1, bytes);
        next = (int) Math.max(1, Math.min(Math.min(MOST, (long) GROWTH * Math.max(1, jobs)), fitting));
    }
}
