package dev.jobs.batches;

import dev.jobs.Internal;
import dev.jobs.Payload;
import dev.jobs.admin.Finding;
import dev.jobs.admin.WaitReason;
import dev.jobs.engine.ClaimedJob;
import dev.jobs.limits.ParkedSweep;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.CallBounds;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.ScoredValueScanCursor;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The cancelled batches that are not over. Thread-safe. */
@Internal
public final class BatchCancellations implements WaitReason {

    /** About so many are read in one call. */
    private static final int TOGETHER = 1_000;

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final BatchKeys names;
    private final BatchCascade cascade;

    public BatchCancellations(RedisConnection connection, RedisKeys keys) {
        this.connection = connection;
        this.keys = keys;
        this.names = new BatchKeys(keys);
        this.cascade = new BatchCascade(connection, keys);
    }

    /** Begins to cancel what is below any of them. */
    BatchCascade.Walk walkBelow() {
        return cascade.walk(all());
    }

    /** What finds parked jobs of cancelled batches, over the same connection. */
    ParkedSweep parkedJobs() {
        return new ParkedSweep(connection, keys);
    }

    @Override
    public List<Finding> ending(Payload job, Instant now) {
        String batch = BatchEffects.cancelledWith(job);
        if (batch == null || among(Set.of(batch)).isEmpty()) {
            return List.of();
        }
        return List.of(Finding.warning(
                "batch-cancelled",
                batch,
                "Its batch " + batch + " was cancelled, so it ends without being run when a worker takes it"));
    }

    /** Whether there are any. */
    boolean hasAny() {
        return connection.<Long>run(commands -> commands.zcard(names.cancelled())) > 0;
    }

    /** The one that was cancelled last, with the time of that; empty if there is none. */
    public String newest() {
        return connection.run(commands -> commands.zrevrangeWithScores(names.cancelled(), 0, 0)).stream()
                .map(each -> Bytes.text(each.getValue()) + " " + (long) each.getScore())
                .findFirst()
                .orElse("");
    }

    /** Those of some batches that are among them. */
    Set<String> among(Collection<String> ids) {
        Set<String> found = new HashSet<>();
        for (List<String> slice : CallBounds.slices(List.copyOf(ids), TOGETHER)) {
            byte[][] members = slice.stream().map(Bytes::of).toArray(byte[][]::new);
            List<@Nullable Double> times = connection.run(commands -> commands.zmscore(names.cancelled(), members));
            for (int i = 0; i < slice.size(); i++) {
                if (times.get(i) != null) {
                    found.add(slice.get(i));
                }
            }
        }
        return found;
    }

    /**
     * The ids of all of them, in as many calls as it takes. One that is cancelled before this is called and not over
     * after it is among them.
     */
    public Set<String> all() {
        Set<String> ids = new HashSet<>();
        ScanArgs page = ScanArgs.Builder.limit(TOGETHER);
        ScanCursor cursor = ScanCursor.INITIAL;
        do {
            ScanCursor from = cursor;
            ScoredValueScanCursor<byte[]> found =
                    connection.run(commands -> commands.zscan(names.cancelled(), from, page));
            found.getValues().forEach(each -> ids.add(Bytes.text(each.getValue())));
            cursor = found;
        } while (!cursor.isFinished());
        return ids;
    }

    /**
     * Asks about the batches of held jobs.
     *
     * @param held the jobs that this process holds
     */
    public CancelledBatches.Source amongHeld(Supplier<Stream<ClaimedJob>> held) {
        return id -> {
            if (!hasAny()) {
                return null;
            }
            Set<String> own = held.get()
                    .map(job -> BatchEffects.batchOf(job.stored()))
                    .filter(Objects::nonNull)
                    .collect(Collectors.toCollection(HashSet::new));
            if (id != null) {
                own.add(id);
            }
            return new CancelledBatches.Reply(own, among(own));
        };
    }
}
