package dev.jobs;

import org.jspecify.annotations.Nullable;

/** Redis could not be reached, or refused a command. */
public class JobStoreException extends JobsException {

    private static final long serialVersionUID = 1L;

    /** The cause, as far as callers may want to distinguish. */
    public enum Kind {
        /** No connection, or the connection broke before the answer arrived. */
        UNREACHABLE,
        /** No answer within the command timeout; the command may still have been executed. */
        TIMEOUT,
        /**
         * The server is a read-only replica, or the node of a cluster that doesn't have the jobs any more, which
         * happens briefly during a failover or when hash slots are moved.
         */
        READ_ONLY,
        /** The server has reached {@code maxmemory} and accepts no new data. */
        FULL,
        /**
         * The server is loading its data or running a long script, or a cluster is being reconfigured or doesn't serve
         * all its hash slots: worth another try.
         */
        BUSY,
        /** The server can't persist or replicate and refuses writes ({@code MISCONF}, {@code NOREPLICAS}). */
        UNSAFE,
        /** Wrong credentials or missing rights. */
        DENIED,
        /** A key holds a value of the wrong type. */
        WRONG_TYPE,
        /** Any other cause. */
        OTHER
    }

    private final Kind kind;
    private final boolean mayHaveRun;

    public JobStoreException(Kind kind, String message, @Nullable Throwable cause) {
        this(
                kind,
                message,
                cause,
                switch (kind) {
                    case UNREACHABLE, TIMEOUT, OTHER -> true;
                    case READ_ONLY, FULL, BUSY, UNSAFE, DENIED, WRONG_TYPE -> false;
                });
    }

    /** @param mayHaveRun what {@link #mayHaveRun()} says, if more is known than the kind */
    public JobStoreException(Kind kind, String message, @Nullable Throwable cause, boolean mayHaveRun) {
        super(message, cause);
        this.kind = kind;
        this.mayHaveRun = mayHaveRun;
    }

    /** The cause; {@link #mayHaveRun} says whether the command may have been executed. */
    public Kind kind() {
        return kind;
    }

    /** Whether nothing can be said of Redis but that it doesn't answer. */
    @Internal
    public boolean isAway() {
        return kind == Kind.UNREACHABLE || kind == Kind.TIMEOUT;
    }

    /** Whether the command may have been executed all the same, or an earlier attempt at it. */
    public boolean mayHaveRun() {
        return mayHaveRun;
    }
}
