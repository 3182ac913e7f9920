package dev.jobs.spring.checkpoint;

/** Never thrown. */
public final class CheckpointException extends Exception {

    private static final long serialVersionUID = 1;
}
