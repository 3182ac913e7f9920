package dev.jobs.benchmarks.driver;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.stream.LongStream;

/** The measurements of a driver. Each begins with an empty store and ends with its workers stopped. */
final class Measurements {

    private static final long PATIENCE_SECONDS = 120;
    private static final int FIRST_SAMPLES = 100;

    private final BenchmarkDriver driver;
    private final RedisServer redis;

    Measurements(BenchmarkDriver driver, RedisServer redis) {
        this.driver = driver;
        this.redis = redis;
    }

    /**
     * Jobs that do nothing, from the first one's beginning to the last one's end, enqueued before the workers start.
     */
    Answer drain(int jobs, int concurrency) throws Exception {
        return workOff(new Tally(jobs), jobs, concurrency);
    }

    /** Like a drain, with jobs that wait. The same waits without any library show the best possible result. */
    Answer work(int jobs, int concurrency, int millis) throws Exception {
        Duration wait = Duration.ofMillis(millis);
        return workOff(new Tally(jobs, wait), jobs, concurrency)
                .with("millis", millis)
                .with("bare_nanos", bare(new Tally(jobs, wait), jobs, concurrency));
    }

    private Answer workOff(Tally tally, int jobs, int concurrency) throws Exception {
        clear();
        driver.enqueueInBulk(jobs);
        Map<String, Long> before = redis.counters();
        withWorkers(concurrency, tally, () -> {
            require(tally);
            return null;
        });
        return new Answer()
                .with("jobs", jobs)
                .with("concurrency", concurrency)
                .with("ran", tally.count())
                .with("nanos", tally.nanos())
                .with("cpu_nanos", tally.cpuNanos())
                .with(redis.since(before));
    }

    private static long bare(Tally tally, int jobs, int concurrency) throws Exception {
        inThreads(concurrency, jobs, share -> {
            for (int i = 0; i < share; i++) {
                tally.ran();
            }
        });
        return tally.nanos();
    }

    Answer enqueueSingle(int jobs, int threads) throws Exception {
        clear();
        long begin = System.nanoTime();
        inThreads(threads, jobs, driver::enqueueSingly);
        return new Answer().with("jobs", jobs).with("threads", threads).with("nanos", System.nanoTime() - begin);
    }

    Answer enqueueBulk(int jobs) throws Exception {
        clear();
        long begin = System.nanoTime();
        driver.enqueueInBulk(jobs);
        return new Answer().with("jobs", jobs).with("nanos", System.nanoTime() - begin);
    }

    /** From the enqueueing call to the job's method, with otherwise idle workers. */
    Answer latency(int samples, int concurrency) throws Exception {
        clear();
        int all = FIRST_SAMPLES + samples;
        Tally tally = new Tally(all);
        long[] called = new long[all];
        withWorkers(concurrency, tally, () -> {
            for (int id = 0; id < all; id++) {
                Pauses.pause(Duration.ofNanos(ThreadLocalRandom.current().nextLong(5_000_000, 10_000_000)));
                called[id] = System.nanoTime();
                driver.enqueueTimed(id);
            }
            require(tally);
            return null;
        });
        List<Long> waits = new ArrayList<>();
        for (int id = FIRST_SAMPLES; id < all; id++) {
            waits.add(tally.entered().get((long) id) - called[id]);
        }
        return new Quantiles(waits).in(new Answer().with("concurrency", concurrency));
    }

    /** Many jobs for one instant: from it to the end of the last job. */
    Answer due(int jobs, int concurrency) throws Exception {
        clear();
        Tally tally = new Tally(jobs);
        List<Long> ids = LongStream.range(0, jobs).boxed().toList();
        return withWorkers(concurrency, tally, () -> {
            Instant at = Instant.now().plusMillis(3_000 + jobs / 5);
            long dueNanos = nanoTimeOf(at);
            driver.scheduleTimed(ids, at);
            if (System.nanoTime() > dueNanos) {
                throw new IllegalStateException("it took too long to schedule " + jobs + " jobs");
            }
            require(tally);
            long first = tally.entered().values().stream()
                    .mapToLong(Long::longValue)
                    .min()
                    .orElseThrow();
            return new Answer()
                    .with("jobs", jobs)
                    .with("concurrency", concurrency)
                    .with("ran", tally.count())
                    .with("first_nanos", first - dueNanos)
                    .with("nanos", tally.lastNanos() - dueNanos);
        });
    }

    /** Single jobs, each for its own instant: from it to the job's method. */
    Answer lateness(int samples, int concurrency) throws Exception {
        clear();
        Tally tally = new Tally(samples);
        Map<Long, Long> dueNanos = new HashMap<>();
        return withWorkers(concurrency, tally, () -> {
            Instant at = Instant.now().plusSeconds(2);
            for (long id = 0; id < samples; id++) {
                dueNanos.put(id, nanoTimeOf(at));
                driver.scheduleTimed(List.of(id), at);
                at = at.plusNanos(ThreadLocalRandom.current().nextLong(61_000_000, 211_000_000));
            }
            require(tally);
            List<Long> late = new ArrayList<>();
            tally.entered().forEach((id, nanos) -> late.add(nanos - dueNanos.get(id)));
            return new Quantiles(late).in(new Answer().with("concurrency", concurrency));
        });
    }

    private static long nanoTimeOf(Instant at) {
        return System.nanoTime() + Duration.between(Instant.now(), at).toNanos();
    }

    private void clear() throws Exception {
        redis.clear();
        driver.clear();
    }

    private <T> T withWorkers(int concurrency, Tally tally, Callable<T> measured) throws Exception {
        driver.startWorkers(concurrency, tally);
        try {
            return measured.call();
        } finally {
            driver.stopWorkers();
        }
    }

    private static void require(Tally tally) throws InterruptedException {
        if (!tally.await(PATIENCE_SECONDS)) {
            throw new IllegalStateException("only " + tally.count() + " jobs were run in " + PATIENCE_SECONDS + " s");
        }
    }

    private static void inThreads(int threads, int jobs, Share work) throws Exception {
        ThreadPoolExecutor pool = (ThreadPoolExecutor) Executors.newFixedThreadPool(threads);
        pool.prestartAllCoreThreads();
        try {
            List<Callable<Void>> shares = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int share = jobs / threads + (i < jobs % threads ? 1 : 0);
                shares.add(() -> {
                    work.run(share);
                    return null;
                });
            }
            for (Future<Void> done : pool.invokeAll(shares)) {
                done.get();
            }
        } finally {
            pool.shutdownNow();
        }
    }

    /** One thread's share of the jobs. */
    private interface Share {
        void run(int jobs) throws Exception;
    }
}
