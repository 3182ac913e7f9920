package dev.jobs.iterations;

import static dev.jobs.assembly.EngineTestBed.payload;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobContext;
import dev.jobs.JobListener.Ending;
import dev.jobs.Payload;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.JobEngine;
import dev.jobs.ends.Cancellations;
import dev.jobs.engine.CapsuleConfig;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.engine.WorkerProcess;
import dev.jobs.proof.LongTest;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisConnections;
import dev.jobs.testing.RedisFixture;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Jobs that work through many elements: how they are interrupted and resumed. */
@Tag("sidekiq-18")
class IterationIT {

    private static final Duration LEASE = Duration.ofSeconds(40);

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    private EngineTestBed bed;
    private RedisConnection connection;
    private Cancellations cancellations;
    private final AtomicLong ahead = new AtomicLong();
    private final Jobs jobs = new Jobs();

    @BeforeEach
    void empty() {
        redis.flush();
        bed = new EngineTestBed(redis);
        prepare();
        RedisConnections connections = redis.connections("");
        connection = connections.open("jobs-test-iterations");
        cancellations = new Cancellations(connection, connections.keys());
    }

    private void prepare() {
        bed.times(Duration.ofSeconds(20), LEASE);
        bed.environment = new EngineEnvironment(
                bed.environment.clock(),
                () -> System.nanoTime() + ahead.get(),
                bed.environment.random(),
                bed.environment.processorThreads(),
                bed.environment.outOfMemory());
    }

    @AfterEach
    void close() {
        bed.close();
        connection.close();
    }

    /** Called with each element before it counts as performed. */
    interface Probe {
        void before(int element) throws Exception;
    }

    static final class Jobs {
        final List<Integer> performed = new CopyOnWriteArrayList<>();
        final List<String> events = new CopyOnWriteArrayList<>();
        volatile Probe probe = element -> {};
        volatile Runnable beginning = () -> {};
        volatile boolean startFails;
        volatile boolean completionFails;

        @Job("Walk")
        Iteration<Integer> walk(int size) {
            return Iteration.over(IntStream.range(0, size).boxed().toList())
                    .each(element -> {
                        probe.before(element);
                        performed.add(element);
                    })
                    .onStart(() -> {
                        events.add("start");
                        beginning.run();
                        failIf(startFails);
                    })
                    .onResume(() -> {
                        events.add("resume");
                        beginning.run();
                    })
                    .onStop(() -> events.add("stop"))
                    .onCancel(() -> events.add("cancel"))
                    .onComplete(() -> {
                        events.add("complete");
                        failIf(completionFails);
                    });
        }

        private static void failIf(boolean fails) {
            if (fails) {
                throw new IllegalStateException("a hook failed");
            }
        }

        @Job("WalkBriefly")
        Iteration<Integer> walkBriefly(int size, JobContext job) {
            return walk(size).maxRuntime(Duration.ofSeconds(3)).around((element, next) -> {
                events.add("before " + element);
                next.proceed();
                events.add("after " + element);
            });
        }

        @Job("WalkOddly")
        Iteration<String> walkOddly() {
            return Iteration.<String>over(cursor -> List.of(new Iteration.Item<>("x", Instant.EPOCH)).stream())
                    .each(element -> events.add(element));
        }

        @Job("WalkByPrice")
        Iteration<String> walkByPrice() {
            return Iteration.<String>over(cursor -> List.of(new Iteration.Item<>("x", new BigDecimal("1.50"))).stream())
                    .each(element -> events.add(element));
        }

        @Job("WalkNowhere")
        Iteration<String> walkNowhere() {
            return null;
        }

        @Job("WalkInDisguise")
        Object walkInDisguise() {
            return walk(3);
        }
    }

    private static List<Integer> upTo(int size) {
        return IntStream.range(0, size).boxed().toList();
    }

    private static Map<String, String> state(String jid) {
        return redis.texts().hgetall("it-" + jid);
    }

    private void pass(Duration time) {
        ahead.addAndGet(time.toNanos());
    }

    private void assertDone(int processed, int failed) {
        bed.awaitDrained("default");
        assertThat(redis.texts().keys("it-*")).isEmpty();
        assertThat(bed.processed()).isEqualTo(processed);
        assertThat(bed.failed()).isEqualTo(failed);
        assertThat(bed.books().conservationError()).isZero();
    }

