package dev.jobs.shards.spring;

import dev.jobs.JobsException;
import dev.jobs.shards.QueueTransfer;
import dev.jobs.shards.ShardMap;
import dev.jobs.shards.TransferOptions;
import dev.jobs.shards.TransferReport;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/** Transfers jobs of queues that properties say are being moved to the shard in which they are named. Thread-safe. */
final class ShardTransfers {

    /** A transfer takes as many calls as it takes; none may keep a client waiting for long. */
    private static final Duration ONE_CALL = Duration.ofSeconds(10);

    private static final Map<String, Function<QueueTransfer, TransferReport>> ACTIONS = Map.of(
            "transfer", transfer -> transfer.run(ONE_CALL),
            "transfer-status", QueueTransfer::status,
            "transfer-finish", QueueTransfer::finish,
            "transfer-abandon", QueueTransfer::abandon);

    /**
     * How far the transfer of a queue is.
     *
     * @param summary for people
     * @param empty whether nothing is left in the shard where the queue was
     */
    record Progress(TransferReport report, String summary, boolean empty) {}

    private final ShardLayout layout;
    private final ShardConnections connections;
    private final String namespace;

    /** @param namespace that of the recurring jobs of all shards */
    ShardTransfers(ShardConnections connections, String namespace) {
        this.layout = connections.layout();
        this.connections = connections;
        this.namespace = namespace;
    }

    /** Whether an action is about the move of a queue. */
    boolean isAction(String action) {
        return ACTIONS.containsKey(action);
    }

    /**
     * Begins the move of a queue or goes on with it, looks at it, or ends it.
     *
     * @param action one that {@link #isAction} knows
     * @param dead whether its dead jobs go as well
     * @throws JobsException if the queue isn't being moved, or not to a single shard
     */
    Progress act(String queue, String action, boolean dead) {
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
            TransferReport report = Objects.requireNonNull(ACTIONS.get(action)).apply(transfer);
            return new Progress(report, report.summary(), report.isEmpty());
        }
    }

    private QueueTransfer.Shard end(String shard) {
        return new QueueTransfer.Shard(shard, connections.of(shard), namespace);
    }
}
