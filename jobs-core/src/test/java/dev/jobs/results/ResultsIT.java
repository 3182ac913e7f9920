package dev.jobs.results;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jobs.InvalidJobException;
import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobFailedException;
import dev.jobs.JobHandle;
import dev.jobs.JobResult;
import dev.jobs.JobResult.State;
import dev.jobs.JobResultException;
import dev.jobs.admin.JobSet;
import dev.jobs.admin.ListedJob;
import dev.jobs.admin.RunResult;
import dev.jobs.admin.ScanBudget;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.engine.WorkerProcess;
import dev.jobs.iterations.Iteration;
import dev.jobs.proof.LongTest;
import dev.jobs.testing.RedisFixture;
import dev.jobs.unique.Unique;
import io.lettuce.core.KillArgs;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The results of submitted jobs, through real engines and administration. */
class ResultsIT {

    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final ScanBudget ENOUGH = new ScanBudget(1_000, Duration.ofSeconds(5));

    private static final int AWAITED = Integer.getInteger("jobs.results.awaited", 5_000);

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    private final Jobs jobs = new Jobs();

    @AutoClose
    private final EngineTestBed bed = new EngineTestBed(redis);

    private RedisJobClient client;
    private final JobsAdmin admin = bed.admin();

    record Report(String name, List<Long> numbers) {}

    static final class Jobs {

        final Map<String, Integer> failuresLeft = new ConcurrentHashMap<>();
        final CountDownLatch begun = new CountDownLatch(1);
        final CountDownLatch release = new CountDownLatch(1);
        volatile RedisJobClient client;

        @Job("Sum")
        long sum(long a, long b) {
            return a + b;
        }

        @Job("Report")
        Report report(String name) {
            return new Report(name, List.of(1L, 2L));
        }

        @Job("Reports")
        List<Report> reports(String name) {
            return List.of(report(name));
        }

        @Job("Once")
        @Unique(key = "{0}") String once(String shop) {
            return "synced " + shop;
        }

        @Job("Nothing")
        void nothing() {}

        @Job("Null")
        String returnsNull() {
            return null;
        }

        @Job("Large")
        String large(int size) {
            return "x".repeat(size);
        }

        @Job("Thread")
        Object thread() {
            return Thread.currentThread();
        }

        @Job("Times")
        Map<String, Object> times() {
            return Map.of("began", Instant.EPOCH);
        }

        @Job(value = "Dies", retry = 0)
        void dies() {
            throw new IllegalStateException("no paper");
        }

        @Job(value = "Discarded", retry = Job.NONE)
        void discarded() {
            throw new IllegalStateException("no paper");
        }

        @Job("Business")
        void business() {
            throw new JobFailedException("no stock");
        }

        @Job(value = "Expires", expiresIn = "1s")
        void expires() {}

        @Job(value = "Retries", retry = 3)
        String retries() {
            if (failuresLeft.merge("Retries", -1, Integer::sum) >= 0) {
                throw new IllegalStateException("not yet");
            }
            return "at last";
        }

        @Job("Hold")
        String hold(String id) throws InterruptedException {
            begun.countDown();
            release.await();
            return "held " + id;
        }

        @Job("Waits")
        long waits() throws InterruptedException {
            return client.submit("Sum", Long.class, 1, 2).await(SOON).value();
        }

        @Job("Walk")
        Iteration<Integer> walk() {
            return Iteration.over(List.of(1, 2, 3)).each(element -> {});
        }
    }

    @BeforeEach
    void open() {
        bed.times(Duration.ofMillis(200), LEASE);
        client = client();
        jobs.client = client;
    }

    private RedisJobClient client() {
        return bed.client(jobs);
    }

    @AfterEach
    void close() {
        jobs.release.countDown();
        client.close();
    }

    private static JobResult<?> now(JobHandle<?> handle) throws InterruptedException {
        return handle.await(Duration.ZERO);
    }

    private static byte[] only(String set) {
        List<byte[]> members = redis.bytes().zrange(set.getBytes(UTF_8), 0, -1);
        assertThat(members).hasSize(1);
        return members.get(0);
    }