    @Test
    void aJobThatIsLeftWhenItsWorkerGoesQuietIsResumedElsewhereAndRepeatsNothing() throws Exception {
        CountDownLatch reached = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        jobs.probe = element -> {
            if (element == 4) {
                reached.countDown();
                release.await();
            }
        };
        JobEngine first = bed.start(jobs);
        bed.push("default", payload("Walk", "j1", "[10]", "\"created_at\":1700000000000"));
        reached.await();
        first.quiet();
        release.countDown();
        bed.awaitEnds(1);
        bed.awaitDrained();

        assertThat(bed.ends.get(0).ending()).isEqualTo(Ending.INTERRUPTED);
        assertThat(state("j1")).containsEntry("ex", "1").containsEntry("c", "5");
        assertThat(state("j1").get("rt")).matches("\\d+\\.\\d{3}");
        assertThat(redis.texts().ttl("it-j1")).isBetween(2_592_000L - 60, 2_592_000L);
        Payload waiting = Payload.parse(redis.texts().lindex("queue:default", 0).getBytes(UTF_8));
        assertThat(waiting.jid()).isEqualTo("j1");
        assertThat(waiting.integer("created_at")).isEqualTo(1_700_000_000_000L);
        assertThat(waiting.integer("enqueued_at")).isNotNull();

        bed.start(jobs);
        bed.awaitEnds(2);
        assertDone(2, 1);
        assertThat(jobs.performed).isEqualTo(upTo(10));
        assertThat(jobs.events).containsExactly("start", "stop", "resume", "stop", "complete");
        assertThat(bed.errors).isEmpty();
    }

    @Test
    void anIterationCutOffAtTheDeadlineContinuesFromItsLastStoredCursor() throws Exception {
        bed.times(Duration.ofMillis(200), LEASE);
        CountDownLatch reached = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        jobs.probe = element -> {
            if (element == 3) {
                pass(Duration.ofSeconds(6));
            } else if (element == 6) {
                reached.countDown();
                never.await();
            }
        };
        bed.start(jobs);
        bed.push("default", payload("Walk", "j1", "[10]"));
        reached.await();
        bed.stopEngines();

        assertThat(bed.ends).extracting(EngineTestBed.Ended::ending).containsExactly(Ending.HANDED_BACK);
        assertThat(state("j1")).containsEntry("c", "4");
        assertThat(redis.texts().llen("queue:default")).isEqualTo(1);

        jobs.probe = element -> {};
        bed.start(jobs);
        bed.awaitEnds(2);
        assertDone(2, 1);
        assertThat(jobs.performed).containsExactly(0, 1, 2, 3, 4, 5, 4, 5, 6, 7, 8, 9);
        assertThat(jobs.events).containsExactly("start", "resume", "stop", "complete");
    }

    @LongTest
    @Test
    void aKilledWorkerMakesRepeatWhatRanSinceTheLastTimeItWasKept() throws Exception {
        bed.push("default", payload("Walk", "j1", "[100]"));
        String victim;
        try (WorkerProcess worker = WorkerProcess.start(redis.port(), LEASE)) {
            await().atMost(Duration.ofMinutes(2))
                    .until(() -> redis.texts().lrange("started", 0, -1).contains("walked to 60"));
            victim = redis.texts().zrange("jobs:beats", 0, -1).get(0);
            worker.kill();
        }
        assertThat(state("j1")).containsEntry("ex", "1").containsEntry("c", "51");
        redis.texts().zadd("jobs:beats", -1, victim); // as others would once its lease has run out
        redis.texts().del("jobs:round");
        bed.start(jobs);
        bed.awaitEnds(1);
        assertDone(1, 0);
        assertThat(jobs.performed).isEqualTo(upTo(100).subList(51, 100));
        assertThat(jobs.events).containsExactly("resume", "stop", "complete");
        assertThat(bed.books().recovered()).isEqualTo(1);
    }

    @Test
    void aJobThatWasCancelledBeforeItRanPerformsNothing() {
        cancellations.cancel("j1", Instant.ofEpochSecond(1_700_000_000));
        bed.push("default", payload("Walk", "j1", "[10]"));
        bed.start(jobs);
        bed.awaitEnds(1);
        assertDone(1, 0);
        assertThat(jobs.performed).isEmpty();
        assertThat(jobs.events).containsExactly("start", "cancel", "stop", "complete");
        assertThat(bed.ends.get(0).ending()).isEqualTo(Ending.DONE);
    }

    @Test
    void aJobThatIsCancelledWhileItWaitsInTheMiddleEndsThere() {
        redis.texts().hset("it-j1", Map.of("ex", "1", "c", "5", "rt", "3.5"));
        cancellations.cancel("j1", Instant.ofEpochSecond(1_700_000_000));
        bed.push("default", payload("Walk", "j1", "[10]"));
        bed.start(jobs);
        bed.awaitEnds(1);
        assertDone(1, 0);
        assertThat(jobs.performed).isEmpty();
        assertThat(jobs.events).containsExactly("resume", "cancel", "stop", "complete");
    }

