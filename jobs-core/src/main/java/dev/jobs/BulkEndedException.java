package dev.jobs;

import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Says which jobs of a bulk call were stored when something ended the call early. It is attached to the exception that
 * the call throws, whatever its type:
 *
 * <pre>{@code
 * try {
 *     jobs.enqueueAll(Emails::remind, addresses);
 * } catch (RuntimeException e) {
 *     BulkEndedException.of(e).ifPresent(ended -> keepForLater(ended.jobs()));
 *     throw e;
 * }
 * }</pre>
 */
public final class BulkEndedException extends JobsException {

    private static final long serialVersionUID = 1L;

    /** What is known of a job of the call. */
    public enum State {
        /** It is in Redis. */
        STORED,
        /** It is not in Redis. */
        NOT_STORED,
        /** It was sent, and the answer was lost or not waited for: it may be in Redis. */
        UNKNOWN,
        /** It was kept from being stored, as by an {@link EnqueueMiddleware}. */
        REFUSED
    }

    /**
     * A job of the call.
     *
     * @param jid null if the job was refused
     */
    public record BulkJob(@Nullable String jid, State state) implements Serializable {}

    private final BulkJob[] jobs;

    /** @param jobs those that the call had read, in the order of the input */
    public BulkEndedException(String message, List<BulkJob> jobs) {
        super(message);
        this.jobs = jobs.toArray(BulkJob[]::new);
    }

    /**
     * The jobs that the call had read, in the order of the input: the first is that of the first element. The element
     * that ended the call may be among them as {@code NOT_STORED}, with some later ones: a job's size is checked when
     * its slice of up to 1,000 is complete.
     */
    public List<BulkJob> jobs() {
        return List.of(jobs);
    }

    /**
     * The report of the bulk call that threw this exception; empty for any other exception, and for one that takes no
     * suppressed ones.
     */
    public static Optional<BulkEndedException> of(Throwable failure) {
        return Arrays.stream(failure.getSuppressed())
                .filter(BulkEndedException.class::isInstance)
                .map(BulkEndedException.class::cast)
                .reduce((inner, outer) -> outer); // a call inside this one may have failed first
    }
}
