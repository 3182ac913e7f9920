package dev.jobs.client;

import static dev.jobs.JobStoreException.Kind.FULL;
import static dev.jobs.JobStoreException.Kind.READ_ONLY;
import static dev.jobs.JobStoreException.Kind.TIMEOUT;
import static dev.jobs.JobStoreException.Kind.UNREACHABLE;
import static dev.jobs.JobStoreException.Kind.WRONG_TYPE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.jobs.BulkEndedException;
import dev.jobs.JobClient;
import dev.jobs.JobHooks;
import dev.jobs.JobStoreException;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.proof.LongTest;
import dev.jobs.testing.RedisProxy;
import io.lettuce.core.KillArgs;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(180)
class ClientFaultsIT {

    @AutoClose
    @RegisterExtension
    static final ClientTestBed bed = new ClientTestBed();

    @Test
    @LongTest
    void failsWithinTheCommandTimeoutWhileRedisIsAwayAndWorksOnceItIsBack() {
        RedisJobClient client = bed.client(Duration.ofSeconds(3));
        bed.redis.stop();
        try {
            assertThat(catchThrowableOfType(JobStoreException.class, client::warmUp)
                            .kind())
                    .isEqualTo(UNREACHABLE);
            JobStoreException unknown = failure(() -> client.enqueue("Mail", 1));
            assertThat(unknown.kind()).isEqualTo(UNREACHABLE);
            assertThat(unknown.mayHaveRun()).isFalse();
            assertThat(unknown)
                    .hasMessageMatching(
                            "Could not enqueue job Mail \\(jid [0-9a-f]{24}, queue default\\): Redis can't be reached: .*; the job was not stored");
        } finally {
            bed.redis.startAgain();
        }
        assertThat(client.enqueue("Mail", 2)).isNotNull();
        assertThat(bed.queue("default")).hasSize(1);
    }

    @Test
    @LongTest
    void failsInTheSameWayWhenRedisGoesAfterTheFirstJob() {
        JobClient client = bed.client(Duration.ofSeconds(3));
        client.enqueue("Mail", 1);
        bed.redis.stop();
        try {
            JobStoreException failure =
                    failure(() -> client.in(Duration.ofDays(1)).enqueue("Mail", 2));
            assertThat(failure.kind()).isEqualTo(UNREACHABLE);
            assertThat(failure).hasMessageContaining("Mail");
        } finally {
            bed.redis.startAgain();
        }
        assertThat(bed.client(Duration.ofSeconds(10)).enqueue("Mail", 3)).isNotNull();
    }

    @Test
    void overcomesARestartBetweenTwoCalls() {
        JobClient client = bed.client(Duration.ofSeconds(10));
        client.enqueue("Mail", 1);
        bed.redis.stop();
        bed.redis.startAgain();

        assertThat(client.enqueue("Mail", 2)).isNotNull();
        assertThat(bed.queue("default")).singleElement().asString().contains("\"args\":[2]");
    }

    @Test
    void overcomesARestartDuringACall() throws Exception {
        JobClient client = bed.client(Duration.ofSeconds(20));
        client.enqueue("Mail", 1);
        bed.redis.stop();
        ExecutorService caller = Executors.newSingleThreadExecutor();
        try {
            Future<String> call = caller.submit(() -> client.enqueue("Mail", 2));
            bed.redis.startAgain();
            assertThat(call.get(30, TimeUnit.SECONDS)).isNotNull();
        } finally {
            caller.shutdownNow();
        }
        assertThat(bed.queue("default")).hasSize(1);
    }

    @Test
    void overcomesFlushedScripts() {
        JobClient client = bed.client();
        client.enqueue("Mail", 1);
        bed.redis.texts().scriptFlush();
        client.enqueue("Mail", 2);
        bed.redis.texts().scriptFlush();
        client.in(Duration.ofDays(1)).enqueue("Mail", 3);

        assertThat(bed.queue("default")).hasSize(2);
        assertThat(bed.scheduled()).hasSize(1);
    }

