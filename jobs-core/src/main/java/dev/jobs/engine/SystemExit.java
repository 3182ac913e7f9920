package dev.jobs.engine;

/** Recognises threads that called {@code System.exit}: they wait for the end of the process, which they began. */
final class SystemExit {

    /** What is noted of a job that called it. */
    static final String REASON = "System.exit: The job called it";

    private SystemExit() {}

    static boolean isIn(Thread thread) {
        return isIn(thread.getStackTrace());
    }

    static boolean isIn(StackTraceElement[] stack) {
        for (StackTraceElement frame : stack) {
            if (frame.getClassName().equals("java.lang.Runtime")
                    && frame.getMethodName().equals("exit")) {
                return true;
            }
        }
        return false;
    }
}
