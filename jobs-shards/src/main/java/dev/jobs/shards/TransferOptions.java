package dev.jobs.shards;

/**
 * How a queue is transferred to another shard.
 *
 * @param dead whether its dead jobs go as well
 * @param unserved whether it may begin although no live worker serves the queue in the target; then jobs go, too, whose
 *     retries go to another queue that none serves there
 */
public record TransferOptions(boolean dead, boolean unserved) {

    /** Dead jobs stay, and a worker has to serve the queue in the target. */
    public static TransferOptions standard() {
        return new TransferOptions(false, false);
    }

    /** The same, and dead jobs go as well. */
    public TransferOptions withDead() {
        return new TransferOptions(true, unserved);
    }

    /** The same, and the queue may have no worker in the target. */
    public TransferOptions evenUnserved() {
        return new TransferOptions(dead, true);
    }
}