    @Test
    @Tag("sidekiq-1")
    @Tag("sidekiq-7.6")
    void storesAJobOnceWhoseAnswersAreLost() {
        try (RedisProxy proxy = new RedisProxy(bed.redis.port())) {
            JobClient client = bed.client(
                    bed.redis.connections("", proxy.port()),
                    JobHooks.none(),
                    ClientConfig.defaults(),
                    Clock.systemUTC());
            JobClient later = client.in(Duration.ofDays(1));
            client.enqueue("Mail", 0);
            later.enqueue("Mail", 0);
            for (int i = 1; i <= 6; i++) {
                proxy.loseAnswers(1 + i % 3);
                client.enqueue("Mail", i);
                assertThat(proxy.answersLeftToLose()).isZero();
                proxy.loseAnswers(1 + i % 3);
                client.enqueueAll("Mail", List.of(List.of(i), List.of(i)));
                proxy.loseAnswers(1);
                later.enqueue("Mail", i);
            }
        }
        assertThat(bed.queue("default")).hasSize(19).doesNotHaveDuplicates();
        assertThat(bed.scheduled()).hasSize(7);
    }

    @Test
    void doesNotStoreAJobAgainThatWasTakenBeforeItsPushIsRepeated() {
        try (RedisProxy proxy = new RedisProxy(bed.redis.port())) {
            JobClient client = bed.client(
                    bed.redis.connections("", proxy.port()),
                    JobHooks.none(),
                    ClientConfig.defaults(),
                    Clock.systemUTC());
            client.enqueue("Mail", 0);
            client.in(Duration.ofDays(1)).enqueue("Mail", 0);
            bed.redis.texts().del("queue:default", "schedule");

            proxy.loseAnswers(
                    1, () -> assertThat(bed.redis.texts().rpop("queue:default")).isNotNull());
            client.enqueue("Mail", 1);
            proxy.loseAnswers(
                    1, () -> assertThat(bed.redis.texts().zpopmin("schedule").hasValue())
                            .isTrue());
            client.in(Duration.ofDays(1)).enqueue("Mail", 1);
        }
        assertThat(bed.redis.texts().exists("queue:default", "schedule")).isZero();
    }

    /** As after the route to Redis changed: no answer comes, and nothing shows that the connection is dead. */
    @Test
    @LongTest
    @Tag("sidekiq-7.6")
    void repeatsAJobOnceOverAnotherConnectionIfNoAnswerComes() {
        try (RedisProxy proxy = new RedisProxy(bed.redis.port())) {
            JobClient client = bed.client(
                    bed.redis.connections("", Duration.ofSeconds(4), proxy.port()),
                    JobHooks.none(),
                    ClientConfig.defaults(),
                    Clock.systemUTC());
            client.enqueue("Mail", 1);
            proxy.forget();
            client.enqueue("Mail", 2);
            proxy.mute();
            client.enqueue("Mail", 3);
            client.in(Duration.ofDays(1)).enqueue("Mail", 4);
            proxy.mute();
            client.in(Duration.ofDays(1)).enqueue("Mail", 5);
        }
        assertThat(bed.queue("default")).hasSize(3).doesNotHaveDuplicates();
        assertThat(bed.scheduled()).hasSize(2);
    }

    @Test
    void storesEveryAcceptedJobOnceWhileItsConnectionIsKilledAgainAndAgain() throws Exception {
        JobClient client = bed.client(Duration.ofSeconds(20));
        client.enqueue("Mail", "warm");
        AtomicBoolean done = new AtomicBoolean();
        AtomicInteger kills = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(5);
        List<String> accepted = new ArrayList<>();
        int refused = 0;
        try {
            Future<?> killer = threads.submit(() -> {
                long seen = 0;
                while (!done.get()) {
                    // Some progress between two kills; otherwise the connections would only reconnect.
                    long length = bed.redis.texts().llen("queue:default");
                    if (length >= seen + 60) {
                        kills.addAndGet(bed.redis
                                .texts()
                                .clientKill(KillArgs.Builder.typeNormal().skipme())
                                .intValue());
                        seen = length;
                    }
                }
            });
            List<Future<List<String>>> callers = new ArrayList<>();
            for (int thread = 0; thread < 4; thread++) {
                callers.add(threads.submit(() -> {
                    List<String> ids = new ArrayList<>();
                    for (int i = 0; i < 1_250; i++) {
                        try {
                            ids.add(client.enqueue("Mail", i));
                        } catch (JobStoreException e) {
                            ids.add(null);
                        }
                    }
                    return ids;
                }));
            }
            for (Future<List<String>> caller : callers) {
                for (String id : caller.get(50, TimeUnit.SECONDS)) {
                    if (id == null) {
                        refused++;
                    } else {
                        accepted.add(id);
                    }
                }
            }
            done.set(true);
            killer.get(60, TimeUnit.SECONDS);
        } finally {
            done.set(true);
            threads.shutdownNow();
        }
        Map<String, Integer> stored = new HashMap<>();
        bed.queue("default")
                .forEach(job -> stored.merge(job.replaceAll(".*\"jid\":\"(\\w+)\".*", "$1"), 1, Integer::sum));
        assertThat(kills.get()).isGreaterThan(20);
        assertThat(accepted).hasSize(5_000 - refused);
        assertThat(stored.values()).containsOnly(1);
        assertThat(stored).containsKeys(accepted.toArray(String[]::new)).hasSizeBetween(accepted.size() + 1, 5_001);
    }

