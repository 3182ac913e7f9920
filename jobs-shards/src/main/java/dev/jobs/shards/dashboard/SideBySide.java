package dev.jobs.shards.dashboard;

import dev.jobs.JobStoreException;
import dev.jobs.JobsException;
import dev.jobs.dashboard.web.Problem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks all shards at once, each on threads of its own, and waits for none longer than for the others: one that is
 * silent costs a second once, and nothing from then on until it answers again. One that answers, but is asked more at
 * once than it has threads, is no silent one: what is too much is given up as busy. Thread-safe.
 */
final class SideBySide implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(SideBySide.class);

    /** How long a shard may take that has answered so far. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    /** How long one may take that hasn't: enough to answer, or to refuse a connection, if it is there again. */
    private static final Duration GRACE = Duration.ofMillis(50);
    /** How long it may take to act: people wait for that, and want to know how it ended. */
    private static final Duration DEED = Duration.ofSeconds(5);

    /** Of one shard. Its calls share one connection, so more would not be faster. */
    private static final int THREADS = 4;
    /** How many questions to one shard may wait for a thread, while it answers others. */
    private static final int WAITING = 32;

    private static final int SECONDS_IDLE = 10;

    /**
     * What came of asking a shard: either is null.
     *
     * @param value never null if there was no problem
     */
    record Outcome<T>(
            ShardPart shard, @Nullable T value, @Nullable Problem problem) {}

    /** A shard that is missing in an answer, and why. */
    record Missing(ShardPart shard, String code, String message) {}

    /** The threads of a shard, and what is known of it. */
    private static final class Lane {

        private final ThreadPoolExecutor threads;
        private final AtomicInteger underWay = new AtomicInteger();
        /** Null while it answers. */
        private volatile @Nullable Problem trouble;
        /** How many questions it has answered. */
        private final AtomicLong answers = new AtomicLong();

        Lane(ThreadFactory factory) {
            threads = new ThreadPoolExecutor(
                    THREADS, THREADS, SECONDS_IDLE, TimeUnit.SECONDS, new LinkedBlockingQueue<>(WAITING), factory);
            threads.allowCoreThreadTimeOut(true);
        }
    }

    /**
     * A question to a shard.
     *
     * @param answer null if it was not asked
     * @param answers how many others the shard had answered before
     */
    private record Asked<T>(
            ShardPart shard,
            Lane lane,
            @Nullable Problem before,
            @Nullable FutureTask<T> answer,
            long answers) {

        /** Returns whether it was not begun, and never will be. */
        boolean giveUp() {
            boolean unbegun = answer == null || lane.threads.remove(answer);
            if (unbegun && answer != null) {
                lane.underWay.decrementAndGet();
            }
            return unbegun;
        }
    }

    private final Map<String, Lane> lanes = new ConcurrentHashMap<>();
    private final ThreadFactory threads;
    private final Duration patience;
    private final Duration timeToAct;

    SideBySide(ThreadFactory threads) {
        this(threads, PATIENCE);
    }

    SideBySide(ThreadFactory threads, Duration patience) {
        this(threads, patience, DEED);
    }

    SideBySide(ThreadFactory threads, Duration patience, Duration timeToAct) {
        this.threads = threads;
        this.patience = patience;
        this.timeToAct = timeToAct;
    }

    /** The answers of shards, in their order. */
    <T> List<Outcome<T>> ask(List<ShardPart> shards, Function<ShardPart, T> question) {
        long begun = System.nanoTime();
        List<Asked<T>> asked =
                shards.stream().map(shard -> ask(shard, question, false)).toList();
        List<Outcome<T>> outcomes = new ArrayList<>();
        for (Asked<T> each : asked) {
            Duration wait = each.before() == null ? patience : GRACE;
            outcomes.add(outcome(each, begun + wait.toNanos(), shard -> {}));
        }
        return outcomes;
    }

    /**
     * Acts in shards; also in one that has not answered so far.
     *
     * @param unbegun told of each shard in which it was not even tried
     */
    <T> List<Outcome<T>> act(List<ShardPart> shards, Function<ShardPart, T> deed, Consumer<ShardPart> unbegun) {
        long begun = System.nanoTime();
        List<Asked<T>> asked =
                shards.stream().map(shard -> ask(shard, deed, true)).toList();
        return asked.stream()
                .map(each -> outcome(each, begun + timeToAct.toNanos(), unbegun))
                .toList();
    }

    /** Those that didn't answer. */
    static List<Missing> missing(List<? extends Outcome<?>> outcomes) {
        List<Missing> missing = new ArrayList<>();
        for (Outcome<?> each : outcomes) {
            Problem problem = each.problem();
            if (problem != null) {
                missing.add(new Missing(each.shard(), problem.code(), problem.text()));
            }
        }
        return missing;
    }

    private <T> Asked<T> ask(ShardPart shard, Function<ShardPart, T> question, boolean always) {
        Lane lane = lanes.computeIfAbsent(shard.name(), name -> new Lane(threads));
        Problem before = lane.trouble;
        long answers = lane.answers.get();
        int most = always ? THREADS : 1;
        if (before != null && lane.underWay.get() >= most) {
            return new Asked<>(shard, lane, before, null, answers); // those will tell whether it is there again
        }
        FutureTask<T> answer = new FutureTask<>(() -> answer(shard, lane, question));
        lane.underWay.incrementAndGet();
        try {
            lane.threads.execute(answer);
            return new Asked<>(shard, lane, before, answer, answers);
        } catch (RejectedExecutionException e) {
            lane.underWay.decrementAndGet();
            return new Asked<>(shard, lane, before == null ? busy(shard) : before, null, answers);
        }
    }

    private static <T> T answer(ShardPart shard, Lane lane, Function<ShardPart, T> question) {
        try {
            T answer = question.apply(shard);
            lane.answers.incrementAndGet();
            lane.trouble = null;
            return answer;
        } catch (JobStoreException e) {
            if (e.kind() == JobStoreException.Kind.UNREACHABLE || e.kind() == JobStoreException.Kind.TIMEOUT) {
                lane.trouble = Problem.redis(e);
            }
            throw e;
        } finally {
            lane.underWay.decrementAndGet();
        }
    }

    private static <T> Outcome<T> outcome(Asked<T> asked, long end, Consumer<ShardPart> unbegun) {
        FutureTask<T> answer = asked.answer();
        if (answer == null) {
            unbegun.accept(asked.shard());
            return new Outcome<>(asked.shard(), null, asked.before());
        }
        try {
            return new Outcome<>(
                    asked.shard(), answer.get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS), null);
        } catch (ExecutionException e) {
            return new Outcome<>(asked.shard(), null, problem(e.getCause()));
        } catch (TimeoutException e) {
            return late(asked, unbegun);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return late(asked, unbegun);
        }
    }

    /** It is silent only if it has answered nobody meanwhile. */
    private static <T> Outcome<T> late(Asked<T> asked, Consumer<ShardPart> unbegun) {
        if (asked.giveUp()) {
            unbegun.accept(asked.shard());
        }
        Problem known = asked.lane().trouble;
        if (known == null && asked.lane().answers.get() > asked.answers()) {
            return new Outcome<>(asked.shard(), null, busy(asked.shard()));
        }
        Problem trouble = known == null ? silent(asked.shard()) : known;
        asked.lane().trouble = trouble;
        return new Outcome<>(asked.shard(), null, trouble);
    }

    private static Problem silent(ShardPart shard) {
        return new Problem(503, "silent", "The Redis of shard " + shard.name() + " doesn't answer");
    }

    private static Problem busy(ShardPart shard) {
        return new Problem(
                503,
                "shard-busy",
                "Shard " + shard.name() + " is asked for more at once than it can answer: try again");
    }

    private static Problem problem(@Nullable Throwable failure) {
        if (failure instanceof Problem problem) {
            return problem;
        }
        if (failure instanceof JobStoreException e) {
            return Problem.redis(e);
        }
        if (failure instanceof JobsException e) {
            return new Problem(409, "conflict", String.valueOf(e.getMessage()));
        }
        log.error("The dashboard failed to ask a shard", failure);
        return new Problem(500, "internal", "The shard can't be read; the log says why");
    }

    @Override
    public void close() {
        lanes.values().forEach(lane -> lane.threads.shutdownNow());
    }
}
