package dev.jobs.spring.autoconfigure;

import dev.jobs.Internal;
import dev.jobs.JobsException;
import dev.jobs.shards.QueueTransfer;
import dev.jobs.shards.ShardMap;
import dev.jobs.shards.TransferOptions;
import dev.jobs.shards.TransferReport;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Transfers jobs of queues that properties say are being moved to the shard in which they are named. Thread-safe. */
@Internal
public final class ShardTransfers {

    private final ShardLayout layout;
    private final ShardConnections connections;

    ShardTransfers(ShardConnections connections) {
        this.layout = connections.layout();
        this.connections = connections;
    }

    /** The shard where a queue was that is being moved; null if it isn't. */
    public @Nullable String from(String queue) {
        return layout.moving().get(queue);
    }

    /**
     * Does something with the transfer of a queue.
     *
     * @param dead whether its dead jobs go as well
     * @throws JobsException if the queue isn't being moved, or not to a single shard
     */
    public TransferReport with(String queue, boolean dead, Function<QueueTransfer, TransferReport> action) {
        ShardMap map = layout.map();
        String from = layout.moving().get(queue);
        List<String> to = map.isKnown(queue) ? map.of(queue) : List.of();
        if (from == null || to.size() != 1) {
            throw new JobsException("The queue '" + queue + "' can't be transferred: "
                    + (from == null
                            ? "set jobs.moving-queues[" + queue + "].from to the shard where it was"
                            : "it is spread over the shards " + to));
        }
        TransferOptions options = TransferOptions.standard();
        try (QueueTransfer transfer =
                new QueueTransfer(end(from), end(to.get(0)), queue, dead ? options.withDead() : options)) {
            return action.apply(transfer);
        }
    }

    private QueueTransfer.Shard end(String shard) {
        return new QueueTransfer.Shard(shard, connections.of(shard));
    }
}