    @Test
    void aRunningJobNoticesItsCancellationWithinFiveSeconds() {
        jobs.probe = element -> {
            if (element == 3) {
                cancellations.cancel("j1", Instant.now());
                pass(Duration.ofMillis(4_000));
            } else if (element == 6) {
                pass(Duration.ofMillis(1_000));
            }
        };
        bed.push("default", payload("Walk", "j1", "[100]"));
        bed.start(jobs);
        bed.awaitEnds(1);
        assertDone(1, 0);
        assertThat(upTo(7)).as("a beat may tell it earlier").startsWith(jobs.performed.toArray(Integer[]::new));
        assertThat(jobs.performed).hasSizeGreaterThanOrEqualTo(4);
        assertThat(jobs.events).containsExactly("start", "cancel", "stop", "complete");
    }

    @Test
    void aCancelledJobThatHasToLeaveEndsInstead() throws Exception {
        CountDownLatch reached = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        jobs.probe = element -> {
            reached.countDown();
            release.await();
        };
        JobEngine engine = bed.start(jobs);
        bed.push("default", payload("Walk", "j1", "[10]"));
        reached.await();
        cancellations.cancel("j1", Instant.now());
        engine.quiet();
        release.countDown();
        bed.awaitEnds(1);
        assertDone(1, 0);
        assertThat(jobs.performed).containsExactly(0);
        assertThat(jobs.events).containsExactly("start", "cancel", "stop", "complete");
    }

    @Test
    void aFailedJobIsRetriedFromTheElementThatFailed() {
        jobs.probe = element -> {
            if (element == 5) {
                jobs.probe = later -> {};
                throw new IllegalStateException("the fifth fails");
            }
        };
        bed.push("default", payload("Walk", "j1", "[10]", "\"retry\":3"));
        bed.start(jobs);
        bed.awaitEnds(1);
        bed.awaitDrained("default");
        assertThat(bed.ends.get(0).ending()).isEqualTo(Ending.RETRIED);
        assertThat(jobs.events).as("no stop after an exception").containsExactly("start");
        assertThat(state("j1")).containsEntry("ex", "1").containsEntry("c", "5");
        assertThat(bed.only("retry").integer("retry_count")).isZero();

        runWhatIsToBeRetried();
        bed.awaitEnds(2);
        assertDone(2, 1);
        assertThat(jobs.performed).isEqualTo(upTo(10));
        assertThat(jobs.events).containsExactly("start", "resume", "stop", "complete");
    }

    private void runWhatIsToBeRetried() {
        redis.texts().lpush("queue:default", redis.texts().zpopmin("retry").getValue());
    }

    @Test
    void aStartThatFailsIsAnotherStartWhenItIsRetried() {
        jobs.startFails = true;
        bed.push("default", payload("Walk", "j1", "[3]"));
        bed.start(jobs);
        bed.awaitEnds(1);
        bed.awaitDrained("default");
        assertThat(state("j1")).isEmpty();
        jobs.startFails = false;
        runWhatIsToBeRetried();
        bed.awaitEnds(2);
        assertDone(2, 1);
        assertThat(jobs.events).containsExactly("start", "start", "stop", "complete");
    }

    @Test
    void aCompletionThatFailsRepeatsNoMoreThanTheLastElement() {
        jobs.completionFails = true;
        bed.push("default", payload("Walk", "j1", "[3]"));
        bed.start(jobs);
        bed.awaitEnds(1);
        bed.awaitDrained("default");
        jobs.completionFails = false;
        runWhatIsToBeRetried();
        bed.awaitEnds(2);
        assertDone(2, 1);
        assertThat(jobs.performed).containsExactly(0, 1, 2, 2);
    }

    @Test
    void anExecutionThatHadItsTimeLetsOthersHaveTheirs() {
        bed.capsules(CapsuleConfig.of("default", 1, List.of("default")));
        bed.config = bed.config.with(values -> values.maxIterationRuntime = Duration.ofSeconds(4));
        jobs.probe = element -> pass(Duration.ofSeconds(1));
        bed.push("default", payload("Walk", "j1", "[10]"));
        bed.push("default", payload("WalkNowhere", "j2", "[]"));
        bed.start(jobs);
        bed.awaitEnds(4);
        assertDone(4, 2);
        assertThat(bed.ends)
                .extracting(end -> end.jid() + " " + end.ending())
                .containsExactly("j1 INTERRUPTED", "j2 DONE", "j1 INTERRUPTED", "j1 DONE");
        assertThat(jobs.performed).isEqualTo(upTo(10));
        assertThat(jobs.events).containsExactly("start", "stop", "resume", "stop", "resume", "stop", "complete");
    }

