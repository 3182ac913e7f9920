package dev.jobs.shards;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * How far the transfer of a queue is.
 *
 * @param queue the queue
 * @param id of the transfer; empty if none was ever open
 * @param to the name of the shard to which it leads
 * @param open whether it goes on; one that is over has no keys in the source
 * @param moved jobs that the target has stored, by where they were; none of a transfer that is over
 * @param onTheWay jobs that are in neither shard's queue: those of the slice that is on its way, at most a hundred
 * @param left jobs of the queue that are still in the source, by why
 * @param complete whether all places were looked at, so that {@code left} is known; otherwise the next call goes on
 * @param missing jobs that arrived in the target, but that it no longer knows of, because it lost its last changes; 0
 *     unless a failover or a restart took them
 */
public record TransferReport(
        String queue,
        String id,
        String to,
        boolean open,
        Map<Place, Long> moved,
        long onTheWay,
        Map<Left, Long> left,
        boolean complete,
        long missing) {

    /** Where jobs of a queue wait. */
    public enum Place {
        QUEUE("in the queue"),
        SCHEDULED("scheduled"),
        RETRY("waiting for a retry"),
        DEAD("dead");

        private final String label;

        Place(String label) {
            this.label = label;
        }

        static Place of(TransferSlice.Place stored) {
            return switch (stored) {
                case QUEUE, ORDER -> QUEUE;
                case SCHEDULE -> SCHEDULED;
                case RETRY -> RETRY;
                case DEAD -> DEAD;
            };
        }
    }

    /** Why a job stays in the source, where it ends. */
    public enum Left {
        /** It belongs to a batch, which is in the source. */
        BATCH("of batches"),
        /** A client waits for its result, and asks the source. */
        AWAITED("whose clients wait for their results"),
        /** A later job with its key replaces it, or it was replaced itself. */
        REPLACEABLE("that later ones replace"),
        /** It must not overlap with others of its recurring job, which is in the source. */
        RECURRING("of recurring jobs that must not overlap"),
        /** If it fails, it goes to a queue that no worker serves in the target. */
        RETRY_QUEUE("whose retries go to a queue that nobody serves there"),
        /** Its iteration has begun, or it was cancelled. */
        BEGUN("that were cancelled, or whose iteration has begun"),
        /** It outlived a worker, which counts in the source. */
        RECOVERED("that outlived a worker"),
        /** It waits at a limit, from where it comes back to the queue, and stays for another of these reasons. */
        PARKED("that are parked at limits"),
        /** A worker holds it: it ends, or comes back to the queue or to the retry set. */
        HELD("that workers hold"),
        /** It came to the queue while others were transferred; the next call takes it. */
        NEW("that have just come");

        private final String label;

        Left(String label) {
            this.label = label;
        }
    }

    public TransferReport {
        moved = Map.copyOf(moved);
        left = Map.copyOf(left);
    }

    /** Whether no job of the queue is left in the source. Dead jobs count only if they are transferred as well. */
    public boolean isEmpty() {
        return complete && left.isEmpty() && onTheWay == 0;
    }

    /** The number of all jobs that the target has stored. */
    public long movedJobs() {
        return moved.values().stream().mapToLong(Long::longValue).sum();
    }

    /** The report as a sentence for people, in English. */
    public String summary() {
        List<String> parts = new ArrayList<>();
        parts.add("Queue '" + queue + "'" + (to.isEmpty() ? "" : " to '" + to + "'") + ": moved "
                + counted(movedJobs())
                + (moved.isEmpty() ? "" : " (" + named(moved, place -> place.label) + ")"));
        if (onTheWay > 0) {
            parts.add("on the way: " + onTheWay);
        }
        if (missing > 0) {
            parts.add("missing in the target: " + missing);
        }
        if (!left.isEmpty()) {
            parts.add("left, to end here: " + named(left, why -> why.label));
        } else if (isEmpty()) {
            parts.add("nothing is left");
        }
        if (!complete) {
            parts.add("not all places were looked at yet");
        }
        return String.join("; ", parts);
    }

    private static String counted(long jobs) {
        return jobs == 1 ? "1 job" : jobs + " jobs";
    }

    private static <K extends Enum<K>> String named(Map<K, Long> counts, Function<K, String> label) {
        Map<K, Long> sorted = new EnumMap<>(counts);
        return sorted.entrySet().stream()
                .map(each -> each.getValue() + " " + label.apply(each.getKey()))
                .collect(Collectors.joining(", "));
    }
}
