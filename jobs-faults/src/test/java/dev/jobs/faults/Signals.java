package dev.jobs.faults;

import java.io.IOException;
import java.io.UncheckedIOException;

/** Sends signals to processes, as {@code kill} does. */
final class Signals {

    private Signals() {}

    /** @param signal such as {@code STOP} */
    static void send(String signal, long pid) {
        try {
            int exit = new ProcessBuilder("kill", "-" + signal, Long.toString(pid))
                    .inheritIO()
                    .start()
                    .waitFor();
            if (exit != 0) {
                throw new IllegalStateException("kill -" + signal + " " + pid + " failed");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
