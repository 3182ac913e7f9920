package dev.jobs.benchmarks.harness;

import dev.jobs.JobCall;
import dev.jobs.admin.ScanBudget;
import dev.jobs.batches.BatchDetails;
import dev.jobs.batches.BatchEvent;
import dev.jobs.batches.BatchField;
import dev.jobs.batches.BatchJobState;
import dev.jobs.batches.BatchPage;
import dev.jobs.batches.BatchStatus;
import dev.jobs.batches.Batches;
import dev.jobs.batches.BatchesAdmin;
import dev.jobs.batches.OpenBatch;
import dev.jobs.benchmarks.driver.Answer;
import dev.jobs.benchmarks.driver.Arguments;
import dev.jobs.benchmarks.driver.Quantiles;
import dev.jobs.benchmarks.driver.RedisServer;
import dev.jobs.benchmarks.harness.JobsProcess.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The commands of a process that concern batches. */
final class BatchCommands {

    private static final int PAGE = 100;
    private static final int LARGEST_PAGE = 1_000;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Batches batches;
    private final BatchesAdmin admin;
    private final RedisServer redis;

    BatchCommands(Batches batches, BatchesAdmin admin, RedisServer redis) {
        this.batches = batches;
        this.admin = admin;
        this.redis = redis;
    }

    /** Fills a batch with jobs that do nothing, from a stream. */
    Answer fill(int jobs, int bytes) {
        JobCall call = JobCall.named(
                Work.RUN, JobsProcess.list(Arguments.ofSize(bytes)).toArray());
        Map<String, Long> before = redis.counters();
        long begin = System.nanoTime();
        try (OpenBatch batch = batches.open("benchmark")) {
            batch.addAll(Stream.generate(() -> call).limit(jobs));
            batch.commit();
            return new Answer()
                    .with("id", batch.id())
                    .with("jobs", jobs)
                    .with("nanos", System.nanoTime() - begin)
                    .with(redis.since(before));
        }
    }

    /** The same in one call that stores all jobs or none: they are staged, and then released. */
    Answer create(int jobs, int bytes) {
        JobCall call = JobCall.named(
                Work.RUN, JobsProcess.list(Arguments.ofSize(bytes)).toArray());
        Map<String, Long> before = redis.counters();
        long begin = System.nanoTime();
        String id = batches.create(
                "benchmark", batch -> batch.addAll(Stream.generate(() -> call).limit(jobs)));
        return new Answer()
                .with("id", id)
                .with("jobs", jobs)
                .with("nanos", System.nanoTime() - begin)
                .with(redis.since(before));
    }

    /** Creates a batch of jobs that record their ends, as its callback does. */
    Answer flow(int jobs) {
        String id = batches.create(
                "flow", batch -> batch.addAll(IntStream.range(0, jobs).mapToObj(i -> JobCall.named("Recorded.run", i)))
                        .onFinish(JobCall.named("Recorded.callback")));
        return new Answer().with("id", id).with("jobs", jobs);
    }

    /** Whether a batch has finished and its callback has run. */
    Answer flowState(String id) {
        BatchStatus status = batches.find(id).orElseThrow();
        boolean over = status.callbacks().get(BatchEvent.FINISHED) == BatchJobState.SUCCEEDED;
        return new Answer().with("finished", over ? 1 : 0);
    }

    /** Waits until a batch has finished. Returns how many of its jobs succeeded. */
    Answer finish(String id) throws InterruptedException {
        batches.await(id, PATIENCE);
        BatchStatus status = batches.find(id).orElseThrow();
        return new Answer()
                .with("finished", status.isFinished() ? 1 : 0)
                .with("jobs", status.total())
                .with("succeeded", status.succeeded());
    }

    /** Reads the status of a batch, some jobs, and what its page shows, so often each, and then all jobs. */
    Answer read(String id, int samples) {
        long total = batches.find(id).map(BatchStatus::total).orElseThrow();
        Random random = new Random(7);
        List<Long> finds = new ArrayList<>();
        List<Long> jobs = new ArrayList<>();
        List<Long> pages = new ArrayList<>();
        for (int i = 0; i < samples; i++) {
            long begin = System.nanoTime();
            boolean found = batches.find(id).isPresent();
            long between = System.nanoTime();
            batches.jobs(id, Set.of(), random.nextLong(-1, total), found ? PAGE : 1);
            jobs.add(System.nanoTime() - between);
            finds.add(between - begin);
        }
        for (int i = 0; i < samples / PAGE; i++) {
            long begin = System.nanoTime();
            showPage(id);
            pages.add(System.nanoTime() - begin);
        }
        long read = 0;
        for (long after = -1; ; ) {
            BatchPage page = batches.jobs(id, Set.of(), after, LARGEST_PAGE);
            read += page.jobs().size();
            if (!page.hasMore()) {
                break;
            }
            after = page.next();
        }
        return timed(timed(timed(new Answer(), "find", finds), "jobs", jobs), "page", pages)
                .with("read", read);
    }

    private void showPage(String id) {
        BatchDetails batch = admin.find(id).orElseThrow();
        admin.field(id, 0, BatchField.MOST_POSITIONS);
        admin.jobs(id, Set.of(), -1, PAGE);
        admin.failures(batch.status(), ScanBudget.standard());
        admin.family(batch);
        admin.whyUnfinished(batch, ScanBudget.standard());
    }

    /** Without the first half, during which the machine warms up. */
    private static Answer timed(Answer answer, String what, List<Long> nanos) {
        Quantiles warm = new Quantiles(nanos.subList(nanos.size() / 2, nanos.size()));
        return answer.with(what + "_p50_nanos", warm.at(0.5)).with(what + "_p99_nanos", warm.at(0.99));
    }
}
