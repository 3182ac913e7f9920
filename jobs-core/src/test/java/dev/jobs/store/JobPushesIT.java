package dev.jobs.store;

import static dev.jobs.store.ScriptTestBed.bytes;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.jobs.JobStoreException;
import dev.jobs.JobStoreException.Kind;
import dev.jobs.redis.Bytes;
import dev.jobs.store.JobPushes.Due;
import io.lettuce.core.KillArgs;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class JobPushesIT {

    @AutoClose
    @RegisterExtension
    static final ScriptTestBed bed = new ScriptTestBed();

    private final TestPushes pushes = new TestPushes(bed.connection, bed.keys, Duration.ofSeconds(5), "me");

    @AfterEach
    void takeWritesAgain() {
        client("UNPAUSE");
    }

    private static void client(String... arguments) {
        CommandArgs<String, String> all = new CommandArgs<>(StringCodec.UTF8);
        for (String argument : arguments) {
            all.add(argument);
        }
        bed.redis.texts().dispatch(CommandType.CLIENT, new StatusOutput<>(StringCodec.UTF8), all);
    }

    /** Sends the script for the first time, or again. */
    private static Long push(int lane, int number, String... payloads) {
        return push(lane, Integer.toString(number), payloads);
    }

    private static Long push(int lane, String number, String... payloads) {
        List<byte[]> arguments = new ArrayList<>(
                List.of(Bytes.of(lane), Bytes.of(number), Bytes.of(60_000), bytes(""), Bytes.of("mail")));
        for (String payload : payloads) {
            arguments.add(bytes(payload));
        }
        return bed.connection.callForOne(
                StoreScripts.PUSH,
                ScriptOutputType.INTEGER,
                new byte[][] {bed.keys.pushes("me"), bed.keys.queues(), bed.keys.queue("mail")},
                arguments.toArray(byte[][]::new));
    }

    private static Long schedule(int lane, int number, String payload) {
        return bed.connection.callForOne(
                StoreScripts.SCHEDULE,
                ScriptOutputType.INTEGER,
                new byte[][] {bed.keys.pushes("me"), bed.keys.schedule()},
                new byte[][] {
                    Bytes.of(lane), Bytes.of(number), Bytes.of(60_000), bytes(""), bytes("77.25"), bytes(payload)
                });
    }

    @Test
    @Tag("sidekiq-0.6")
    @Tag("sidekiq-0.7")
    @Tag("sidekiq-2")
    void storesJobsInOrderAndMakesTheQueueKnown() {
        bed.push("mail", "waiting");
        pushes.push("mail", List.of(bytes("a"), bytes("b"), bytes("c")));

        assertThat(bed.queue("mail")).containsExactly("waiting", "a", "b", "c");
        assertThat(bed.redis.texts().smembers("queues")).containsExactly("mail");
        assertThat(bed.redis.texts().pttl("jobs:pushes:me")).isBetween(500_000L, 600_000L);
    }

    @Test
    void makesAClearedQueueKnownAgain() {
        pushes.push("mail", List.of(bytes("a")));
        pushes.push("mail", List.of(bytes("b")));
        bed.redis.texts().del("queue:mail", "queues");

        pushes.push("mail", List.of(bytes("c"), bytes("d")));

        assertThat(bed.redis.texts().smembers("queues")).containsExactly("mail");
    }

    @Test
    void renewsNameAndExpiryFromTimeToTimeOnly() {
        pushes.push("mail", List.of(bytes("a")));
        long before = bed.redis.calls("sadd") + bed.redis.calls("pexpire");
        for (int i = 0; i < 300; i++) {
            pushes.push("mail", List.of(bytes("b")));
        }
        assertThat(bed.redis.calls("sadd") + bed.redis.calls("pexpire") - before)
                .isLessThan(100);

        bed.redis.texts().del("queues");
        bed.redis.texts().persist("jobs:pushes:me");
        await().untilAsserted(() -> {
            pushes.push("mail", List.of(bytes("c")));
            assertThat(bed.redis.texts().smembers("queues")).containsExactly("mail");
            assertThat(bed.redis.texts().pttl("jobs:pushes:me")).isBetween(500_000L, 600_000L);
        });
    }

    @Test
    void startsAnewAfterALossOfData() {
        pushes.push("mail", List.of(bytes("a")));
        bed.clear();
        pushes.push("mail", List.of(bytes("b")));
        pushes.push("mail", List.of(bytes("c")));

        assertThat(bed.queue("mail")).containsExactly("b", "c");
        assertThat(bed.redis.texts().smembers("queues")).containsExactly("mail");
        assertThat(bed.redis.texts().pttl("jobs:pushes:me")).isBetween(500_000L, 600_000L);
    }

    @Test
    @Tag("sidekiq-0.7")
    @Tag("sidekiq-2")
    void storesScheduledJobsUnderTheirTimes() {
        pushes.schedule(
                List.of(new Due("1795238150.575509", bytes("a")), new Due("-5", bytes("b")), new Due("0", bytes("c"))));

        assertThat(bed.stored().get("schedule")).isEqualTo(Map.of("a", 1795238150.575509, "b", -5.0, "c", 0.0));
    }

    @Test
    void storesAThousandInOneStep() {
        List<String> jobs = IntStream.range(0, 1_000).mapToObj(i -> "job" + i).toList();
        pushes.push("mail", jobs.stream().map(ScriptTestBed::bytes).toList());
        pushes.schedule(jobs.stream().map(job -> new Due("5", bytes(job))).toList());

        assertThat(bed.queue("mail")).isEqualTo(jobs);
        assertThat(bed.redis.texts().zcard("schedule")).isEqualTo(1_000);
    }

    @Test
    @Tag("sidekiq-7.6")
    void storesOnceHoweverOftenACallArrives() {
        assertThat(push(3, 17, "a", "b")).isEqualTo(1);
        SortedMap<String, Object> after = bed.stored();
        assertThat(push(3, 17, "a", "b")).isZero();
        bed.redis.texts().scriptFlush();
        assertThat(push(3, 17, "a", "b")).isZero();
        assertThat(bed.stored()).isEqualTo(after);

        assertThat(push(3, 18, "a", "b")).isEqualTo(1);
        assertThat(push(4, 17, "a", "b")).isEqualTo(1);
        assertThat(bed.queue("mail")).hasSize(6);
    }

    @Test
    void distinguishesAnotherClientsPushUnderTheSameIdFromItsOwn() {
        assertThat(push(3, "17:aa", "a")).isEqualTo(1);
        SortedMap<String, Object> after = bed.stored();
        assertThat(push(3, "17:bb", "b")).isEqualTo(-1);
        assertThat(push(3, "9:aa", "b")).isEqualTo(-1);
        assertThat(bed.stored()).isEqualTo(after);
        assertThat(push(3, "17:aa", "a")).isZero();
        assertThat(push(3, "100:bb", "b")).isEqualTo(1);
    }

    /** As after a running process was cloned: each copy continues with the same numbers. */
    @Test
    void storesAllThatTwoClientsPushUnderOneId() throws Exception {
        List<TestPushes> clones = List.of(
                new TestPushes(bed.connection, bed.keys, Duration.ofSeconds(5), "both"),
                new TestPushes(bed.connection, bed.keys, Duration.ofSeconds(5), "both"));
        int each = 1_000;
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            for (int i = 0; i < 200; i++) { // now one is ahead, now the other
                clones.get(i % 2).push("mail", List.of(bytes("even" + i)));
                clones.get(i / 3 % 2).schedule(List.of(new Due("5", bytes("odd" + i))));
            }
            assertThat(bed.queue("mail")).hasSize(200);
            assertThat(bed.redis.texts().zcard("schedule")).isEqualTo(200);
            List<Callable<Void>> calls = new ArrayList<>();
            for (int i = 0; i < 2 * each; i++) {
                TestPushes clone = clones.get(i % 2);
                byte[] job = bytes("job" + i);
                calls.add(() -> {
                    clone.push("mail", List.of(job));
                    return null;
                });
            }
            for (Future<Void> call : threads.invokeAll(calls, 60, SECONDS)) {
                call.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(bed.queue("mail")).hasSize(200 + 2 * each).doesNotHaveDuplicates();
    }

    @Test
    void storesAllThatTwoClientsPushUnderOneIdAtTheSameMoment() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(64);
        try {
            for (int round = 0; round < 20; round++) {
                bed.clear();
                String id = "round" + round;
                List<TestPushes> clones = List.of(
                        new TestPushes(bed.connection, bed.keys, Duration.ofSeconds(5), id),
                        new TestPushes(bed.connection, bed.keys, Duration.ofSeconds(5), id),
                        new TestPushes(bed.connection, bed.keys, Duration.ofSeconds(5), id));
                List<Callable<Void>> calls = new ArrayList<>();
                for (int i = 0; i < 192; i++) { // many calls of a clone are in flight when its id changes
                    TestPushes clone = clones.get(i % 3);
                    byte[] job = bytes("job" + i);
                    calls.add(() -> {
                        clone.push("mail", List.of(job));
                        return null;
                    });
                }
                for (Future<Void> call : threads.invokeAll(calls, 30, SECONDS)) {
                    call.get();
                }
                assertThat(bed.queue("mail")).hasSize(192).doesNotHaveDuplicates();
                assertThat(bed.redis.texts().keys("jobs:pushes:*"))
                        .as("each took another id, if any, once")
                        .hasSizeBetween(3, 4);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void aRepeatedPushThatFindsAnothersSaysThatItMayHaveBeenStored() {
        TestPushes mine = new TestPushes(bed.connection, bed.keys, Duration.ofSeconds(5), "both");
        JobPushes.Sent sent;
        bed.connection.connection();
        client("PAUSE", "60000", "WRITE");
        sent = mine.sendPush("mail", List.of(bytes("mine")), List.of());
        bed.connection.drop();
        client("UNPAUSE");
        bed.redis.texts().hset("jobs:pushes:both", "0", "5:aa");
        JobStoreException failure = catchThrowableOfType(JobStoreException.class, sent::await);
        assertThat(failure).hasMessageContainingAll("Another client", "may have been stored");

        mine.push("mail", List.of(bytes("next")));
        assertThat(bed.queue("mail")).contains("next");
        assertThat(bed.redis.texts().keys("jobs:pushes:*")).hasSize(2);
    }

    @Test
    void continuesUnderAnotherIdOnRequest() {
        pushes.push("mail", List.of(bytes("a")));
        pushes.renewId();
        pushes.push("mail", List.of(bytes("b")));
        assertThat(bed.redis.texts().keys("jobs:pushes:*")).hasSize(2).contains("jobs:pushes:me");
        assertThat(bed.queue("mail")).containsExactly("a", "b");
    }

    @Test
    void schedulesOnceHoweverOftenACallArrives() {
        assertThat(schedule(3, 17, "a")).isEqualTo(1);
        bed.redis.texts().zrem("schedule", "a"); // promoted in between
        assertThat(schedule(3, 17, "a")).isZero();
        assertThat(bed.redis.texts().exists("schedule")).isZero();
        assertThat(schedule(3, 18, "a")).isEqualTo(1);
        assertThat(bed.redis.texts().zscore("schedule", "a")).isEqualTo(77.25);
    }

    @Test
    void doesNotTakeWhatItCouldNotStoreForStored() {
        bed.redis.texts().set("queue:mail", "text");
        assertThat(catchThrowableOfType(JobStoreException.class, () -> push(3, 17, "a"))
                        .kind())
                .isEqualTo(Kind.WRONG_TYPE);
        bed.redis.texts().del("queue:mail");
        assertThat(push(3, 17, "a")).isEqualTo(1);
    }

    @Test
    void numbersItsCallsSoThatNoneIsTakenForAnother() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(32);
        try {
            List<Callable<Void>> calls = new ArrayList<>();
            for (int i = 0; i < 2_000; i++) {
                byte[] job = bytes("job" + i);
                calls.add(() -> {
                    pushes.push("mail", List.of(job));
                    return null;
                });
            }
            for (Future<Void> call : threads.invokeAll(calls, 30, SECONDS)) {
                call.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(bed.queue("mail")).hasSize(2_000).doesNotHaveDuplicates();
        assertThat(bed.redis.texts().hlen("jobs:pushes:me")).isLessThanOrEqualTo(128);
    }

    @Test
    void storesOnceWhileItsConnectionIsKilledAgainAndAgain() throws Exception {
        int each = 1_000;
        ExecutorService threads = Executors.newFixedThreadPool(4);
        AtomicBoolean done = new AtomicBoolean();
        Map<String, Boolean> refused = new ConcurrentHashMap<>();
        try {
            List<Future<?>> pushing = new ArrayList<>();
            for (int thread = 0; thread < 3; thread++) {
                String name = "t" + thread + "-";
                pushing.add(threads.submit(() -> {
                    for (int i = 0; i < each; i++) {
                        try {
                            pushes.push("mail", List.of(bytes(name + i)));
                        } catch (JobStoreException e) {
                            refused.put(name + i, true);
                        }
                    }
                }));
            }
            Future<Integer> killer = threads.submit(() -> {
                int kills = 0;
                long size = 0;
                while (!done.get()) {
                    long now = bed.redis.texts().llen("queue:mail");
                    if (now > size + 150) { // something was stored since, so the next kill hits a call again
                        size = now;
                        kills += killLibraryConnections();
                    }
                }
                return kills;
            });
            for (Future<?> each1000 : pushing) {
                each1000.get(60, SECONDS);
            }
            done.set(true);
            assertThat(killer.get(60, SECONDS)).isGreaterThan(5);
        } finally {
            done.set(true);
            threads.shutdownNow();
        }
        List<String> stored = bed.queue("mail");
        assertThat(stored).doesNotHaveDuplicates();
        Set<String> kept = new HashSet<>(stored);
        for (int i = 0; i < each; i++) {
            for (String job : List.of("t0-" + i, "t1-" + i, "t2-" + i)) {
                assertThat(refused.containsKey(job) || kept.contains(job))
                        .as(job)
                        .isTrue();
            }
        }
    }

    private static int killLibraryConnections() {
        int kills = 0;
        for (String client : bed.redis.texts().clientList().lines().toList()) {
            if (client.contains(" cmd=evalsha ") || client.contains(" name=test ")) {
                kills += bed.redis
                        .texts()
                        .clientKill(KillArgs.Builder.id(Long.parseLong(client.replaceAll("^id=(\\d+) .*", "$1"))))
                        .intValue();
            }
        }
        return kills;
    }

    @Test
    void refusesMoreThanRedisCanKeepUpWith() throws Exception {
        TestPushes impatient = new TestPushes(bed.connection, bed.keys, Duration.ofMillis(100), "impatient");
        ExecutorService threads = Executors.newFixedThreadPool(200);
        client("PAUSE", "60000", "WRITE");
        List<Future<JobStoreException>> all = new ArrayList<>();
        try {
            for (int i = 0; i < 200; i++) {
                byte[] job = bytes("job" + i);
                all.add(threads.submit(() ->
                        catchThrowableOfType(JobStoreException.class, () -> impatient.push("mail", List.of(job)))));
            }
            await().until(() -> all.stream().filter(Future::isDone).count() == 72);
            for (Future<JobStoreException> one : all) {
                if (one.isDone()) {
                    assertThat(one.get().kind()).isEqualTo(Kind.TIMEOUT);
                    assertThat(one.get()).hasMessage("128 pushes are waiting for Redis already; nothing was stored");
                }
            }
            client("UNPAUSE");
            for (Future<JobStoreException> one : all) {
                one.get(60, SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(bed.queue("mail")).hasSize(128).doesNotHaveDuplicates();
    }
}