    @Test
    void aJobMayHaveItsOwnLongestTimeAndSomethingAroundEachStep() {
        jobs.probe = element -> pass(Duration.ofMillis(1_500));
        bed.push("default", payload("WalkBriefly", "j1", "[3]"));
        bed.start(jobs);
        bed.awaitEnds(2);
        assertDone(2, 1);
        assertThat(jobs.performed).isEqualTo(upTo(3));
        assertThat(jobs.events)
                .containsExactly(
                        "start",
                        "before 0",
                        "after 0",
                        "before 1",
                        "after 1",
                        "stop",
                        "resume",
                        "before 2",
                        "after 2",
                        "stop",
                        "complete");
    }

    @Test
    void eachExecutionGetsSomewhereHoweverShortItsTimeIs() {
        bed.config = bed.config.with(values -> values.maxIterationRuntime = Duration.ofMillis(1));
        jobs.beginning = () -> pass(Duration.ofSeconds(1));
        bed.push("default", payload("Walk", "j1", "[3]"));
        bed.start(jobs);
        bed.awaitEnds(3);
        assertDone(3, 2);
        assertThat(jobs.performed).isEqualTo(upTo(3));
    }

    @Test
    void aJobGoesOnWhereRubyLeftIt() {
        redis.texts().hset("it-j1", Map.of("ex", "2", "c", "7", "rt", "12.345678"));
        AtomicLong executions = new AtomicLong();
        jobs.probe = element -> {
            if (element == 7) {
                pass(Duration.ofSeconds(6));
            } else {
                executions.set(Long.parseLong(state("j1").get("ex")));
                assertThat(Double.parseDouble(state("j1").get("rt"))).isBetween(18.3, 30.0);
            }
        };
        bed.push("default", payload("Walk", "j1", "[10]"));
        bed.start(jobs);
        bed.awaitEnds(1);
        assertDone(1, 0);
        assertThat(jobs.performed).containsExactly(7, 8, 9);
        assertThat(executions).hasValue(3);
        assertThat(jobs.events).containsExactly("resume", "stop", "complete");
    }

    @Test
    @Tag("sidekiq-0.18")
    void aMarkOfCancellationAloneIsReadAsOneWithoutACursor() {
        redis.texts().hset("it-j1", "cancelled", "1700000000");
        bed.push("default", payload("Walk", "j1", "[10]"));
        bed.start(jobs);
        bed.awaitEnds(1);
        assertDone(1, 0);
        assertThat(jobs.events).containsExactly("start", "cancel", "stop", "complete");
    }

    @Test
    void anUnreadableStateFailsTheJobAndStays() {
        redis.texts().hset("it-j1", "c", "{broken");
        redis.texts().hset("it-j2", "ex", "many");
        redis.texts().hset("it-j3", "rt", "-1");
        redis.texts().hset("it-j4", "c", "\"seven\"");
        for (String jid : List.of("j1", "j2", "j3", "j4")) {
            bed.push("default", payload("Walk", jid, "[10]"));
        }
        Map<String, String> before = redis.snapshot();
        bed.start(jobs);
        bed.awaitEnds(4);
        bed.awaitDrained("default");
        assertThat(bed.ends).isNotEmpty().allSatisfy(end -> {
            assertThat(end.ending()).isEqualTo(Ending.RETRIED);
            assertThat(end.failure()).isInstanceOf(InvalidCursorException.class);
        });
        assertThat(bed.ends).anySatisfy(end -> assertThat(end.failure()).hasMessageContaining("'c' of it-j1"));
        assertThat(jobs.performed).isEmpty();
        before.keySet().removeIf(key -> !key.startsWith("it-"));
        assertThat(redis.snapshot()).containsAllEntriesOf(before);
    }

    @Test
    void aKeyOfAnotherTypeFailsTheJob() {
        redis.texts().set("it-j1", "text");
        bed.push("default", payload("Walk", "j1", "[10]"));
        bed.start(jobs);
        bed.awaitEnds(1);
        assertThat(bed.ends.get(0).ending()).isEqualTo(Ending.RETRIED);
        assertThat(jobs.performed).isEmpty();
    }

