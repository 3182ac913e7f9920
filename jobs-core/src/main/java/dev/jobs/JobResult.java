package dev.jobs;

import org.jspecify.annotations.Nullable;

/**
 * How a job ended, as far as is known. Immutable.
 *
 * @param <V> what the job returns
 */
public final class JobResult<V extends @Nullable Object> {

    /** How a job ended, or that it has not. */
    public enum State {
        /** It has not ended yet, as far as is known. Not final. */
        PENDING(false),
        /** Its last execution failed, and it waits for another. Not final. */
        RETRIED(false),
        /** It is done. */
        SUCCEEDED(true),
        /** It ended with a {@link JobFailedException}. */
        FAILED(true),
        /** It is in the dead set, from where people may revive it. */
        DEAD(true),
        /** It failed, and is kept nowhere. */
        DISCARDED(true),
        /** It, or its batch, was cancelled. */
        CANCELLED(true),
        /** It was not begun in time. */
        EXPIRED(true),
        /** It was deleted, with its queue or by itself, or an enqueue middleware refused it when it was due. */
        DELETED(true),
        /** It was not stored: a middleware or the lock of another job refused it. */
        REFUSED(true),
        /** Nothing is known of its end: the result expired, was removed, or is kept nowhere. */
        UNKNOWN(false);

        private final boolean isFinal;

        State(boolean isFinal) {
            this.isFinal = isFinal;
        }

        /** Whether the job has ended. It may begin again if people revive or restore it. */
        public boolean isFinal() {
            return isFinal;
        }
    }

    private final String jid;
    private final State state;
    private final @Nullable V value;
    private final @Nullable String errorClass;
    private final @Nullable String message;

    /**
     * A result.
     *
     * @param value what the job returned; null if it returned nothing, or nothing that could be kept
     * @param errorClass the class of what the job threw, or null
     * @param message of what the job threw, or why there is no value; or null
     */
    public JobResult(
            String jid, State state, @Nullable V value, @Nullable String errorClass, @Nullable String message) {
        this.jid = jid;
        this.state = state;
        this.value = value;
        this.errorClass = errorClass;
        this.message = message;
    }

    /** The job's id. */
    public String jid() {
        return jid;
    }

    /** How the job ended, or that it has not. */
    public State state() {
        return state;
    }

    /** Whether the job is done, with or without a value. */
    public boolean isSuccess() {
        return state == State.SUCCEEDED;
    }

    /**
     * What the job returned; null if it returned null or nothing.
     *
     * @throws JobResultException if the job is not done, or if its value was too large or can't be read
     */
    public @Nullable V value() {
        if (state != State.SUCCEEDED || message != null) {
            throw new JobResultException(this);
        }
        return value;
    }

    /** The class of what the last execution threw; null if it threw nothing. */
    public @Nullable String errorClass() {
        return errorClass;
    }

    /** What people should know: the message of what the job threw, or why a job that is done has no value; or null. */
    public @Nullable String message() {
        return message;
    }

    @Override
    public String toString() {
        return "Job " + jid + " is " + state + (errorClass == null ? "" : ", " + errorClass)
                + (message == null ? "" : ": " + message);
    }
}
