package dev.jobs;

import org.jspecify.annotations.Nullable;

/** Redis could not be reached, or refused a command. */
public class JobStoreException extends JobsException {

    private static final long serialVersionUID = 1L;

    /** What went wrong, as far as a caller may want to tell cases apart. */
    public enum Kind {
        /** No connection, or it broke before the answer came. */
        UNREACHABLE,
        /** No answer within the command timeout; the command may still have been executed. */
        TIMEOUT,
        /** The server is a read-only replica, as for a moment during a failover. */
        READ_ONLY,
        /** The server is at {@code maxmemory} and takes no new data. */
        FULL,
        /** The server is loading its data, runs a long script or a cluster is reconfigured: worth another try. */
        BUSY,
        /** The server can't persist or replicate and refuses writes ({@code MISCONF}, {@code NOREPLICAS}). */
        UNSAFE,
        /** Wrong credentials or missing rights. */
        DENIED,
        /** A key holds another type than it should. */
        WRONG_TYPE,
        /** Anything else. */
        OTHER
    }

    private final Kind kind;

    public JobStoreException(Kind kind, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