    @LongTest
    @Test
    void givesEveryCallerItsExceptionInTimeWhileRedisHangs() throws Exception {
        JobClient client = bed.client(Duration.ofSeconds(1));
        client.enqueue("Mail", "before");
        Callable<List<JobStoreException>> twice = () -> List.of(
                failure(() -> client.enqueue("Mail", "first")), failure(() -> client.enqueue("Mail", "second")));
        ExecutorService threads = Executors.newFixedThreadPool(32);
        signal("STOP");
        try {
            // One after the other they would need a minute.
            for (Future<List<JobStoreException>> caller :
                    threads.invokeAll(Collections.nCopies(32, twice), 30, TimeUnit.SECONDS)) {
                assertThat(caller.get()).extracting(JobStoreException::kind).containsAnyOf(TIMEOUT, UNREACHABLE);
            }
        } finally {
            signal("CONT");
            threads.shutdownNow();
        }
        client.enqueue("Mail", "after");
        assertThat(bed.queue("default"))
                .doesNotHaveDuplicates()
                .last()
                .asString()
                .contains("after");
    }

    @Test
    @LongTest
    void saysOfABulkCallWhichJobsMayHaveBeenStored() throws Exception {
        JobClient client = bed.client(Duration.ofSeconds(3));
        client.enqueue("Mail", "before");
        signal("STOP");
        try {
            JobStoreException failure = failure(
                    () -> client.enqueueAll("Mail", List.of(List.of("lost"))).get(0));
            assertThat(BulkEndedException.of(failure).orElseThrow().jobs())
                    .extracting(BulkEndedException.BulkJob::state)
                    .containsExactly(BulkEndedException.State.UNKNOWN);
        } finally {
            signal("CONT");
        }
    }

    @Test
    @LongTest
    @Tag("sidekiq-7.6")
    void saysThatAJobMayHaveBeenStoredWhenTheAnswerStaysAway() throws Exception {
        JobClient client = bed.client(Duration.ofSeconds(3));
        client.enqueue("Mail", "before");
        signal("STOP");
        try {
            JobStoreException failure = failure(() -> client.enqueue("Mail", "lost"));
            assertThat(failure.kind()).isEqualTo(TIMEOUT);
            assertThat(failure.mayHaveRun()).isTrue();
            assertThat(failure).hasMessageContainingAll("Mail", "3000 ms", "may have been stored");
        } finally {
            signal("CONT");
        }
    }

    @Test
    void reportsThatRedisIsFullAndStoresNothing() {
        JobClient client = bed.client();
        client.enqueue("Mail", 1);
        client.in(Duration.ofDays(1)).enqueue("Mail", 1);
        SortedMap<String, String> before = bed.redis.snapshot();
        bed.redis.texts().configSet("maxmemory", "1mb");
        try {
            JobStoreException failure = failure(() -> client.enqueue("Mail", 2));
            assertThat(failure.kind()).isEqualTo(FULL);
            assertThat(failure).hasMessageContainingAll("Mail", "full", "the job was not stored");
            assertThat(failure(() -> client.in(Duration.ofDays(1)).enqueue("Mail", 2))
                            .kind())
                    .isEqualTo(FULL);
            JobStoreException bulk =
                    failure(() -> String.valueOf(client.enqueueAll("Mail", List.of(List.of(1), List.of(2)))));
            assertThat(bulk.kind()).isEqualTo(FULL);
            assertThat(bulk)
                    .hasMessageContainingAll("2 jobs Mail", "the 2 jobs were not stored", "0 had been stored before");
            assertThat(bed.redis.snapshot()).isEqualTo(before);
        } finally {
            bed.redis.texts().configSet("maxmemory", "0");
        }
        assertThat(client.enqueue("Mail", 3)).isNotNull();
    }

