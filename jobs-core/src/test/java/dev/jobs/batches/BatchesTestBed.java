package dev.jobs.batches;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobContext;
import dev.jobs.JobFailedException;
import dev.jobs.Masked;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.iterations.Iteration;
import dev.jobs.testing.RedisFixture;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** What tests of batches with engines have in common. */
public abstract class BatchesTestBed {

    final RedisFixture redis;

    public final Shop shop = new Shop();
    public EngineTestBed bed;
    public RedisJobClient client;
    public RedisBatches batches;

    /** @param redis one for all tests of a class */
    public BatchesTestBed(RedisFixture redis) {
        this.redis = redis;
    }

    @BeforeEach
    void empty() {
        redis.flush();
        bed = new EngineTestBed(redis);
        client = bed.client(shop);
        batches = new RedisBatches(bed.connections(), client, new SecureRandom());
        bed.batches = batches;
    }

    @AfterEach
    void everyJobIsAccountedFor() {
        shop.gate.countDown();
        bed.stopEngines();
        assertThat(bed.books().conservationError()).isZero();
        assertThat(bed.books().inFlight()).isZero();
        batches.close();
        bed.close();
    }

    /** The jobs, and what ran. */
    public static final class Shop {

        public final List<String> ran = new CopyOnWriteArrayList<>();
        public final Map<String, Integer> failuresLeft = new ConcurrentHashMap<>();
        final CountDownLatch gate = new CountDownLatch(1);
        final CountDownLatch working = new CountDownLatch(1);

        @Job("enroll")
        String enroll(int product) {
            if (product % 5 == 4) {
                throw new JobFailedException("Product " + product + " is not sold here");
            }
            ran.add("enroll " + product);
            return "enrolled " + product;
        }

        @Job("sell")
        public void sell(int product) {
            ran.add("sell " + product);
        }

        @Job("tell")
        public void tell() {
            ran.add("told");
        }

        @Job("charge")
        void charge(String customer, @Masked String card, JobContext job) {
            job.message("Charging " + card);
            throw new JobFailedException("The card " + card + " of " + customer + " is void");
        }

        @Job(value = "break", retry = 0)
        public void breakDown(String what) {
            if (failuresLeft.merge(what, -1, Integer::sum) >= 0) {
                throw new IllegalStateException(what + " broke");
            }
            ran.add("break " + what);
        }

        @Job(value = "flaky", retry = 25)
        void flaky() {
            throw new IllegalStateException("not now");
        }

        @Job("report")
        void report(String event, JobContext job) {
            BatchStatus status = JobBatch.of(job).orElseThrow().status();
            ran.add(event + " of " + status.name() + ": " + status.succeeded() + " of " + status.total());
        }

        @Job("sum")
        void sum(JobContext job) {
            ran.add("results "
                    + JobBatch.of(job)
                            .orElseThrow()
                            .results()
                            .map(BatchJob::result)
                            .toList());
        }

        @Job("grow")
        void grow(int more, JobContext job) {
            for (int i = 0; i < more; i++) {
                JobBatch.of(job).orElseThrow().add(JobCall.of(Shop::enroll, 100 * (i + 1)));
            }
            JobBatch.of(job).orElseThrow().child("pictures", child -> child.add(JobCall.of(Shop::enroll, 1_000))
                    .onSuccess(JobCall.of(Shop::report, "child's success")));
        }

        @Job("cancelled")
        void untilCancelled(JobContext job) {
            working.countDown();
            await().until(job::isCancelled);
        }

        @Job("walk")
        Iteration<Integer> walk(int size, JobContext job) {
            return Iteration.over(IntStream.range(0, size).boxed().toList()).each(element -> {
                ran.add("walk " + element);
                untilCancelled(job);
            });
        }

        @Job(value = "rude", retry = 0)
        void rude() {
            throw new IllegalStateException("rude") {
                @Override
                public String getMessage() {
                    throw new IllegalArgumentException("no text either");
                }
            };
        }

        @Job("large")
        String large(int size) {
            return "x".repeat(size);
        }

        @Job("waits")
        void waits(JobContext job) throws InterruptedException {
            job.progress(3, 10);
            job.message("checked");
            working.countDown();
            gate.await();
            ran.add("waited");
        }
    }

    public BatchStatus finished(String id) {
        await().atMost(Duration.ofSeconds(30))
                .until(() -> batches.find(id).orElseThrow().isFinished());
        return batches.find(id).orElseThrow();
    }
}
