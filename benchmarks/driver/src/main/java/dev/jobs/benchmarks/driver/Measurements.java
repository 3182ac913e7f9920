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
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** The measurements of a driver. Each begins with an empty store and ends with its workers stopped. */
final class Measurements {

    private static final long PATIENCE_SECONDS = 120;
    private static final int FIRST_SAMPLES = 100;
    private static final int COLD_BULK = 1_000;
    private static final int COLD_BACKLOG = 5_000;

    private final BenchmarkDriver driver;
    private final RedisServer redis;

    Measurements(BenchmarkDriver driver, RedisServer redis) {
        this.driver = driver;
        this.redis = redis;
    }

    /**
     * Jobs that do nothing, from the first one's beginning to the last one's end, enqueued before the workers start.
     */
    Answer drain(int jobs, int concurrency, Arguments arguments) throws Exception {
        return workOff(new Tally(jobs), jobs, concurrency, () -> driver.enqueueInBulk(arguments, jobs));
    }

    /** Like a drain, with jobs of which only so many run at once over all workers. */
    Answer drainLimited(int jobs, int concurrency, int permits, Arguments arguments) throws Exception {
        return workOff(new Tally(jobs), jobs, concurrency, () -> driver.enqueueLimited(arguments, jobs, permits))
                .with("permits", permits);
    }

    /** Like a drain, with jobs that wait. The same waits without any library show the best possible result. */
    Answer work(int jobs, int concurrency, int millis, Arguments arguments) throws Exception {
        Duration wait = Duration.ofMillis(millis);
        return workOff(new Tally(jobs, wait), jobs, concurrency, () -> driver.enqueueInBulk(arguments, jobs))
                .with("millis", millis)
                .with("bare_nanos", bare(new Tally(jobs, wait), jobs, concurrency));
    }

    private Answer workOff(Tally tally, int jobs, int concurrency, Action enqueue) throws Exception {
        clear();
        enqueue.run();
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

    Answer enqueueSingle(int jobs, int threads, Arguments arguments) throws Exception {
        return enqueued(jobs, () -> inThreads(threads, jobs, share -> driver.enqueueSingly(arguments, share)))
                .with("threads", threads);
    }

    /** @param keys how many keys the jobs have, in turn */
    Answer enqueueUnique(int jobs, int keys, Arguments arguments) throws Exception {
        List<String> all =
                IntStream.range(0, jobs).mapToObj(i -> "key:" + i % keys).toList();
        return enqueued(jobs, () -> driver.enqueueUnique(arguments, all)).with("keys", keys);
    }

    Answer enqueueBulk(int jobs, Arguments arguments) throws Exception {
        return enqueued(jobs, () -> driver.enqueueInBulk(arguments, jobs));
    }

    private Answer enqueued(int jobs, Action enqueue) throws Exception {
        clear();
        Map<String, Long> before = redis.counters();
        long begin = System.nanoTime();
        enqueue.run();
        long nanos = System.nanoTime() - begin;
        return new Answer().with("jobs", jobs).with("nanos", nanos).with(redis.since(before));
    }

    /**
     * What a fresh process does in its first seconds: it starts workers and enqueues in bulk whenever few jobs wait.
     * Has to be its first command.
     */
    Answer cold(int seconds, int concurrency, Arguments arguments) throws Exception {
        clear();
        long begin = System.nanoTime();
        Tally tally = new Tally(Integer.MAX_VALUE);
        return withWorkers(concurrency, tally, () -> {
            int enqueued = fill(tally, 0, begin + Duration.ofSeconds(1).toNanos(), arguments);
            int doneInFirstSecond = tally.count();
            fill(tally, enqueued, begin + Duration.ofSeconds(seconds).toNanos(), arguments);
            return new Answer()
                    .with("jobs", tally.count())
                    .with("nanos", System.nanoTime() - begin)
                    .with("first_second", doneInFirstSecond);
        });
    }

    /** Keeps some jobs waiting until then. Returns how many were enqueued so far. */
    private int fill(Tally tally, int before, long endNanos, Arguments arguments) throws Exception {
        int enqueued = before;
        while (System.nanoTime() - endNanos < 0) {
            if (enqueued - tally.count() < COLD_BACKLOG) {
                driver.enqueueInBulk(arguments, COLD_BULK);
                enqueued += COLD_BULK;
            } else {
                Pauses.pause(Duration.ofMillis(1));
            }
        }
        return enqueued;
    }

    /**
     * From the enqueueing call to the job's method, with otherwise idle workers. The counters of Redis contain what an idle
     * worker does between two jobs.
     */
    Answer latency(int samples, int concurrency, Arguments arguments) throws Exception {
        clear();
        int all = FIRST_SAMPLES + samples;
        Tally tally = new Tally(all);
        long[] called = new long[all];
        Map<String, Long> cost = withWorkers(concurrency, tally, () -> {
            Map<String, Long> before = Map.of();
            for (int id = 0; id < all; id++) {
                if (id == FIRST_SAMPLES) {
                    before = redis.counters();
                }
                Pauses.pause(Duration.ofNanos(ThreadLocalRandom.current().nextLong(5_000_000, 10_000_000)));
                called[id] = System.nanoTime();
                driver.enqueueSingly(arguments.numbered(id), 1);
            }
            require(tally);
            return redis.since(before);
        });
        List<Long> waits = new ArrayList<>();
        for (int id = FIRST_SAMPLES; id < all; id++) {
            waits.add(tally.entered().get((long) id) - called[id]);
        }
        return new Quantiles(waits)
                .in(new Answer().with("jobs", samples).with("concurrency", concurrency))
                .with(cost);
    }

    /** Many jobs for one instant: from it to the end of the last job. */
    Answer due(int jobs, int concurrency, Arguments arguments) throws Exception {
        clear();
        Tally tally = new Tally(jobs);
        List<Arguments> all =
                LongStream.range(0, jobs).mapToObj(arguments::numbered).toList();
        return withWorkers(concurrency, tally, () -> {
            Instant at = Instant.now().plusMillis(3_000 + jobs / 5);
            long dueNanos = nanoTimeOf(at);
            driver.schedule(all, at);
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
    Answer lateness(int samples, int concurrency, Arguments arguments) throws Exception {
        clear();
        Tally tally = new Tally(samples);
        Map<Long, Long> dueNanos = new HashMap<>();
        return withWorkers(concurrency, tally, () -> {
            Instant at = Instant.now().plusSeconds(2);
            for (long id = 0; id < samples; id++) {
                dueNanos.put(id, nanoTimeOf(at));
                driver.schedule(List.of(arguments.numbered(id)), at);
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

    /** What is measured. */
    private interface Action {
        void run() throws Exception;
    }

    /** One thread's share of the jobs. */
    private interface Share {
        void run(int jobs) throws Exception;
    }
}