    @Test
    void aValueComesBackAsTheTypeOfTheMethod() throws Exception {
        bed.start(jobs);

        JobHandle<Long> sum = client.submit(JobCall.of(Jobs::sum, 2L, 3L), Long.class);
        JobHandle<Report> report = client.submit(JobCall.of(Jobs::report, "May"), Report.class);

        long number = sum.await(SOON).value();
        assertThat(number).isEqualTo(5);
        assertThat(report.await(SOON).value()).isEqualTo(new Report("May", List.of(1L, 2L)));
        JobResult<?> reports =
                client.submit(JobCall.of(Jobs::reports, "May"), List.class).await(SOON);
        assertThat((Object) reports.value())
                .as("of reports, not of maps")
                .isEqualTo(List.of(new Report("May", List.of(1L, 2L))));
        assertThat(client.submit(JobCall.of(Jobs::sum, 2L, 3L).timeout(Duration.ofSeconds(9)), Object.class)
                        .await(SOON)
                        .value())
                .isEqualTo(5L);
        assertThat(client.submit("Report", Report.class, "June")
                        .await(SOON)
                        .value()
                        .name())
                .isEqualTo("June");
        assertThat(client.result(sum.jid(), Long.class).value()).isEqualTo(5L);
        assertThat(redis.texts().pttl("jobs:result:" + sum.jid())).isBetween(3_500_000L, 3_600_000L);
        assertThat(redis.texts().get("jobs:result:" + sum.jid())).isEqualTo("{\"state\":\"done\",\"value\":5}");
    }

    @LongTest
    @Test
    void manyJobsAreSubmittedInOneCall() throws Exception {
        List<String> names = IntStream.range(0, 2_500).mapToObj(i -> "r" + i).toList();

        List<JobHandle<Report>> handles = client.submitAll(Jobs::report, Report.class, names);
        List<JobHandle<Long>> sums = client.submitAll("Sum", Long.class, List.of(List.of(1, 2), List.of(3, 4)));
        bed.start(jobs);

        assertThat(JobHandle.awaitAll(handles, SOON))
                .extracting(result -> result.value().name())
                .isEqualTo(names);
        assertThat(JobHandle.awaitAll(sums, SOON)).extracting(JobResult::value).containsExactly(3L, 7L);
        assertThat(handles).extracting(JobHandle::jid).doesNotHaveDuplicates();
        bed.awaitDrained("default");
    }

    @Test
    void ofManySubmittedJobsTheRefusedOnesAreKnown() throws Exception {
        List<JobHandle<String>> handles = client.submitAll(Jobs::once, String.class, List.of("a", "b", "a"));
        bed.start(jobs);

        List<JobResult<String>> results = JobHandle.awaitAll(handles, SOON);

        assertThat(handles).extracting(JobHandle::isAccepted).containsExactly(true, true, false);
        assertThat(handles).extracting(JobHandle::jid).doesNotContain("null").doesNotHaveDuplicates();
        assertThat(results)
                .extracting(JobResult::state)
                .containsExactly(State.SUCCEEDED, State.SUCCEEDED, State.REFUSED);
        assertThat(results.get(1).value()).isEqualTo("synced b");
    }

