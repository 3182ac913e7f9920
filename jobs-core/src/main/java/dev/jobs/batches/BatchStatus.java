package dev.jobs.batches;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.jobs.JobFailedException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A batch at one moment. All counters are those of the same moment. As JSON, it also has its state, whether it is
 * finished, how many jobs are pending and have ended, and their share.
 *
 * @param description for people; may be empty
 * @param createdBy the owner; may be empty
 * @param parent the id of the batch that it is a child of; null if it has none
 * @param next the id of the batch that opens when this one succeeds; null if there is none
 * @param waitsForPrevious whether it opens only when another batch succeeds
 * @param open whether jobs may still be added from outside
 * @param total number of all jobs
 * @param waiting jobs of which no execution has ended yet
 * @param retrying jobs that wait or run again
 * @param succeeded jobs that succeeded
 * @param failed jobs that ended with a {@link JobFailedException}
 * @param dead jobs that were given up
 * @param skipped jobs that were deleted, cancelled or refused
 * @param lost jobs that an audit found nowhere
 * @param children number of its child batches
 * @param childrenOpen number of those that are not over
 * @param createdAt when it was created
 * @param changedAt when jobs were last added or an event last came
 * @param events when each event came
 * @param cancelledAt when it was cancelled; null if it was not
 * @param callbacks the states of the callback jobs that were enqueued
 */
public record BatchStatus(
        String id,
        String name,
        String description,
        List<String> tags,
        String createdBy,
        @Nullable String parent,
        @Nullable String next,
        boolean waitsForPrevious,
        boolean open,
        long total,
        long waiting,
        long retrying,
        long succeeded,
        long failed,
        long dead,
        long skipped,
        long lost,
        long children,
        long childrenOpen,
        Instant createdAt,
        Instant changedAt,
        Map<BatchEvent, Instant> events,
        @Nullable Instant cancelledAt,
        Map<BatchEvent, BatchJobState> callbacks) {

    private static final long FNV_BASIS = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;

    /** The state of a batch as a whole. */
    public enum State {
        /** Jobs are still being added. */
        FILLING,
        /** Opens when another batch succeeds. */
        WAITING,
        RUNNING,
        /** Cancelled, and its last jobs are about to end. */
        CANCELLING,
        SUCCEEDED,
        /** Finished, and at least one job or child did not succeed. */
        FINISHED,
        CANCELLED
    }

    public BatchStatus {
        tags = List.copyOf(tags);
        events = inOrder(events);
        callbacks = inOrder(callbacks);
    }

    private static <T> Map<BatchEvent, T> inOrder(Map<BatchEvent, T> map) {
        Map<BatchEvent, T> copy = new EnumMap<>(BatchEvent.class);
        copy.putAll(map);
        return Collections.unmodifiableMap(copy);
    }

    /** Number of jobs that wait or run. */
    @JsonProperty(access = JsonProperty.Access.READ_ONLY)
    public long pending() {
        return waiting + retrying;
    }

    /** Number of jobs that have ended. */
    @JsonProperty(access = JsonProperty.Access.READ_ONLY)
    public long ended() {
        return total - pending();
    }

    /** Whether nothing will run any more. */
    @JsonProperty(value = "finished", access = JsonProperty.Access.READ_ONLY)
    public boolean isFinished() {
        return events.containsKey(BatchEvent.FINISHED) && pending() == 0;
    }

    /** When an event came. */
    public Optional<Instant> at(BatchEvent event) {
        return Optional.ofNullable(events.get(event));
    }

    @JsonProperty(access = JsonProperty.Access.READ_ONLY)
    public State state() {
        if (isFinished()) {
            return cancelledAt != null
                    ? State.CANCELLED
                    : events.containsKey(BatchEvent.SUCCEEDED) ? State.SUCCEEDED : State.FINISHED;
        }
        if (cancelledAt != null) {
            return State.CANCELLING;
        }
        return open ? State.FILLING : waitsForPrevious ? State.WAITING : State.RUNNING;
    }

    /** Share of jobs that have ended, from 0 to 1; 1 for a finished batch without jobs. */
    @JsonProperty(access = JsonProperty.Access.READ_ONLY)
    public double share() {
        return total == 0 ? (isFinished() ? 1 : 0) : (double) ended() / total;
    }

    /** Jobs that ended per second, from the creation until now or until the batch finished. */
    public double rate(Instant now) {
        Instant until = events.getOrDefault(BatchEvent.FINISHED, now);
        Duration age = Duration.between(createdAt, until);
        double seconds = age.getSeconds() + age.getNano() / 1e9;
        return seconds <= 0 ? 0 : ended() / seconds;
    }

    /** How long the pending jobs will take if the rate stays; empty while none has ended, or if none is pending. */
    public Optional<Duration> remaining(Instant now) {
        double rate = rate(now);
        return rate == 0 || pending() == 0
                ? Optional.empty()
                : Optional.of(Duration.ofMillis((long) Math.min(1e15, pending() / rate * 1e3)));
    }

    /**
     * Changes whenever anything of this status changes, and is the same in every process: an ETag for clients that
     * poll.
     */
    public String version() {
        String text = toString(); // no hash codes: those of enums differ between processes
        long hash = FNV_BASIS;
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * FNV_PRIME;
        }
        return Long.toHexString(hash);
    }
}
