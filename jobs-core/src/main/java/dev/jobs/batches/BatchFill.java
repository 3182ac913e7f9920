package dev.jobs.batches;

import dev.jobs.EnqueueCall;
import dev.jobs.InvalidJobException;
import dev.jobs.JobCall;
import dev.jobs.Payload;
import dev.jobs.batches.BatchStore.NewJob;
import dev.jobs.client.CheckedJob;
import dev.jobs.client.ReadyJob;
import dev.jobs.codec.JsonException;
import dev.jobs.codec.JsonText;
import dev.jobs.unique.Duplicates;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Turns calls into jobs of one batch, and stores them in slices. Used by one thread at a time. */
final class BatchFill {

    private final BatchClient client;
    private final BatchStorage storage;
    private final String batch;
    private final EnqueueCall call;
    private final boolean staged;

    private final List<NewJob> slice = new ArrayList<>();
    private final List<ReadyJob> ready = new ArrayList<>();
    private final Set<String> queues = new TreeSet<>();
    private long bytes;
    private long stored;

    /**
     * @param call the call that fills the batch
     * @param staged whether the jobs wait until the batch opens
     */
    BatchFill(BatchStorage storage, String batch, EnqueueCall call, boolean staged) {
        this.client = storage.client();
        this.storage = storage;
        this.batch = batch;
        this.call = call;
        this.staged = staged;
    }

    /**
     * Adds a job; stores a slice when there are enough.
     *
     * @param keepsResult whether what the job returns is kept
     * @return whether it will be stored: false if a middleware refused it, and the job counts as skipped
     */
    boolean add(long index, JobCall added, boolean keepsResult) {
        if (!slice.isEmpty() && slice.get(0).index() >= BatchJobId.FIRST_GROWN != index >= BatchJobId.FIRST_GROWN) {
            flush();
        }
        ReadyJob job = prepare(new BatchJobId(batch, index), added, keepsResult);
        if (job == null) {
            slice.add(new NewJob(index, "", null, json("A middleware refused the job"), true));
        } else {
            slice.add(new NewJob(index, job.queue(), job.at(), job.payload(), false));
            ready.add(job);
            bytes += job.payload().length;
            if (staged && job.at() == null) {
                queues.add(job.queue());
            }
        }
        if (slice.size() >= BatchStore.SLICE
                || bytes >= client.enqueuer().store().callBytes() / 2) {
            flush();
        }
        return job != null;
    }

    /** Makes a job of a batch from a call; null if a middleware refused it. */
    private @Nullable ReadyJob prepare(BatchJobId id, JobCall added, boolean keepsResult) {
        Payload draft = client.draft(added)
                .with("jid", id.jid())
                .with(BatchEffects.MEMBER, keepsResult ? BatchEffects.KEEPS_RESULT : BatchEffects.PLAIN);
        CheckedJob checked = client.enqueuer().admit(draft, call);
        if (checked == null) {
            return null;
        }
        checkBatchJob(checked);
        if (!id.equals(BatchEffects.batchJob(checked.payload()))) {
            throw new InvalidJobException("An enqueue middleware changed 'jid' or '" + BatchEffects.MEMBER + "' of job "
                    + checked.name() + ", by which its batch knows it");
        }
        return client.enqueuer().finish(checked, client.enqueuer().now());
    }

    private void checkBatchJob(CheckedJob job) {
        Duplicates.checkHasNoLock(job, "a batch", "enqueue it by itself");
        storage.checkIsHere(job);
    }

    /**
     * Makes the callback of a batch from a call. Middleware sees it when it is enqueued.
     *
     * @throws InvalidJobException if it can't be stored, or has a time
     */
    ReadyJob prepareCallback(BatchJobId id, JobCall callback) {
        Payload draft = client.draft(callback).with("jid", id.jid()).with(BatchEffects.MEMBER, BatchEffects.PLAIN);
        CheckedJob checked = client.enqueuer().check(draft, call);
        checkBatchJob(checked);
        ReadyJob job = client.enqueuer().finish(checked, client.enqueuer().now());
        if (job.at() != null) {
            throw new InvalidJobException("The callback " + job.name() + " can't have a time: the event is its time");
        }
        return job;
    }

    static byte[] json(String text) {
        try {
            return JsonText.encode(text);
        } catch (JsonException e) {
            throw new IllegalStateException(e); // any text has a JSON form
        }
    }

    /** Stores what was added. */
    void flush() {
        if (slice.isEmpty()) {
            return;
        }
        int added = storage.fill(batch, slice, staged);
        stored += added;
        if (added == slice.size()) { // otherwise a part was told when it was stored
            client.enqueuer().events().stored(ready);
        }
        slice.clear();
        ready.clear();
        bytes = 0;
    }

    /** How many jobs were stored; those that were there don't count. */
    long stored() {
        return stored;
    }

    /** The queues for which jobs are staged. */
    List<String> queues() {
        return List.copyOf(queues);
    }
}