    @Test
    void aWorkerThatLostTheJobDoesNotSetBackItsNewOwner() {
        jobs.probe = element -> {
            if (element == 3) {
                // What is left when this process was reaped while it was frozen, and another one has run the job since.
                String mine = redis.texts().keys("jobs:in:*").get(0);
                redis.texts()
                        .hdel(
                                mine,
                                redis.texts().hkeys(mine).stream()
                                        .filter(field -> !field.startsWith("#"))
                                        .toArray(String[]::new));
                redis.texts().hincrby("jobs:ledger", "recovered", 1);
                redis.texts().hset("it-j1", Map.of("ex", "2", "c", "8", "rt", "1.0"));
                pass(Duration.ofSeconds(5));
            }
        };
        bed.push("default", payload("Walk", "j1", "[10]"));
        bed.start(jobs);
        bed.awaitEnds(1);
        assertThat(jobs.performed).isEqualTo(upTo(4));
        assertThat(jobs.events).containsExactly("start");
        assertThat(state("j1")).isEqualTo(Map.of("ex", "2", "c", "8", "rt", "1.0"));
        bed.awaitDrained("default");
        assertThat(bed.processed()).isZero();
        assertThat(bed.books().conservationError()).isZero();
    }

    @Test
    @LongTest
    void aJobRunsOnWhileRedisDoesNotAnswer() {
        bed.close();
        bed = new EngineTestBed(redis, Duration.ofSeconds(1));
        prepare();
        jobs.probe = element -> {
            if (element == 3) {
                redis.texts().clientPause(4_000);
                pass(Duration.ofSeconds(5));
            }
        };
        bed.push("default", payload("Walk", "j1", "[10]"));
        bed.start(jobs);
        bed.awaitEnds(1);
        assertDone(1, 0);
        assertThat(jobs.performed).isEqualTo(upTo(10));
        assertThat(bed.ends.get(0).ending()).isEqualTo(Ending.DONE);
    }

    @Test
    @LongTest
    void aJobThatBeginsWhileRedisDoesNotAnswerGoesBack() {
        bed.close();
        bed = new EngineTestBed(redis, Duration.ofSeconds(1));
        prepare();
        AtomicBoolean paused = new AtomicBoolean();
        bed.middleware.add((job, next) -> {
            if (paused.compareAndSet(false, true)) {
                redis.texts().clientPause(4_000);
            }
            next.proceed();
        });
        bed.push("default", payload("Walk", "j1", "[3]", "\"retry\":false"));
        bed.start(jobs);
        await().until(() -> bed.ends.stream().anyMatch(end -> end.ending() == Ending.DONE));
        bed.awaitDrained("default");
        assertThat(bed.ends)
                .extracting(EngineTestBed.Ended::ending)
                .startsWith(Ending.INTERRUPTED)
                .containsOnly(Ending.INTERRUPTED, Ending.DONE);
        assertThat(jobs.performed).isEqualTo(upTo(3));
    }

    @Test
    void aCursorThatCanNotBeStoredFailsTheJobBeforeItsFirstStep() {
        bed.push("default", payload("WalkOddly", "j1", "[]"));
        bed.start(jobs);
        bed.awaitEnds(1);
        assertThat(bed.ends.get(0).failure()).hasMessageContaining("java.time.Instant is not a plain JSON value");
        assertThat(jobs.events).isEmpty();
    }

    @Test
    void aCursorThatWouldBeReadAsSomethingElseFailsItToo() {
        bed.push("default", payload("WalkByPrice", "j1", "[]"));
        bed.start(jobs);
        bed.awaitEnds(1);
        assertThat(bed.ends.get(0).failure())
                .hasMessageContaining("it has a java.math.BigDecimal, which would be read as a java.lang.String");
        assertThat(jobs.events).isEmpty();
    }

    @Test
    void aJobThatReturnsNoIterationIsDone() {
        bed.push("default", payload("WalkNowhere", "j1", "[]"));
        bed.start(jobs);
        bed.awaitEnds(1);
        assertDone(1, 0);
        assertThat(bed.ends.get(0).ending()).isEqualTo(Ending.DONE);
    }

    @Test
    void anIterationThatTheMethodDoesNotDeclareIsNoSecret() {
        bed.push("default", payload("WalkInDisguise", "j1", "[]"));
        bed.start(jobs);
        bed.awaitEnds(1);
        assertThat(bed.ends.get(0).failure()).hasMessageContaining("let Iteration be its return type");
        assertThat(jobs.performed).isEmpty();
    }

    @Test
    void aJobWithoutAnIdCanNotBeIterated() {
        bed.push("default", "{\"class\":\"Walk\",\"args\":[3]}");
        bed.start(jobs);
        bed.awaitEnds(1);
        assertThat(bed.ends.get(0).failure()).hasMessageContaining("has no jid");
        assertThat(jobs.performed).isEmpty();
        assertThat(redis.texts().keys("it-*")).isEmpty();
    }
}
