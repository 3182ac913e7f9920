package dev.jobs.batches;

import dev.jobs.EnqueueMiddleware;
import dev.jobs.Expiry;
import dev.jobs.InvalidPayloadException;
import dev.jobs.Payload;
import dev.jobs.codec.RubyTime;
import dev.jobs.ends.Cancellations;
import dev.jobs.lists.EntryReader;
import dev.jobs.lists.JobSets;
import dev.jobs.lists.JobSets.Entry;
import dev.jobs.lists.JobSets.Move;
import dev.jobs.lists.ScanStep;
import dev.jobs.redis.CallBounds;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.StoredSet;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Enqueues the dead jobs of a batch again. Thread-safe. */
final class DeadBatchJobs {

    private final JobSets sets;
    private final RedisKeys keys;
    private final BatchClient client;
    private final BatchStorage storage;

    DeadBatchJobs(JobSets sets, RedisKeys keys, BatchStorage storage) {
        this.sets = sets;
        this.keys = keys;
        this.client = storage.client();
        this.storage = storage;
    }

    /** Returns how many were enqueued. */
    long revive(String batch) {
        long revived = 0;
        ScanStep.Steps<Entry> steps = sets.scan(StoredSet.DEAD, batch);
        String cursor = EntryReader.FIRST;
        boolean last = false;
        while (!last) {
            ScanStep<Entry> step = steps.next(cursor, CallBounds.JOBS);
            List<Move> moves = new ArrayList<>();
            for (Entry entry : step.found()) {
                Move move = revival(batch, entry.payload());
                if (move != null) {
                    moves.add(move);
                }
            }
            revived += moves.isEmpty()
                    ? 0
                    : sets.move(StoredSet.DEAD, moves).stream()
                            .filter(result -> result == 1)
                            .count();
            cursor = step.cursor();
            last = step.last();
        }
        return revived;
    }

    private @Nullable Move revival(String batch, byte[] stored) {
        Payload payload;
        try {
            payload = Payload.parse(stored);
        } catch (InvalidPayloadException e) {
            return null;
        }
        BatchJobId batchJob = BatchEffects.batchJob(payload);
        if (batchJob == null || !batchJob.batch().equals(batch)) {
            return null;
        }
        payload = Expiry.anewForRun(payload, RubyTime.seconds(client.enqueuer().now()));
        Long count = payload.integer("retry_count");
        if (count != null) {
            payload = payload.with("retry_count", count - 1); // a requested run must not use up a retry
        }
        Payload passed = EnqueueMiddleware.apply(client.enqueuer().middleware(), payload);
        if (passed == null || !batchJob.equals(BatchEffects.batchJob(passed))) {
            return null;
        }
        String queue = passed.queue();
        return queue == null || !RedisKeys.isQueueName(queue) || !storage.isHere(queue)
                ? null
                : sets.toQueue(stored, queue, client.enqueuer().stamped(passed).bytes())
                        .with(Cancellations.revived(keys, passed));
    }
}
