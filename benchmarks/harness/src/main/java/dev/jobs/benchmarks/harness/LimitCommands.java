package dev.jobs.benchmarks.harness;

import dev.jobs.JobCall;
import dev.jobs.JobHandle;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.benchmarks.driver.Answer;
import dev.jobs.benchmarks.driver.Arguments;
import dev.jobs.benchmarks.driver.Pauses;
import dev.jobs.benchmarks.driver.RedisServer;
import dev.jobs.benchmarks.harness.JobsProcess.Work;
import dev.jobs.limiters.ConcurrentLimiter;
import dev.jobs.limiters.Limiter;
import dev.jobs.limiters.Limiters;
import dev.jobs.limiters.OverLimitException;
import dev.jobs.limiters.PointsLimiter;
import dev.jobs.limits.LimitRate;
import dev.jobs.limits.LimitsAdmin;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/** The commands of a process that concern limits, limiters and results. */
final class LimitCommands {

    private static final String NAME = "benchmark";
    private static final int MOST_USES = 10_000;
    private static final int FEW = 1_000;
    private static final int SLICE = 10;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final RedisJobClient client;
    private final LimitsAdmin limits;
    private final Limiters limiters;
    private final RedisServer redis;

    LimitCommands(RedisJobClient client, LimitsAdmin limits, Limiters limiters, RedisServer redis) {
        this.client = client;
        this.limits = limits;
        this.limiters = limiters;
        this.redis = redis;
    }

    /** Enqueues jobs of which only so many of each key run at once. The keys take turns, ten jobs each. */
    Answer fill(int jobs, int permits, int keys) {
        limits.set(NAME, permits);
        long begin = System.nanoTime();
        Arguments arguments = Arguments.ofSize(Arguments.STANDARD);
        int slice = keys == 1 ? jobs : SLICE;
        for (int left = jobs; left > 0; left -= slice) {
            client.limit(NAME, "key-" + left / slice % keys).enqueueAll(Work.RUN, JobsProcess.times(slice, arguments));
        }
        return new Answer().with("jobs", jobs).with("nanos", System.nanoTime() - begin);
    }

    /** Enqueues numbered jobs of one key, of which so many start in a second, and as many at once after a quiet time. */
    Answer fillRated(int jobs, int perSecond) {
        limits.set(NAME, LimitRate.of(perSecond, Duration.ofSeconds(1)));
        client.limit(NAME, "")
                .enqueueAll(
                        "Work.timed",
                        LongStream.range(0, jobs)
                                .mapToObj(id -> List.<Object>of(id))
                                .toList());
        return new Answer().with("jobs", jobs);
    }

    /** Uses a limiter, one use after the other. */
    Answer use(String kind, boolean room, int uses) {
        Runnable use = limiter(kind, room ? MOST_USES : 1);
        if (room) {
            return uses(use, uses, 0);
        }
        if (kind.equals("concurrent")) {
            return permits(1).call(() -> uses(use, uses, uses));
        }
        use.run();
        return uses(use, uses, uses);
    }

    private Answer uses(Runnable use, int uses, int expected) {
        Map<String, Long> before = redis.counters();
        long begin = System.nanoTime();
        int refused = 0;
        for (int i = 0; i < uses; i++) {
            try {
                use.run();
            } catch (OverLimitException e) {
                refused++;
            }
        }
        if (refused != expected) {
            throw new IllegalStateException(refused + " of " + uses + " uses were refused");
        }
        return answer(uses, begin, before);
    }

    private Runnable limiter(String kind, int size) {
        Duration day = Duration.ofDays(1);
        return switch (kind) {
            case "bucket" -> use(limiters.bucket(NAME, size, day));
            case "window" -> use(limiters.window(NAME, size, day));
            case "leaky" -> use(limiters.leaky(NAME, size, day));
            case "concurrent" -> use(permits(size));
            case "points" -> {
                PointsLimiter points = limiters.points(NAME, size, 0.01);
                yield () -> points.run(call -> {});
            }
            default -> throw new IllegalArgumentException(kind);
        };
    }

    private ConcurrentLimiter permits(int size) {
        return limiters.concurrent(NAME, size).holdAtMost(PATIENCE);
    }

    private static Runnable use(Limiter limiter) {
        return () -> limiter.run(() -> {});
    }

    /** Submits jobs, a thousand at a time, and awaits each of them. */
    Answer await(int jobs) throws InterruptedException {
        Map<String, Long> before = redis.counters();
        long begin = System.nanoTime();
        for (int left = jobs; left > 0; left -= FEW) {
            List<JobHandle<Integer>> handles = new ArrayList<>();
            for (int i = 0; i < Math.min(left, FEW); i++) {
                handles.add(client.submit(JobCall.of(Work::answer, i), Integer.class));
            }
            for (JobHandle<Integer> each : handles) {
                each.await(PATIENCE).value();
            }
        }
        return answer(jobs, begin, before);
    }

    /** Enqueues as many of the same jobs, and waits until all have ended. */
    Answer enqueue(int jobs) {
        Map<String, Long> before = redis.counters();
        long begin = System.nanoTime();
        long ended = processed() + jobs;
        for (int i = 0; i < jobs; i++) {
            client.enqueue(Work::answer, i);
        }
        while (processed() < ended) {
            if (System.nanoTime() - begin > PATIENCE.toNanos()) {
                throw new IllegalStateException("only " + processed() + " of " + ended + " jobs have ended");
            }
            Pauses.pause(JobsMeasurements.LOOK);
        }
        return answer(jobs, begin, before);
    }

    private long processed() {
        String text = redis.ask("GET stat:processed");
        return text.isEmpty() ? 0 : Long.parseLong(text);
    }

    private Answer answer(int jobs, long begin, Map<String, Long> before) {
        return new Answer()
                .with("jobs", jobs)
                .with("nanos", System.nanoTime() - begin)
                .with(redis.since(before));
    }
}
