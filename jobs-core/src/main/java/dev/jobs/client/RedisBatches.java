package dev.jobs.client;

import dev.jobs.BatchAccess;
import dev.jobs.BatchAudit;
import dev.jobs.BatchBuilder;
import dev.jobs.BatchEndedException;
import dev.jobs.BatchJob;
import dev.jobs.BatchJobState;
import dev.jobs.BatchOptions;
import dev.jobs.BatchPage;
import dev.jobs.BatchStatus;
import dev.jobs.Batches;
import dev.jobs.InvalidJobException;
import dev.jobs.JobBatch;
import dev.jobs.JobCall;
import dev.jobs.JobStoreException;
import dev.jobs.OpenBatch;
import dev.jobs.redis.BatchAuditor;
import dev.jobs.redis.BatchDefinition;
import dev.jobs.redis.BatchEffects;
import dev.jobs.redis.BatchJobId;
import dev.jobs.redis.BatchReader;
import dev.jobs.redis.BatchStore;
import dev.jobs.redis.BatchStore.Complete;
import dev.jobs.redis.BatchStore.Created;
import dev.jobs.redis.DeadSetLimits;
import dev.jobs.redis.JobSets;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.StagedJobs;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Batches in Redis, over a connection of their own, which the first use opens. Also gives running jobs their batch.
 * Thread-safe.
 */
