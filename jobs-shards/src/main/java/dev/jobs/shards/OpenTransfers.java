package dev.jobs.shards;

import dev.jobs.Internal;
import dev.jobs.admin.Finding;
import dev.jobs.admin.FindingSource;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.shards.TransferSource.State;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Tells of queues that are transferred to another shard, and of jobs that nobody takes there. */
@Internal
public final class OpenTransfers implements FindingSource {

    /** A slice is on its way for milliseconds. */
    private static final Duration STUCK = Duration.ofMinutes(1);

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final Clock clock;

    public OpenTransfers(RedisConnection connection, RedisKeys keys, Clock clock) {
        this.connection = connection;
        this.keys = keys;
        this.clock = clock;
    }

    @Override
    public List<Finding> find() {
        List<Finding> findings = new ArrayList<>();
        for (String queue : TransferSource.open(connection, keys)) {
            TransferSource source = new TransferSource(connection, keys, queue);
            State state = source.state();
            if (state == null) {
                continue;
            }
            long onTheWay = source.onTheWay();
            boolean stuck = onTheWay > 0 && state.sliceSince().plus(STUCK).isBefore(clock.instant());
            findings.add(
                    stuck
                            ? Finding.error(
                                    "queue-transfer-stuck",
                                    queue,
                                    (onTheWay == 1 ? "1 job" : onTheWay + " jobs") + " of the queue '" + queue
                                            + "' left for '" + state.to()
                                            + "' and did not arrive: run the transfer again, or abandon it",
                                    onTheWay,
                                    state.to())
                            : Finding.info(
                                    "queue-transfer",
                                    queue,
                                    "The queue '" + queue + "' is being transferred to '" + state.to()
                                            + "': finish the transfer once nothing is left here",
                                    state.to()));
        }
        return findings;
    }
}
