package dev.jobs.spring.checkpoint;

/** Never thrown. */
public final class RestoreException extends Exception {

    private static final long serialVersionUID = 1;
}