public final class RedisBatches implements Batches, BatchAccess, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(RedisBatches.class);

    private static final int MOST_JOBS = 1_000;

    /** How many batches one call reads. */
    private static final int AT_ONCE = 100;

    /** No job goes to the dead set from here. */
    private static final DeadSetLimits UNUSED = new DeadSetLimits(10_000, Duration.ofDays(180));

    private static final long FIRST_PAUSE = 10;
    private static final long LONGEST_PAUSE = 500;

    private final RedisConnection connection;
    private final RedisJobClient client;
    private final BatchStore store;
    private final BatchReader reader;
    private final StagedJobs staged;
    private final DeadBatchJobs deadJobs;
    private final BatchAuditor auditor;
    private final RandomGenerator random;

    /**
     * @param client makes the jobs: its middleware, rules and options apply to them
     * @param random the source of ids; used by many threads, so pass a {@link java.security.SecureRandom} rather than a
     *     splittable generator
     */
    public RedisBatches(RedisConnections redis, RedisJobClient client, RandomGenerator random) {
        this.connection = redis.open("jobs-batches");
        this.client = client;
        this.store = new BatchStore(connection, redis.keys());
        this.reader = new BatchReader(connection, redis.keys());
        this.staged = new StagedJobs(connection, redis.keys());
        this.auditor = new BatchAuditor(connection, redis.keys());
        this.deadJobs = new DeadBatchJobs(
                new JobSets(connection, redis.keys(), UNUSED, new BatchEffects(redis.keys())), client);
        this.random = random;
    }

    @Override
    public String create(String name, Consumer<BatchBuilder> content) {
        return create(BatchIds.random(random), name, "", content);
    }

    @Override
    public String create(String name, String key, Consumer<BatchBuilder> content) {
        return create(BatchIds.of("create", name, key, random), name, "", content);
    }

    private String create(BatchIds ids, String name, String parent, Consumer<BatchBuilder> content) {
        BatchPlan plan = new BatchPlan(client, store, ids, name, parent, "", true);
        for (Complete batch : plan.create(content)) {
            if (batch.definition().previous().isEmpty()) {
                release(batch);
            }
        }
        return plan.id();
    }

    /** Lets the jobs of a committed batch begin. If this fails half way, the leader goes on. */
    private void release(Complete batch) {
        try {
            while (staged.release(batch.id(), batch.stagedQueues()) > 0) {
                // until none is left
            }
        } catch (JobStoreException e) {
            log.debug("The jobs of batch {} are left for the leader to release", batch.id(), e);
        }
    }

    @Override
    public OpenBatch open(String name, Consumer<BatchOptions> options) {
        return open(BatchIds.random(random), name, options);
    }

    @Override
    public OpenBatch open(String name, String key, Consumer<BatchOptions> options) {
        return open(BatchIds.of("open", name, key, random), name, options);
    }

    private OpenBatch open(BatchIds ids, String name, Consumer<BatchOptions> options) {
        BatchPlan plan = new BatchPlan(client, store, ids, name, "", "", false);
        options.accept(plan);
        Created created = plan.begin(false);
        BatchDefinition definition = plan.definition();
        if (created != Created.NEW) {
            BatchReader.Found found = reader.find(plan.id())
                    .orElseThrow(() -> new BatchEndedException("Batch " + plan.id() + " has just ended"));
            if (found.status().isFinished()) {
                throw new BatchEndedException("Batch " + plan.id() + " has ended; use another key to fill a new one");
            }
            definition = found.definition();
        }
        return new Filling(plan, definition);
    }

    /** A batch that is being filled. */
    private final class Filling implements OpenBatch {

        private final BatchPlan plan;
        private final BatchDefinition definition;
        private long nextIndex;

        /** @param definition as it was when the batch was first opened */
        Filling(BatchPlan plan, BatchDefinition definition) {
            this.plan = plan;
            this.definition = definition;
        }

        @Override
        public String id() {
            return plan.id();
        }

        @Override
        public void add(JobCall job) {
            add(nextIndex, job);
            nextIndex++;
        }

        @Override
        public void add(long index, JobCall job) {
            if (index < 0 || index > BatchJobId.LARGEST) {
                throw new InvalidJobException("'index' must be 0 to " + BatchJobId.LARGEST + " but was " + index);
            }
            plan.fill().add(index, job, definition.keepsResults());
        }

        @Override
        public long flush() {
            plan.fill().flush();
            return plan.fill().stored();
        }

        @Override
        public void commit() {
            flush();
            store.commit(List.of(new Complete(plan.id(), definition, List.of())));
        }

        @Override
        public void close() {
            flush();
        }
    }

    @Override
    public Optional<BatchStatus> find(String id) {
        return reader.find(id).map(BatchReader.Found::status);
    }

    @Override
    public Map<String, BatchStatus> findAll(Collection<String> ids) {
        List<String> known = ids.stream().filter(BatchJobId::isBatch).distinct().toList();
        Map<String, BatchStatus> found = new HashMap<>();
        for (int from = 0; from < known.size(); from += AT_ONCE) {
            reader.findAll(known.subList(from, Math.min(known.size(), from + AT_ONCE)))
                    .forEach((id, batch) -> found.put(id, batch.status()));
        }
        return found;
    }

    @Override
    public BatchPage jobs(String id, Set<BatchJobState> states, long after, int limit) {
        if (limit < 1 || limit > MOST_JOBS) {
            throw new InvalidJobException("'limit' must be 1 to " + MOST_JOBS + " but was " + limit);
        }
        return BatchJobId.isBatch(id)
                ? reader.jobs(id, states, Math.max(-1, after), limit)
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
        if (!BatchJobId.isBatch(id)) {
            return false;
        }
        boolean cancelled = store.cancel(id);
        if (cancelled) {
            reader.children(id).forEach(this::cancel);
        }
        return cancelled;
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
        return new RunningBatch(id);
    }

    /** The batch of a running job. */
    private final class RunningBatch implements JobBatch {

        private final String id;
        private volatile @Nullable Boolean keepsResults;

        RunningBatch(String id) {
            this.id = id;
        }

        @Override
        public String id() {
            return id;
        }

        private BatchReader.Found found() {
            return reader.find(id).orElseThrow(() -> new BatchEndedException("There is no batch " + id + " any more"));
        }

        @Override
        public BatchStatus status() {
            return found().status();
        }

        private boolean keepsResults() {
            Boolean known = keepsResults;
            if (known == null) {
                known = found().definition().keepsResults();
                keepsResults = known;
            }
            return known;
        }

        @Override
        public @Nullable String add(JobCall job) {
            long index = store.reserve(id, 1);
            BatchFill fill = new BatchFill(client, store, id, false);
            boolean admitted = fill.add(index, job, keepsResults());
            fill.flush();
            return admitted ? new BatchJobId(id, index).jid() : null;
        }

        @Override
        public long addAll(Stream<JobCall> jobs) {
            boolean keeps = keepsResults();
            BatchFill fill = new BatchFill(client, store, id, false);
            long reserved = 0;
            long index = 0;
            try (jobs) {
                for (Iterator<JobCall> all = jobs.iterator(); all.hasNext(); ) {
                    if (index == reserved) {
                        index = store.reserve(id, BatchStore.SLICE);
                        reserved = index + BatchStore.SLICE;
                    }
                    fill.add(index, all.next(), keeps);
                    index++;
                }
            }
            fill.flush();
            return fill.stored();
        }

        @Override
        public String child(String name, Consumer<BatchBuilder> content) {
            return create(BatchIds.random(random), name, id, content);
        }

        @Override
        public BatchPage jobs(Set<BatchJobState> states, long after, int limit) {
            return RedisBatches.this.jobs(id, states, after, limit);
        }

        @Override
        public Stream<BatchJob> results() {
            if (!keepsResults()) {
                throw new IllegalStateException(
                        "Batch " + id + " keeps no results. Create or open it with keepResults()");
            }
            Iterator<BatchJob> all = new Iterator<>() {
                private BatchPage page = jobs(Set.of(BatchJobState.SUCCEEDED), -1, MOST_JOBS);
                private int at;

                @Override
                public boolean hasNext() {
                    while (at == page.jobs().size() && page.hasMore()) {
                        page = jobs(Set.of(BatchJobState.SUCCEEDED), page.next(), MOST_JOBS);
                        at = 0;
                    }
                    return at < page.jobs().size();
                }

                @Override
                public BatchJob next() {
                    if (!hasNext()) {
                        throw new NoSuchElementException();
                    }
                    return page.jobs().get(at++);
                }
            };
            return StreamSupport.stream(Spliterators.spliteratorUnknownSize(all, Spliterator.ORDERED), false)
                    .filter(job -> job.result() != null);
        }

        @Override
        public boolean isCancelled() {
            return reader.find(id)
                    .map(found -> found.status().cancelledAt() != null)
                    .orElse(false);
        }
    }

    /** Closes the connection; later calls fail. */
    @Override
    public void close() {
        connection.close();
    }
}
