package dev.jobs.limiters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jobs.JobHooks;
import dev.jobs.JobListener;
import dev.jobs.JobStoreException;
import dev.jobs.JobsException;
import dev.jobs.proof.LongTest;
import dev.jobs.testing.RedisFixture;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class LimitersIT {

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofSeconds(30);

    private final List<String> heard = new CopyOnWriteArrayList<>();
    private final StoredLimiters limiters = limiters();
    private final StoredLimiters elsewhere = limiters();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    private StoredLimiters limiters() {
        return limiters(new Random());
    }

    private StoredLimiters limiters(Random random) {
        JobListener listener = new JobListener() {
            @Override
            public void limited(String limiter, Duration waited, boolean refused) {
                heard.add(limiter + (refused ? " refused" : " waited"));
            }
        };
        JobHooks hooks = JobHooks.none().with(JobListener.class, listener);
        return new StoredLimiters(
                new JobLimiters(redis.connections("")), new CurrentDelivery(), hooks, System::nanoTime, random);
    }

    @AfterEach
    void close() {
        threads.shutdownNow();
        limiters.close();
        elsewhere.close();
    }

    /** One use: the moment at which it was let in lies between these. */
    private record Use(long before, long after) {}

    /** Lets eight threads of two applications use a limiter, which waits, and returns all uses by their end. */
    private List<Use> uses(int count, Function<Limiters, Limiter> maker) throws Exception {
        List<Use> uses = new CopyOnWriteArrayList<>();
        AtomicInteger left = new AtomicInteger(count);
        List<Future<?>> running = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            Limiter limiter = maker.apply(i % 2 == 0 ? limiters : elsewhere).waitAtMost(LONG);
            running.add(threads.submit(() -> {
                while (left.getAndDecrement() > 0) {
                    long[] before = {System.nanoTime()};
                    while (true) {
                        try {
                            // Asks once at a time, so that the moment of the last answer is known.
                            limiter.waitAtMost(Duration.ZERO)
                                    .run(() -> uses.add(new Use(before[0], System.nanoTime())));
                            break;
                        } catch (OverLimitException e) {
                            TimeUnit.NANOSECONDS.sleep(e.retryAfter().toNanos());
                            before[0] = System.nanoTime();
                        }
                    }
                }
                return null;
            }));
        }
        for (Future<?> each : running) {
            each.get(60, TimeUnit.SECONDS);
        }
        List<Use> sorted = new ArrayList<>(uses);
        sorted.sort(Comparator.comparingLong(Use::after));
        return sorted;
    }

    /** The most uses that certainly were let in within any span of that length. */
    private static int most(List<Use> uses, Duration span) {
        int most = 0;
        for (Use first : uses) {
            int within = 0;
            for (Use use : uses) {
                if (use.before() >= first.before() && use.after() - first.before() < span.toNanos()) {
                    within++;
                }
            }
            most = Math.max(most, within);
        }
        return most;
    }

    /** They begin with the same memory, in which each then seeds its generator anew. */
    @Test
    void processesOfOneCheckpointHavePermitsOfTheirOwn() {
        Random first = new Random(1);
        Random second = new Random(1);
        try (StoredLimiters one = limiters(first);
                StoredLimiters other = limiters(second)) {
            first.setSeed(2);
            second.setSeed(3);
            ConcurrentLimiter third = limiters.concurrent("erp", 2).holdAtMost(LONG);

            one.concurrent("erp", 2).holdAtMost(LONG).run(() -> other.concurrent("erp", 2)
                    .holdAtMost(LONG)
                    .run(() -> assertThatThrownBy(() -> third.run(() -> {})).isInstanceOf(OverLimitException.class)));
            third.run(() -> {});
        }
    }

    @Test
    void noWindowHasMoreUsesThanItMay() throws Exception {
        Duration period = Duration.ofMillis(200);

        List<Use> uses = uses(50, each -> each.window("erp", 10, period));

        assertThat(uses).hasSize(50);
        assertThat(most(uses, period)).isLessThanOrEqualTo(10).isGreaterThan(4);
    }

    @LongTest
    @Test
    void noPeriodOfABucketHasMoreUsesThanItMay() throws Exception {
        List<Use> uses = uses(30, each -> each.bucket("erp", 10, SECOND));

        // Wherever it begins, a second touches two periods.
        assertThat(most(uses, SECOND)).isLessThanOrEqualTo(20);
        assertThat(most(uses, SECOND.multipliedBy(2))).isLessThanOrEqualTo(30);
        assertThat(uses.get(29).after() - uses.get(0).before()).isGreaterThan(SECOND.toNanos());
    }

    @Test
    void aLeakyBucketLetsThroughItsSizeAndWhatDrains() throws Exception {
        Duration drain = Duration.ofMillis(500);

        List<Use> uses = uses(35, each -> each.leaky("erp", 10, drain));

        for (int millis : new int[] {50, 100, 250, 500, 1_000}) {
            assertThat(most(uses, Duration.ofMillis(millis))).isLessThanOrEqualTo(10 + millis * 10 / 500);
        }
        assertThat(uses.get(34).after() - uses.get(0).before())
                .isGreaterThan(Duration.ofMillis(1_150).toNanos());
    }

    @Test
    void noMoreAreInsideThanMayBe() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        List<Future<?>> running = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            Limiter limiter = (i % 2 == 0 ? limiters : elsewhere)
                    .concurrent("erp", 3)
                    .holdAtMost(LONG)
                    .waitAtMost(LONG);
            running.add(threads.submit(() -> {
                for (int n = 0; n < 25; n++) {
                    limiter.run(() -> {
                        most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                        Thread.yield();
                        inside.decrementAndGet();
                        done.incrementAndGet();
                    });
                }
                return null;
            }));
        }
        for (Future<?> each : running) {
            each.get(60, TimeUnit.SECONDS);
        }

        assertThat(done).hasValue(200);
        assertThat(most).hasValueBetween(1, 3);
        assertThat(redis.texts().exists("jobs:limiter:timed:erp")).isZero();
    }

    @Test
    void aPermitIsGivenBackWhateverTheBlockDoes() {
        var one = limiters.concurrent("erp", 1).holdAtMost(LONG);

        assertThatThrownBy(() -> one.run(() -> {
                    throw new IOException("no");
                }))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> one.run(() -> {
                    Thread.currentThread().interrupt();
                    throw new IllegalStateException("interrupted");
                }))
                .hasMessage("interrupted");

        assertThat(Thread.interrupted()).isTrue();
        assertThat(one.<String, RuntimeException>call(() -> "in")).isEqualTo("in");
        assertThatThrownBy(() -> one.run(() -> one.run(() -> {}))).isInstanceOf(OverLimitException.class);
    }

    @Test
    void aCallerOutsideAJobHasToSayHowLongItHoldsAPermit() {
        assertThatThrownBy(() -> limiters.concurrent("erp", 1).run(() -> {}))
                .isInstanceOf(JobsException.class)
                .hasMessageContaining("'erp'")
                .hasMessageContaining("holdAtMost");
    }

    @Test
    void pointsAreCorrectedHoweverTheBlockEnds() {
        PointsLimiter points = limiters.points("api", 100, 0.001);
        assertThatThrownBy(() -> points.estimate(10).run(call -> {
                    call.used(70);
                    throw new IOException("no");
                }))
                .isInstanceOf(IOException.class);
        int answer = points.estimate(20).<Integer, RuntimeException>call(call -> {
            call.used(90);
            call.used(5);
            return 42;
        });

        assertThat(answer).isEqualTo(42);
        points.estimate(25).run(call -> {});
        assertThatThrownBy(() -> points.run(call -> {})).isInstanceOf(OverLimitException.class);
        assertThat(heard).containsExactly("api refused");
    }

    @Test
    void whoIsRefusedLearnsWhenToComeBack() {
        Limiter window = limiters.window("erp", 1, Duration.ofMinutes(1));
        window.run(() -> {});

        assertThatThrownBy(() -> window.waitAtMost(Duration.ofSeconds(20)).run(() -> {}))
                .isInstanceOfSatisfying(OverLimitException.class, e -> {
                    assertThat(e.limiter()).isEqualTo("erp");
                    assertThat(e.retryAfter()).isBetween(Duration.ofSeconds(50), Duration.ofMinutes(1));
                })
                .hasMessageStartingWith("The limiter 'erp' has no room; there may be some in ");
    }

    @Test
    void aWaitEndsWithRoom() {
        Limiter window = limiters.window("erp", 1, Duration.ofSeconds(2)).waitAtMost(LONG);
        window.run(() -> {});
        window.run(() -> {});

        assertThat(heard).containsExactly("erp waited");
    }

    @Test
    void anInterruptEndsAWait() throws Exception {
        Limiter day = limiters.window("erp", 1, Duration.ofHours(1)).waitAtMost(Duration.ofDays(1));
        day.run(() -> {});
        CountDownLatch ended = new CountDownLatch(1);
        Thread waiting = new Thread(() -> {
            assertThatThrownBy(() -> day.run(() -> {})).isInstanceOf(OverLimitException.class);
            assertThat(Thread.interrupted()).isTrue();
            ended.countDown();
        });
        waiting.start();
        await().until(() -> Stream.of(waiting.getStackTrace())
                .anyMatch(frame -> frame.getClassName().equals(LimiterGate.class.getName())
                        && frame.getMethodName().equals("sleep")));

        waiting.interrupt();

        assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aFullRedisIsNoRoom() {
        redis.texts().configSet("maxmemory", "1");
        try {
            assertThatThrownBy(() -> limiters.bucket("erp", 1, SECOND).run(() -> {}))
                    .isInstanceOf(OverLimitException.class)
                    .hasCauseInstanceOf(JobStoreException.class);
        } finally {
            redis.texts().configSet("maxmemory", "0");
        }
    }

    static Stream<Arguments> mistakes() {
        return Stream.<Consumer<Limiters>>of(
                        all -> all.concurrent("erp", 0),
                        all -> all.concurrent("erp", 10_001),
                        all -> all.bucket("erp", 0, SECOND),
                        all -> all.bucket("erp", 1, Duration.ofSeconds(2)),
                        all -> all.window("erp", 10_001, SECOND),
                        all -> all.window("erp", 1, Duration.ZERO),
                        all -> all.window("erp", 1, Duration.ofDays(32)),
                        all -> all.leaky("erp", -1, SECOND),
                        all -> all.leaky("erp", 1, Duration.ofNanos(1)),
                        all -> all.points("erp", 0, 1),
                        all -> all.points("erp", 1, 0),
                        all -> all.points("erp", 1, Double.NaN),
                        all -> all.points("erp", 1, 2e6),
                        all -> all.points("erp", 1_000_000_000, 0.001),
                        all -> all.points("erp", 10, 1).estimate(11),
                        all -> all.points("erp", 10, 1).estimate(-1),
                        all -> all.points("erp", 10, 1).run(call -> call.used(-1)),
                        all -> all.leaky("", 1, SECOND),
                        all -> all.leaky("a\nb", 1, SECOND),
                        all -> all.leaky("\ud800", 1, SECOND),
                        all -> all.leaky("x".repeat(201), 1, SECOND),
                        all -> all.leaky("erp", 1, SECOND).waitAtMost(Duration.ofMillis(-1)),
                        all -> all.leaky("erp", 1, SECOND).waitAtMost(Duration.ofDays(2)),
                        all -> all.concurrent("erp", 1).holdAtMost(Duration.ZERO))
                .map(Arguments::of);
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void whatCanNotBeIsSaidAtOnce(Consumer<Limiters> mistake) {
        assertThatThrownBy(() -> mistake.accept(limiters))
                .isExactlyInstanceOf(JobsException.class)
                .hasMessageStartingWith("The limiter '")
                .hasMessageMatching("(?s).*must .*|.*it must be full.*");
    }

    @Test
    void aUseIsOneCallAndOneMoreIfSomethingIsGivenBack() {
        PointsLimiter points = limiters.points("erp", 1_000, 1).estimate(2);
        List<Runnable> uses = List.of(
                () -> limiters.bucket("erp", 100, SECOND).run(() -> {}),
                () -> limiters.window("erp", 100, SECOND).run(() -> {}),
                () -> limiters.leaky("erp", 100, SECOND).run(() -> {}),
                () -> points.run(call -> call.used(2)),
                () -> points.run(call -> call.used(3)),
                () -> limiters.concurrent("erp", 9).holdAtMost(LONG).run(() -> {}));
        uses.forEach(Runnable::run); // loads the scripts
        redis.texts().configResetstat();

        uses.forEach(Runnable::run);

        assertThat(redis.texts().info("commandstats")).contains("cmdstat_evalsha:calls=8,");
    }

    @Test
    void makingLimitersCallsNothing() {
        limiters.leaky("erp", 1, SECOND).run(() -> {}); // connected
        redis.texts().configResetstat();

        limiters.leaky("erp", 2, SECOND);
        limiters.bucket("erp", 1, SECOND);
        limiters.window("erp", 1, SECOND);
        limiters.concurrent("erp", 1);
        limiters.points("erp", 1, 1);

        assertThat(redis.texts().info("commandstats").lines().filter(line -> line.startsWith("cmdstat_")))
                .singleElement()
                .asString()
                .startsWith("cmdstat_config");
    }
}
