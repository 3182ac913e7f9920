package dev.jobs.batches;

import dev.jobs.EnqueueCall;
import dev.jobs.Internal;
import dev.jobs.InvalidJobException;
import dev.jobs.JobCall;
import dev.jobs.batches.BatchStore.Complete;
import dev.jobs.batches.BatchStore.Created;
import dev.jobs.batches.KeyedBatches.Lead;
import dev.jobs.lists.JobSets;
import dev.jobs.recurring.LocalQueues;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisConnections;
import dev.jobs.results.ResultEffects;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.transactions.Outbox;
import dev.jobs.transactions.Transactions;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Batches in Redis, over a connection of their own, which the first use opens. Also gives running jobs their batch.
 * Thread-safe.
 */
@Internal
public final class RedisBatches implements Batches, BatchAccess, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(RedisBatches.class);

    private static final int MOST_JOBS = 1_000;

    /** No job goes to the dead set from here. */
    private static final DeadSetBounds UNUSED = DeadSetBounds.defaults();

    private static final long FIRST_PAUSE = 10;
    private static final long LONGEST_PAUSE = 500;

    private final RedisConnection connection;
    private final BatchClient client;
    private final BatchStore store;
    private final BatchStorage storage;
    private final BatchReader reader;
    private final BatchCascade cascade;
    private final KeyedBatches keyed;
    private final StagedJobs staged;
    private final DeadBatchJobs deadJobs;
    private final BatchAuditor auditor;
    private final RandomGenerator random;

    /**
     * @param client makes the jobs: its middleware, rules and options apply to them
     * @param random the source of ids; used by many threads, so pass a {@link java.security.SecureRandom} rather than a
     *     splittable generator
     */
    public RedisBatches(RedisConnections redis, BatchClient client, RandomGenerator random) {
        this(redis, client, random, null, LocalQueues.ALL);
    }

    /** @param journal records all batches that are created here; null for none */
    public RedisBatches(
            RedisConnections redis, BatchClient client, RandomGenerator random, @Nullable BatchJournal journal) {
        this(redis, client, random, journal, LocalQueues.ALL);
    }

    /**
     * @param client makes the jobs: its middleware, rules and options apply to them
     * @param random the source of ids, as above
     * @param journal records all batches that are created here; null for none
     * @param queues those of which a batch can have jobs
     */
    public RedisBatches(
            RedisConnections redis,
            BatchClient client,
            RandomGenerator random,
            @Nullable BatchJournal journal,
            LocalQueues queues) {
        this.connection = redis.open("jobs-batches");
        this.client = client;
        this.store = new BatchStore(connection, redis.keys());
        this.storage = new BatchStorage(client, store, journal, queues, false);
        this.reader = new BatchReader(connection, redis.keys());
        this.cascade = new BatchCascade(connection, redis.keys());
        this.keyed = new KeyedBatches(connection, redis.keys());
        this.staged = new StagedJobs(connection, redis.keys());
        this.auditor = new BatchAuditor(connection, redis.keys());
        this.deadJobs = new DeadBatchJobs(
                new JobSets(
                        connection,
                        redis.keys(),
                        UNUSED,
                        new BatchEffects(redis.keys()).and(new ResultEffects(redis.keys()))),
                redis.keys(),
                storage);
        this.random = random;
    }

    @Override
    public String create(String name, Consumer<BatchBuilder> content) {
        return create(name, Lead.none(BatchIds.random(random)), "", content).orElseThrow();
    }

    @Override
    public String create(String name, String key, Consumer<BatchBuilder> content) {
        String digest = BatchIds.digest("create", name, key);
        while (true) {
            Optional<String> id = create(name, follow(digest), "", content);
            if (id.isPresent()) {
                return id.get();
            }
        }
    }

    String createChild(String parent, String name, Consumer<BatchBuilder> content) {
        return create(name, Lead.none(BatchIds.random(random)), parent, content).orElseThrow();
    }

    private Lead follow(String digest) {
        return keyed.follow(digest, () -> BatchIds.random(random));
    }

    /** Returns the id; empty if the key leads to another batch by now. */
    private Optional<String> create(String name, Lead lead, String parent, Consumer<BatchBuilder> content) {
        return client.enqueuer().inCall(lead.id(), call -> create(call, name, lead, parent, content));
    }

    private Optional<String> create(
            EnqueueCall call, String name, Lead lead, String parent, Consumer<BatchBuilder> content) {
        Transactions.Transaction transaction = client.committed().transactions().current();
        BatchPlan plan = new BatchPlan(storage.inTransaction(transaction != null), call, lead, name, parent, "", true);
        Created created = plan.begin();
        if (created == Created.ELSEWHERE) {
            return Optional.empty();
        }
        if (created == Created.UNCOMMITTED) {
            reader.find(plan.id())
                    .ifPresent(
                            found -> store.renew(plan.id(), found.definition().stagedQueues()));
        }
        if (transaction == null) {
            staged.release(plan.create(created, content));
        } else if (created != Created.COMMITTED) {
            plan.prepare(created, content);
            transaction
                    .work(
                            this,
                            () -> new BatchesOfTransaction(
                                    transaction, prepared -> staged.release(prepared.commit()), storage))
                    .add(plan, lead.isKeyed());
        }
        return Optional.of(plan.id());
    }

    /**
     * Commits batches of a committed transaction. May be repeated.
     *
     * @param kept what an {@link Outbox} kept
     * @throws BatchEndedException if they are gone
     * @throws IllegalArgumentException if a later version of this library wrote the bytes
     */
    public void commit(byte[] kept) {
        List<Complete> batches = KeptCommit.read(kept);
        batches.forEach(batch -> store.define(batch.id(), batch.definition()));
        store.commit(batches);
        staged.release(batches);
    }

    @Override
    public OpenBatch open(String name, Consumer<BatchOptions> options) {
        return open(name, Lead.none(BatchIds.random(random)), options).orElseThrow();
    }

    @Override
    public OpenBatch open(String name, String key, Consumer<BatchOptions> options) {
        String digest = BatchIds.digest("open", name, key);
        while (true) {
            Optional<OpenBatch> batch = open(name, follow(digest), options);
            if (batch.isPresent()) {
                return batch.get();
            }
        }
    }

    /** Begins a call that ends with the batch's commit or close. */
    private Optional<OpenBatch> open(String name, Lead lead, Consumer<BatchOptions> options) {
        EnqueueCall call = client.enqueuer().begin(lead.id());
        try {
            Optional<OpenBatch> batch = open(call, name, lead, options);
            if (batch.isEmpty()) {
                call.end(null);
            }
            return batch;
        } catch (Throwable e) {
            call.end(e);
            throw e;
        }
    }

    private Optional<OpenBatch> open(EnqueueCall call, String name, Lead lead, Consumer<BatchOptions> options) {
        BatchPlan plan = new BatchPlan(storage, call, lead, name, "", "", false);
        options.accept(plan);
        Created created = plan.begin();
        if (created == Created.ELSEWHERE) {
            return Optional.empty();
        }
        BatchDefinition definition = plan.definition();
        if (created != Created.NEW) {
            BatchReader.Found found = reader.find(plan.id())
                    .orElseThrow(() -> new BatchEndedException("Batch " + plan.id() + " has just ended"));
            if (found.status().isFinished()) {
                throw new BatchEndedException("Batch " + plan.id() + " has ended; use another key to fill a new one");
            }
            definition = found.definition();
        }
        return Optional.of(new Filling(plan, definition, call));
    }

    /** A batch that is being filled. */
    private final class Filling implements OpenBatch {

        private final BatchPlan plan;
        private final BatchDefinition definition;
        private @Nullable EnqueueCall call;
        private long nextIndex;

        /**
         * @param definition as it was when the batch was first opened
         * @param call ends with the first commit or close
         */
        Filling(BatchPlan plan, BatchDefinition definition, EnqueueCall call) {
            this.plan = plan;
            this.definition = definition;
            this.call = call;
        }

        @Override
        public String id() {
            return plan.id();
        }

        @Override
        public void add(JobCall job) {
            add(nextIndex, job);
        }

        @Override
        public void add(long index, JobCall job) {
            if (index < 0 || index > BatchJobId.LARGEST) {
                throw new InvalidJobException("'index' must be 0 to " + BatchJobId.LARGEST + " but was " + index);
            }
            plan.fill().add(index, job, definition.keepsResults());
            nextIndex = Math.max(nextIndex, index + 1);
        }

        @Override
        public long flush() {
            plan.fill().flush();
            return plan.fill().stored();
        }

        @Override
        public void commit() {
            flush();
            store.commit(List.of(new Complete(plan.id(), definition, false, List.of())));
            end(null);
        }

        @Override
        public void close() {
            try {
                flush();
            } catch (Throwable e) {
                end(e);
                throw e;
            }
            end(null);
        }

        private void end(@Nullable Throwable failure) {
            if (call != null) {
                call.end(failure);
                call = null;
            }
        }
    }

    @Override
    public Optional<BatchStatus> find(String id) {
        return reader.status(id);
    }

    @Override
    public Map<String, BatchStatus> findAll(Collection<String> ids) {
        return reader.statuses(
                ids.stream().filter(BatchJobId::isBatch).distinct().toList());
    }

    @Override
    public BatchPage jobs(String id, Set<BatchJobState> states, long after, int size) {
        if (size < 1 || size > MOST_JOBS) {
            throw new InvalidJobException("'size' must be 1 to " + MOST_JOBS + " but was " + size);
        }
        return BatchJobId.isBatch(id)
                ? reader.jobs(id, states, Math.max(-1, after), size)
                : new BatchPage(List.of(), -1);
    }

    @Override
    public boolean await(String id, Duration timeout) throws InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        long pause = FIRST_PAUSE;
        while (true) {
            if (find(id).map(BatchStatus::isFinished).orElse(true)) {
                return true;
            }
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (left <= 0) {
                return false;
            }
            TimeUnit.MILLISECONDS.sleep(Math.min(pause, left));
            pause = Math.min(2 * pause, LONGEST_PAUSE);
        }
    }

    @Override
    public boolean cancel(String id) {
        return BatchJobId.isBatch(id) && cascade.cancel(id);
    }

    @Override
    public long retryDead(String id) {
        return BatchJobId.isBatch(id) ? deadJobs.revive(id) : 0;
    }

    @Override
    public Optional<BatchAudit> audit(String id) throws InterruptedException {
        Optional<BatchAuditor.Audit> begun = auditor.begin(id);
        if (begun.isEmpty()) {
            return Optional.empty();
        }
        BatchAuditor.Audit audit = begun.get();
        for (Duration pause = audit.step(); pause != null; pause = audit.step()) {
            TimeUnit.NANOSECONDS.sleep(pause.toNanos());
        }
        log.info("Audit of batch {}: {}", id, audit.result());
        return Optional.of(audit.result());
    }

    @Override
    public JobBatch batch(String id) {
        return new RunningBatch(id, this, storage, reader);
    }

    /** Closes the connection; later calls fail. */
    @Override
    public void close() {
        connection.close();
    }
}