    @Test
    void awaitingManyJobsEndsWithTheTimeOfAllTogether() throws Exception {
        List<JobHandle<Report>> handles = client.submitAll(Jobs::report, Report.class, List.of("a", "b"));

        assertThat(JobHandle.awaitAll(handles, Duration.ofMillis(50)))
                .extracting(JobResult::state)
                .containsExactly(State.PENDING, State.PENDING);
        assertThat(JobHandle.awaitAll(List.<JobHandle<Report>>of(), SOON)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"Nothing", "Null", "Walk"})
    void aJobWithoutAValueSucceeds(String name) throws Exception {
        bed.start(jobs);

        JobResult<Object> result = client.submit(name, Object.class).await(SOON);

        assertThat(result.state()).isEqualTo(State.SUCCEEDED);
        assertThat(result.value()).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "Dies,DEAD,java.lang.IllegalStateException,no paper",
        "Discarded,DISCARDED,java.lang.IllegalStateException,no paper",
        "Business,FAILED,dev.jobs.JobFailedException,no stock"
    })
    void aFailureIsTold(String name, State state, String error, String message) throws Exception {
        bed.start(jobs);

        JobResult<Void> result = client.submit(name, Void.class).await(SOON);

        assertThat(result.state()).isEqualTo(state);
        assertThat(result.errorClass()).isEqualTo(error);
        assertThat(result.message()).isEqualTo(message);
        assertThatThrownBy(result::value)
                .isInstanceOf(JobResultException.class)
                .hasMessageContaining(state.name())
                .hasMessageContaining(message);
    }

    @Test
    void aResultThatIsTooLargeOrCantBeWrittenLeavesAMessage() throws Exception {
        bed.start(jobs);

        JobResult<String> fits =
                client.submit(JobCall.of(Jobs::large, 65_534), String.class).await(SOON);
        JobResult<String> large =
                client.submit(JobCall.of(Jobs::large, 65_535), String.class).await(SOON);
        JobResult<Object> thread =
                client.submit(JobCall.of(Jobs::thread), Object.class).await(SOON);
        JobResult<?> changed = client.submit(JobCall.of(Jobs::times), Map.class).await(SOON);
        JobResult<Integer> other = client.submit("Report", Integer.class, "May").await(SOON);

        assertThat(fits.value()).hasSize(65_534);
        assertThat(large.isSuccess()).isTrue();
        assertThat(large.message()).isEqualTo("Its result is not kept: 65537 bytes of JSON, and 65536 are allowed");
        assertThatThrownBy(large::value).isInstanceOf(JobResultException.class);
        assertThat(thread.isSuccess()).isTrue();
        assertThat(thread.message()).startsWith("Its result is not kept: ");
        assertThat(changed.isSuccess()).isTrue();
        assertThat(changed.message()).startsWith("Its result is not kept: ").contains("Instant would arrive as String");
        assertThat(other.isSuccess()).isTrue();
        assertThat(other.message()).startsWith("Its result can't be read as java.lang.Integer: ");
        bed.awaitDrained("default");
        assertThat(bed.books().acked()).isEqualTo(5);
    }

    @Test
    void anExpiredAndACancelledJobAreTold() throws Exception {
        JobHandle<Void> expires = client.with("expiry", 1).submit("Expires", Void.class);
        JobHandle<Long> cancelled = client.submit(JobCall.of(Jobs::sum, 1L, 2L), Long.class);
        client.cancel(cancelled.jid());
        bed.start(jobs);

        assertThat(expires.await(SOON).state()).isEqualTo(State.EXPIRED);
        assertThat(cancelled.await(SOON).state()).isEqualTo(State.CANCELLED);
    }

    @Test
    void aRetryIsNotTheEnd() throws Exception {
        jobs.failuresLeft.put("Retries", 1);
        JobHandle<String> handle = client.submit(JobCall.of(Jobs::retries), String.class);
        bed.start(jobs);
        bed.awaitDrained("default");

        JobResult<String> first = handle.await(Duration.ofMillis(50));
        assertThat(first.state()).isEqualTo(State.RETRIED);
        assertThat(first.state().isFinal()).isFalse();
        assertThat(first.message()).isEqualTo("not yet");
        assertThat(client.result(handle.jid(), String.class).state()).isEqualTo(State.RETRIED);

        assertThat(admin.sets().runNow(JobSet.RETRY, only("retry"))).isEqualTo(RunResult.ENQUEUED);
        assertThat(handle.await(SOON).value()).isEqualTo("at last");
    }

    @Test
    void whatAdministrationEndsIsTold() throws Exception {
        JobHandle<Void> deleted = client.submit("Nothing", Void.class);
        assertThat(now(deleted).state()).isEqualTo(State.PENDING);
        byte[] stored = redis.bytes().lindex("queue:default".getBytes(UTF_8), 0);
        assertThat(admin.queues().delete("default", stored)).isTrue();
        assertThat(deleted.await(SOON).state()).isEqualTo(State.DELETED);

        JobHandle<Void> killed = client.in(Duration.ofHours(1)).submit("Nothing", Void.class);
        admin.sets().kill(JobSet.SCHEDULED, only("schedule"));
        assertThat(killed.await(SOON).state()).isEqualTo(State.DEAD);
        assertThat(admin.sets().delete(JobSet.DEAD, only("dead"))).isTrue();
        assertThat(now(killed).state()).isEqualTo(State.DEAD); // as it ended

        JobHandle<Void> trashed = client.submit("Nothing", Void.class);
        List<ListedJob> found =
                admin.queues().findById("default", trashed.jid(), ENOUGH).items();
        admin.trash().delete("default", found, "one", each -> {});
        assertThat(trashed.await(SOON).state()).isEqualTo(State.DELETED);
        admin.trash().restoreBatch("one", Duration.ofSeconds(5));
        assertThat(now(trashed).state()).isEqualTo(State.PENDING);

        List<JobHandle<Void>> cleared = IntStream.range(0, 250)
                .mapToObj(i -> client.submit("Nothing", Void.class))
                .toList();
        assertThat(admin.queues().clear("default")).isEqualTo(251);
        for (JobHandle<Void> each : cleared) {
            assertThat(now(each).state()).isEqualTo(State.DELETED);
        }
        assertThat(now(trashed).state()).isEqualTo(State.DELETED);
    }

    @Test
    void aRevivedJobHasNoResultUntilItsNextEnd() throws Exception {
        JobHandle<Void> handle = client.submit("Dies", Void.class);
        bed.start(jobs);
        assertThat(handle.await(SOON).state()).isEqualTo(State.DEAD);
        bed.stopEngines();

        assertThat(admin.sets().runNow(JobSet.DEAD, only("dead"))).isEqualTo(RunResult.ENQUEUED);

        assertThat(now(handle).state()).isEqualTo(State.PENDING);
        bed.start(jobs);
        assertThat(handle.await(SOON).state()).isEqualTo(State.DEAD);
    }

    /** Its client may be told of the former end only when it waits for the next one. */
    @Test
    void aRevivedJobIsAwaitedThoughItsFormerEndIsToldLate() throws Exception {
        JobHandle<Void> handle = client.submit("Dies", Void.class);
        bed.start(jobs);
        await().atMost(SOON).until(() -> redis.texts().zcard("dead") == 1);
        bed.stopEngines();
        assertThat(admin.sets().runNow(JobSet.DEAD, only("dead"))).isEqualTo(RunResult.ENQUEUED);
        assertThat(redis.texts().keys("jobs:replies:*")).hasSize(1);

        await().until(() -> {
            assertThat(handle.await(Duration.ofMillis(300)).state()).isEqualTo(State.PENDING);
            return redis.texts().keys("jobs:replies:*").isEmpty();
        });

        assertThat(client.result(handle.jid(), Void.class).state()).isEqualTo(State.PENDING);
        bed.start(jobs);
        assertThat(handle.await(SOON).state()).isEqualTo(State.DEAD);
    }

    @Test
    void aClearedQueueFindsJobsOfTheOutboxAndOfOptions() throws Exception {
        String jid = client.keepResult(Duration.ofMinutes(1)).enqueue("Nothing");

        admin.queues().clear("default");

        assertThat(client.result(jid, Void.class).state()).isEqualTo(State.DELETED);
        assertThat(redis.texts().keys("jobs:replies:*")).isEmpty(); // nobody waits
    }

    @Test
    @LongTest
    void aJobWhoseWorkerIsKilledAnswersWhenItHasRunElsewhere() throws Exception {
        JobHandle<String> handle = client.submit(JobCall.of(Jobs::hold, "1"), String.class);
        try (WorkerProcess worker = WorkerProcess.start(redis.port(), LEASE)) {
            await().atMost(Duration.ofMinutes(2)).until(() -> redis.texts().llen("started") == 1);
            worker.kill();
        }
        bed.start(jobs);
        jobs.release.countDown();

        assertThat(handle.await(SOON).value()).isEqualTo("held 1");
        assertThat(bed.books().recovered()).isEqualTo(1);
    }

    @Test
    @LongTest
    void aJobThatItsWorkersDieOfIsToldWhenItIsBuried() throws Exception {
        bed.config = bed.config.with(values -> values.maxRecoveries = 1);
        JobHandle<String> handle = client.submit(JobCall.of(Jobs::hold, "1"), String.class);
        try (WorkerProcess worker = WorkerProcess.start(redis.port(), LEASE)) {
            await().atMost(Duration.ofMinutes(2)).until(() -> redis.texts().llen("started") == 1);
            worker.kill();
        }
        bed.start(jobs);

        JobResult<String> result = handle.await(SOON);

        assertThat(result.state()).isEqualTo(State.DEAD);
        assertThat(result.message()).isEqualTo("Its workers died while they ran it");
    }

    @Test
    void aSettlementOfALostJobTellsNothing() throws Exception {
        JobHandle<String> handle = client.submit(JobCall.of(Jobs::hold, "1"), String.class);
        bed.start(jobs);
        jobs.begun.await();
        String held = redis.texts().keys("jobs:in:*").get(0);
        redis.texts().hkeys(held).stream().filter(key -> !key.startsWith("#")).forEach(token -> redis.texts()
                .hdel(held, token)); // as the reaper would
        jobs.release.countDown();
        bed.awaitEnds(1);
        bed.stopEngines();

        assertThat(now(handle).state()).isEqualTo(State.PENDING);
        assertThat(redis.texts().keys("jobs:re*")).containsExactly("jobs:results");
    }

    @Test
    void nobodyListensOnceNobodyWaits() throws Exception {
        JobHandle<Void> handle = client.submit("Nothing", Void.class);
        assertThat(handle.await(Duration.ofMillis(20)).state()).isEqualTo(State.PENDING);
        assertThat(listening()).as("until its call ends").isTrue();

        await().until(() -> !listening());
    }

    private static boolean listening() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().equals("jobs-client-replies"));
    }

    @Test
    void whatIsGoneIsUnknownAndNeverWaitedForLonger() throws Exception {
        JobHandle<Void> handle = client.submit("Nothing", Void.class);
        String list = "jobs:replies:"
                + dev.jobs.Payload.parse(redis.bytes().lindex("queue:default".getBytes(UTF_8), 0))
                        .text("reply_to");
        redis.texts().rpush(list, handle.jid()); // told, but nothing is kept

        assertThat(handle.await(SOON).state()).isEqualTo(State.UNKNOWN);
        assertThat(handle.await(Duration.ofMillis(20)).state()).isEqualTo(State.PENDING);
        assertThat(client.result(handle.jid(), Void.class).state()).isEqualTo(State.UNKNOWN);

        redis.texts().set(list, "no list");
        redis.texts().hset("jobs:result:" + handle.jid(), "no", "text");
        assertThat(handle.await(Duration.ofMillis(500)).state()).isEqualTo(State.PENDING);
        redis.texts().set("jobs:result:" + handle.jid(), "no JSON");
        assertThat(handle.await(SOON).state()).isEqualTo(State.UNKNOWN);
        redis.texts().del("jobs:result:" + handle.jid());
        bed.start(jobs);
        assertThat(handle.await(SOON).state()).isEqualTo(State.SUCCEEDED);
    }

    @LongTest
    @Test
    void aListThatNobodyReadsBecomesAMark() throws Exception {
        List<JobHandle<Long>> handles = new ArrayList<>();
        for (int i = 0; i < 10_150; i++) {
            handles.add(client.submit("Sum", Long.class, i, 1));
        }
        bed.start(jobs);
        bed.awaitDrained("default");
        String list = redis.texts().keys("jobs:replies:*").get(0);
        assertThat(redis.texts().llen(list)).isBetween(1L, 10_000L);
        assertThat(redis.texts().pttl(list)).isBetween(1L, 60_000L);
        JobHandle<String> last = client.submit(JobCall.of(Jobs::hold, "last"), String.class);
        Future<JobResult<String>> waiting = inBackground(last);
        await().until(() -> redis.texts().exists(list) == 0);

        redis.texts().rpush(list, "other", "");
        redis.texts().set("jobs:result:" + last.jid(), "{\"state\":\"done\",\"value\":\"by mark\"}");
        redis.texts().rpush(list, "");

        assertThat(waiting.get(30, TimeUnit.SECONDS).value()).isEqualTo("by mark");
        assertThat(handles.get(10_000).await(SOON).value()).isEqualTo(10_001);
    }

    private static <V> Future<JobResult<V>> inBackground(JobHandle<V> handle) {
        ExecutorService threads = Executors.newSingleThreadExecutor();
        try {
            return threads.submit(() -> handle.await(SOON));
        } finally {
            threads.shutdown();
        }
    }

    /** The connections are killed while jobs end before, during and after the waits, each in one of many ways. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void noEndIsMissed(boolean connectionsDie) throws Exception {
        awaitEnds(500, connectionsDie);
    }

    @LongTest
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void noneOfManyEndsIsMissed(boolean connectionsDie) throws Exception {
        awaitEnds(connectionsDie ? AWAITED / 5 : AWAITED, connectionsDie);
    }

    private void awaitEnds(int count, boolean connectionsDie) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(48);
        CountDownLatch over = new CountDownLatch(1);
        Thread killer = new Thread(() -> {
            try {
                while (connectionsDie && !over.await(5, TimeUnit.MILLISECONDS)) {
                    kill("jobs-replies");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        bed.start(jobs);
        killer.start();
        Map<State, Integer> expected = new EnumMap<>(State.class);
        Map<State, AtomicInteger> ended = new ConcurrentHashMap<>();
        try {
            List<Future<?>> ends = new ArrayList<>();
            List<Callable<?>> later = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                Submitted submitted = submit(i);
                expected.merge(submitted.end(), 1, Integer::sum);
                Callable<?> wait = () -> {
                    JobResult<Long> result = submitted.handle().await(SOON);
                    if (result.isSuccess()) {
                        assertThat(result.value()).isEqualTo(submitted.value());
                    }
                    return ended.computeIfAbsent(result.state(), state -> new AtomicInteger())
                            .incrementAndGet();
                };
                if (i % 4 == 0) {
                    later.add(wait);
                } else {
                    ends.add(threads.submit(wait));
                }
            }
            for (Future<?> end : ends) {
                end.get();
            }
            for (Callable<?> wait : later) {
                wait.call();
            }
        } finally {
            over.countDown();
            killer.join();
            threads.shutdownNow();
        }
        bed.awaitDrained("default");
        assertThat(new TreeMap<>(ended).toString()).isEqualTo(expected.toString());
        System.out.println("Awaited " + count + (connectionsDie ? " over connections that die: " : ": ") + expected);
    }

    /** A job, and how it ends. */
    private record Submitted(JobHandle<Long> handle, State end, long value) {}

    private Submitted submit(int number) {
        return switch (number % 16) {
            case 1 -> new Submitted(client.submit("Dies", Long.class), State.DEAD, 0);
            case 3 -> new Submitted(client.submit("Discarded", Long.class), State.DISCARDED, 0);
            case 4 -> new Submitted(client.submit("Business", Long.class), State.FAILED, 0);
            case 6 -> new Submitted(client.with("expiry", 1).submit("Sum", Long.class, 1, 1), State.EXPIRED, 0);
            case 8 -> {
                JobHandle<Long> handle = client.queue("unserved").submit("Sum", Long.class, 1, 1);
                byte[] stored = redis.bytes().lindex("queue:unserved".getBytes(UTF_8), 0);
                assertThat(admin.queues().delete("unserved", stored)).isTrue();
                yield new Submitted(handle, State.DELETED, 0);
            }
            default -> new Submitted(client.submit("Sum", Long.class, number, 1), State.SUCCEEDED, number + 1L);
        };
    }

    private static void kill(String name) {
        redis.texts()
                .clientList()
                .lines()
                .filter(line -> line.contains("name=" + name))
                .map(line -> Long.parseLong(line.replaceFirst("id=(\\d+) .*", "$1")))
                .forEach(id -> redis.texts().clientKill(KillArgs.Builder.id(id)));
    }

    @Test
    void anAnswerThatIsLostWithItsConnectionIsFoundAgain() throws Exception {
        JobHandle<String> handle = client.submit(JobCall.of(Jobs::hold, "1"), String.class);
        Future<JobResult<String>> waiting = inBackground(handle);
        await().until(() -> redis.texts().clientList().contains("cmd=blpop"));
        String list = "jobs:replies:"
                + dev.jobs.Payload.parse(redis.bytes().lindex("queue:default".getBytes(UTF_8), 0))
                        .text("reply_to");

        redis.texts()
                .eval(
                        "redis.call('SET', KEYS[1], ARGV[1]) redis.call('DEL', KEYS[2])",
                        ScriptOutputType.STATUS,
                        new String[] {"jobs:result:" + handle.jid(), list},
                        "{\"state\":\"done\",\"value\":\"found\"}"); // as if its jid had been taken with the connection
        kill("jobs-replies");

        assertThat(waiting.get(30, TimeUnit.SECONDS).value()).isEqualTo("found"); // long before the time is over
    }

    @Test
    void twoThreadsMayWaitForOneJobAndOthersForJobsOfTheirOwnClient() throws Exception {
        try (RedisJobClient other = client()) {
            JobHandle<String> handle = client.submit(JobCall.of(Jobs::hold, "1"), String.class);
            JobHandle<Long> others = other.submit(JobCall.of(Jobs::sum, 1L, 1L), Long.class);
            Future<JobResult<String>> one = inBackground(handle);
            Future<JobResult<String>> two = inBackground(handle);
            bed.start(jobs);
            assertThat(others.await(SOON).value()).isEqualTo(2);
            jobs.release.countDown();

            assertThat(one.get().value()).isEqualTo("held 1");
            assertThat(two.get().value()).isEqualTo("held 1");
        }
    }

    /** What a job costs Redis besides what an enqueued one does: its result, its jid, and two looks of its client. */
    @LongTest
    @Test
    void anAwaitedJobCostsAFewCommands() throws Exception {
        int count = 2_000;
        bed.times(Duration.ofMillis(200), Duration.ofMinutes(1)); // each beat has a command of these as well
        bed.start(jobs);
        client.submit("Sum", Long.class, 1, 1).await(SOON);
        long[] before = calls();
        ExecutorService threads = Executors.newFixedThreadPool(20);
        try {
            List<Future<Long>> ends = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                ends.add(threads.submit(
                        () -> client.submit("Sum", Long.class, 1, 1).await(SOON).value()));
            }
            for (Future<Long> end : ends) {
                assertThat(end.get()).isEqualTo(2);
            }
        } finally {
            threads.shutdown();
        }
        bed.awaitDrained("default");
        long[] after = calls();

        assertThat(after[0] - before[0]).isBetween((long) count, count + 200L); // SET, and those of bells
        assertThat(after[1] - before[1]).isBetween((long) count, 2L * count + 50); // GET
        assertThat(after[2] - before[2]).isBetween(1L, (long) count); // RPUSH
        assertThat(after[3] - before[3]).isBetween(1L, count + 10L); // BLPOP
    }

    private static long[] calls() {
        return Stream.of("set", "get", "rpush", "blpop").mapToLong(redis::calls).toArray();
    }

    /** Jobs that ask for nothing, beside those that do. */
    @Test
    void anEnqueuedJobCostsNothingMore() {
        bed.times(Duration.ofMillis(200), Duration.ofMinutes(1)); // each beat has a command of these as well
        bed.start(jobs);
        client.enqueue("Sum", 1, 1);
        bed.awaitDrained("default");
        long[] before = calls();
        IntStream.range(0, 100).forEach(i -> client.enqueue("Sum", 1, 1));
        bed.awaitDrained("default");
        long[] after = calls();

        assertThat(after[0] - before[0]).isLessThan(5); // of the bell
        assertThat(after[2] - before[2]).isZero();
        assertThat(after[3] - before[3]).isZero();
        assertThat(redis.texts().keys("jobs:re*")).isEmpty();
    }

    @Test
    void aClientWithANewIdStillFindsWhatItSubmitted() throws Exception {
        JobHandle<String> before = client.submit(JobCall.of(Jobs::hold, "1"), String.class);
        client.renewId();
        Future<JobResult<String>> waiting = inBackground(before);
        bed.start(jobs);
        jobs.begun.await();
        jobs.release.countDown();

        assertThat(waiting.get().value()).isEqualTo("held 1");
        assertThat(client.submit(JobCall.of(Jobs::sum, 1L, 1L), Long.class)
                        .await(SOON)
                        .value())
                .isEqualTo(2);
    }

    @Test
    void aClientThatIsClosedEndsItsWaits() throws Exception {
        JobHandle<String> handle = client.submit(JobCall.of(Jobs::hold, "1"), String.class);
        Future<JobResult<String>> waiting = inBackground(handle);
        await().until(() -> redis.texts().clientList().contains("cmd=blpop"));

        client.close();

        assertThatThrownBy(waiting::get).hasMessageContaining("closed");
    }

    @Test
    void aWaitCanBeInterrupted() throws Exception {
        JobHandle<String> handle = client.submit(JobCall.of(Jobs::hold, "1"), String.class);
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> handle.await(SOON)).isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void aWaitInAJobWorks() throws Exception {
        bed.start(jobs);

        assertThat(client.submit(JobCall.of(Jobs::waits), Long.class)
                        .await(SOON)
                        .value())
                .isEqualTo(3);
    }

    @Test
    void theTimeIsChecked() {
        assertThatThrownBy(() -> client.keepResult(Duration.ofMillis(999))).isInstanceOf(InvalidJobException.class);
        assertThatThrownBy(() -> client.keepResult(Duration.ofDays(31))).isInstanceOf(InvalidJobException.class);
        assertThatThrownBy(() -> client.with("keep_result", "long").enqueue("Nothing"))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("'keep_result' must be a number of seconds");
        assertThatThrownBy(() ->
                        client.with("keep_result", 60).with("reply_to", "a b").enqueue("Nothing"))
                .isInstanceOf(InvalidJobException.class);
    }
}
