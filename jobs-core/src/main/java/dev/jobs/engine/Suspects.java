package dev.jobs.engine;

import java.util.concurrent.Semaphore;

/**
 * Lets one suspect at a time into the process: a job that outlived its worker so often that one more time buries it. If two ran together,
 * the crash that one of them causes would bury the other too. Thread-safe.
 */
final class Suspects {

    private final int recoveries;
    private final Semaphore room = new Semaphore(1);

    /** @param maxRecoveries the number of recoveries that buries a job */
    Suspects(int maxRecoveries) {
        this.recoveries = threshold(maxRecoveries);
    }

    /** From how many recoveries on a job is a suspect. */
    static int threshold(int maxRecoveries) {
        return Math.max(1, maxRecoveries - 1);
    }

    boolean isOne(int recoveries) {
        return recoveries >= this.recoveries;
    }

    boolean tryAcquire() {
        return room.tryAcquire();
    }

    void release() {
        room.release();
    }
}
