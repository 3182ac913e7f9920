package dev.jobs.test;

import dev.jobs.BulkEndedException.State;
import dev.jobs.JobRegistry;
import dev.jobs.Payload;
import dev.jobs.client.JobStore;
import dev.jobs.client.ReadyJob;
import dev.jobs.client.ResultStore;
import dev.jobs.store.Check;
import dev.jobs.store.JobPushes;
import dev.jobs.store.PushAnswers;
import dev.jobs.transactions.Outbox;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/** Records what is stored, and passes it on to the store. Thread-safe. */
final class RecordedJobs implements JobStore {

    private final JobStore store;
    private final JobRegistry registry;

    // Guarded by this.
    private final List<EnqueuedJob> jobs = new ArrayList<>();

    /** @param registry reads the arguments of encrypted jobs */
    RecordedJobs(JobStore store, JobRegistry registry) {
        this.store = store;
        this.registry = registry;
    }

    /** All jobs, in the order in which they were enqueued. */
    synchronized List<EnqueuedJob> all() {
        return List.copyOf(jobs);
    }

    synchronized void clear() {
        jobs.clear();
    }

    synchronized void add(List<EnqueuedJob> more) {
        jobs.addAll(more);
    }

    /** As a test sees it: with the arguments of an encrypted job decrypted. */
    EnqueuedJob shown(ReadyJob job) {
        return EnqueuedJob.of(job, registry);
    }

    /** As a test sees it: with the arguments of an encrypted job decrypted. */
    EnqueuedJob shown(Outbox.Entry job) {
        return EnqueuedJob.of(job, registry);
    }

    private synchronized void remove(List<EnqueuedJob> some) {
        jobs.removeAll(some);
    }

    @Override
    public void open() {
        store.open();
    }

    @Override
    public JobPushes.Sent send(List<ReadyJob> ready) {
        JobPushes.Sent sent = store.send(ready);
        List<EnqueuedJob> recorded = ready.stream().map(this::shown).toList();
        add(recorded); // now: a job may run, and enqueue others, before the answer is there
        return new JobPushes.Sent() {
            private boolean stored;

            @Override
            public PushAnswers await() {
                return answered(sent.await());
            }

            @Override
            public PushAnswers repeat(Duration atMost) {
                return answered(sent.repeat(atMost));
            }

            private PushAnswers answered(PushAnswers answers) {
                answers.refused().keySet().forEach(index -> remove(List.of(recorded.get(index))));
                stored = true;
                return answers;
            }

            @Override
            public void told() {
                sent.told();
            }

            @Override
            public boolean mayBeStored() {
                return sent.mayBeStored();
            }

            @Override
            public State state(int index) {
                return sent.state(index);
            }

            @Override
            public void giveUp() {
                if (!stored) {
                    remove(recorded);
                }
                sent.giveUp();
            }
        };
    }

    @Override
    public List<Check> checks(Payload payload, JobRegistry registry, InstantSource clock) {
        return store.checks(payload, registry, clock);
    }

    @Override
    public String shard(ReadyJob job) {
        return store.shard(job);
    }

    @Override
    public boolean isSorted(String queue) {
        return store.isSorted(queue);
    }

    @Override
    public int callBytes() {
        return store.callBytes();
    }

    @Override
    public ResultStore results() {
        return store.results();
    }

    @Override
    public Instant cancel(String jid, Instant now) {
        return store.cancel(jid, now);
    }

    @Override
    public Duration timeout() {
        return store.timeout();
    }

    @Override
    public void renewId() {
        store.renewId();
    }

    @Override
    public void close() {
        store.close();
    }
}