    @Test
    @LongTest
    @Tag("sidekiq-1")
    void reportsThatTheServerIsAReplicaAndWorksOnceItIsNot() {
        JobClient client = bed.client(Duration.ofSeconds(3));
        client.enqueue("Mail", 1);
        bed.redis.texts().replicaof("127.0.0.1", 1);
        try {
            JobStoreException failure = failure(() -> client.enqueue("Mail", 2));
            assertThat(failure.kind()).isEqualTo(READ_ONLY);
            assertThat(failure).hasMessageContainingAll("Mail", "the job was not stored");
        } finally {
            bed.redis.texts().replicaofNoOne();
        }
        assertThat(client.enqueue("Mail", 3)).isNotNull();
        assertThat(bed.queue("default")).hasSize(2);
    }

    @Test
    void reportsAKeyOfAnotherTypeAndLeavesIt() {
        JobClient client = bed.client();
        bed.redis.texts().set("queue:default", "text");
        bed.redis.texts().set("schedule", "text");
        SortedMap<String, String> before = bed.redis.snapshot();

        assertThat(failure(() -> client.enqueue("Mail")).kind()).isEqualTo(WRONG_TYPE);
        assertThat(failure(() -> client.in(Duration.ofDays(1)).enqueue("Mail")).kind())
                .isEqualTo(WRONG_TYPE);
        assertThat(bed.redis.snapshot()).isEqualTo(before);
    }

    @Test
    void keepsTheInterruptionOfACaller() throws Exception {
        JobClient client = bed.client(Duration.ofSeconds(20));
        client.enqueue("Mail", "before");
        ExecutorService thread = Executors.newSingleThreadExecutor();
        signal("STOP");
        try {
            Future<Boolean> interrupted = thread.submit(() -> {
                Thread.currentThread().interrupt();
                JobStoreException failure = failure(() -> client.enqueue("Mail", "lost"));
                assertThat(failure).hasMessageContainingAll("Interrupted", "may have been stored");
                return Thread.currentThread().isInterrupted();
            });
            assertThat(interrupted.get(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            signal("CONT");
            thread.shutdownNow();
        }
    }

    @Test
    @Timeout(50)
    void refusesAtOnceWhatComesAfterItsEnd() {
        RedisJobClient client = bed.client(Duration.ofSeconds(60));
        client.enqueue("Mail", 1);
        client.with(client.options().queue("other")).close();
        client.close();

        JobStoreException failure = failure(() -> client.enqueue("Mail", 2));
        assertThat(failure.kind()).isEqualTo(UNREACHABLE);
        assertThat(failure).hasMessageContainingAll("Mail", "closed", "the job was not stored");
    }

    @Test
    void takesJobsFromManyThreads() throws Exception {
        JobClient client = bed.client();
        ExecutorService threads = Executors.newFixedThreadPool(200);
        try {
            List<Callable<String>> calls = new ArrayList<>();
            for (int i = 0; i < 4_000; i++) {
                int number = i;
                calls.add(() -> client.queue("q" + number % 3).enqueue("Mail", number));
            }
            List<String> ids = new ArrayList<>();
            for (Future<String> call : threads.invokeAll(calls, 30, TimeUnit.SECONDS)) {
                ids.add(call.get());
            }
            assertThat(ids).doesNotHaveDuplicates();
        } finally {
            threads.shutdownNow();
        }
        List<String> stored = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            stored.addAll(bed.queue("q" + i));
        }
        assertThat(stored).hasSize(4_000).doesNotHaveDuplicates();
    }

    private static JobStoreException failure(Callable<String> call) {
        JobStoreException failure = catchThrowableOfType(JobStoreException.class, call::call);
        assertThat(failure).isNotNull();
        return failure;
    }

    private static void signal(String name) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(bed.redis.pid()))
                        .start()
                        .waitFor())
                .isZero();
    }
}
