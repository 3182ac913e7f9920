package dev.jobs.test;

import dev.jobs.JobCall;
import dev.jobs.JobClient;
import dev.jobs.JobHooks;
import dev.jobs.JobMethod;
import dev.jobs.JobRegistry;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.client.ClientConfig;
import dev.jobs.client.JobStore;
import dev.jobs.client.ReadyJob;
import dev.jobs.client.ResultStore;
import dev.jobs.store.JobPushes;
import dev.jobs.store.PushAnswers;
import dev.jobs.transactions.Transactions;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/** Makes jobs as the application's client makes them, without middleware, and stores none. Thread-safe. */
final class UnstoredJobs {

    private final JobRegistry registry;
    private final ClientConfig config;
    private final Clock clock;
    private final RandomGenerator random;

    UnstoredJobs(JobRegistry registry, ClientConfig config, Clock clock, RandomGenerator random) {
        this.registry = registry;
        this.config = config;
        this.clock = clock;
        this.random = random;
    }

    /** The job of a call, with the options of the call. */
    EnqueuedJob of(JobCall call) {
        return of(client -> {
            JobClient with = call.apply(client);
            JobMethod method = call.method();
            if (method == null) {
                with.enqueue(call.name(), call.arguments().toArray());
            } else {
                with.enqueueMethod(method, call.arguments());
            }
        });
    }

    /** The one job that is enqueued. */
    EnqueuedJob of(Consumer<JobClient> enqueueing) {
        Capture captured = new Capture();
        try (RedisJobClient client = new RedisJobClient(
                captured, registry, JobHooks.none(), config, clock, random, Transactions.NONE, null)) {
            enqueueing.accept(client);
        }
        ReadyJob job = captured.job.get();
        if (job == null) {
            throw new IllegalStateException("No job was enqueued");
        }
        return EnqueuedJob.of(job, registry);
    }

    private static final class Capture implements JobStore {

        private final AtomicReference<ReadyJob> job = new AtomicReference<>();

        @Override
        public JobPushes.Sent send(List<ReadyJob> jobs) {
            job.set(jobs.get(0));
            return new Stored(() -> {}, PushAnswers.allStored());
        }

        @Override
        public ResultStore results() {
            return new MemoryResults(() -> {}, InstantSource.system());
        }

        @Override
        public Instant cancel(String jid, Instant now) {
            return now;
        }

        @Override
        public Duration timeout() {
            return Duration.ZERO;
        }

        @Override
        public void close() {}
    }

    /** A push to memory; what is to follow once listeners know of it may fail. */
    record Stored(Runnable next, PushAnswers answers) implements JobPushes.Sent {

        @Override
        public PushAnswers await() {
            return answers;
        }

        @Override
        public void told() {
            next.run();
        }

        @Override
        public PushAnswers repeat(Duration atMost) {
            return await();
        }

        @Override
        public boolean mayBeStored() {
            return false;
        }

        @Override
        public void giveUp() {}
    }
}
