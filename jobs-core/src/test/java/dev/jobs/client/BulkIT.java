package dev.jobs.client;

import static dev.jobs.client.ClientTestBed.NOW;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.jobs.BulkEndedException;
import dev.jobs.BulkEndedException.BulkJob;
import dev.jobs.BulkEndedException.State;
import dev.jobs.EnqueueMiddleware;
import dev.jobs.InvalidJobException;
import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobHooks;
import dev.jobs.JobListener;
import dev.jobs.JobStoreException;
import dev.jobs.Payload;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.proof.LongTest;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

class BulkIT {

    @AutoClose
    @RegisterExtension
    static final ClientTestBed bed = new ClientTestBed();

    static final class Mails {
        @Job(value = "Mail", queue = "mail")
        void send(Integer number) {}
    }

    /** Advances by one millisecond at each reading. */
    private static Clock tickingClock() {
        AtomicInteger ticks = new AtomicInteger();
        InstantSource source = () -> NOW.plusMillis(ticks.getAndIncrement());
        return source.withZone(ZoneOffset.UTC);
    }

    @Test
    @Tag("sidekiq-6")
    @Tag("sidekiq-7.2")
    void stores2500JobsInTheOrderOfTheInput() {
        RedisJobClient client = bed.client(
                bed.redis.connections(""), JobHooks.none(), ClientConfig.defaults(), tickingClock(), Mails.class);

        List<String> ids =
                client.enqueueAll("Mail", numbers(2_500).map(List::of).toList());

        // One reading of the clock for the call, and one for each slice.
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 2_500; i++) {
            expected.add("{\"retry\":true,\"queue\":\"mail\",\"class\":\"Mail\",\"args\":[" + i + "],\"jid\":\""
                    + ids.get(i) + "\",\"created_at\":" + NOW.toEpochMilli() + ",\"enqueued_at\":"
                    + (NOW.toEpochMilli() + 1 + i / 1_000) + "}");
        }
        assertThat(bed.queue("mail")).isEqualTo(expected);
        assertThat(ids).doesNotHaveDuplicates().allMatch(id -> id.matches("[0-9a-f]{24}"));
        assertThat(bed.redis.texts().smembers("queues")).containsExactly("mail");
    }

    @Test
    @Tag("sidekiq-7.2")
    @Tag("sidekiq-31")
    void schedulesInSlicesOfAHundred() {
        List<Integer> slices = new ArrayList<>();
        JobListener listener = new JobListener() {
            @Override
            public void enqueued(String name, String queue, int count, boolean scheduled) {
                assertThat(scheduled).isTrue();
                slices.add(count);
            }
        };

        List<String> ids = bed.client(listener)
                .in(Duration.ofSeconds(5))
                .enqueueAll("A", numbers(250).map(List::of).toList());

        assertThat(slices).containsExactly(100, 100, 50);
        assertThat(bed.redis
                        .texts()
                        .zcount("schedule", io.lettuce.core.Range.create(1_795_237_561.186, 1_795_237_561.186)))
                .isEqualTo(250);
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 250; i++) {
            expected.add("{\"retry\":true,\"queue\":\"default\",\"class\":\"A\",\"args\":[" + i + "],\"jid\":\""
                    + ids.get(i) + "\",\"created_at\":1795237556186}");
        }
        assertThat(bed.scheduled()).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(bed.redis.texts().exists("queues", "queue:default")).isZero();
    }

    @Test
    @Tag("sidekiq-7.2")
    void keepsToASmallerSliceOfTheConfiguration() {
        List<Integer> slices = new ArrayList<>();
        JobListener listener = new JobListener() {
            @Override
            public void enqueued(String name, String queue, int count, boolean scheduled) {
                slices.add(count);
            }
        };
        RedisJobClient client = bed.client(
                bed.redis.connections(""),
                JobHooks.none().with(JobListener.class, listener),
                new ClientConfig(1_000_000, 7),
                Clock.systemUTC());

        client.enqueueAll("A", numbers(20).map(List::of).toList());
        client.in(Duration.ofDays(1)).enqueueAll("A", numbers(8).map(List::of).toList());

        assertThat(slices).containsExactly(7, 7, 6, 7, 1);
    }

    @Test
    void cutsASliceAtAMegabyte() {
        List<Integer> slices = new ArrayList<>();
        JobListener listener = new JobListener() {
            @Override
            public void enqueued(String name, String queue, int count, boolean scheduled) {
                slices.add(count);
            }
        };

        bed.client(listener)
                .enqueueAll(
                        "A", numbers(10).map(i -> List.of("x".repeat(300_000))).toList());

        assertThat(slices).containsExactly(4, 4, 2);
        assertThat(bed.queue("default")).hasSize(10);
    }

    @Test
    @Tag("sidekiq-7.2")
    void returnsNullWhereAMiddlewareKeptAJobFromBeingStored() {
        EnqueueMiddleware odd = (payload, next) -> (Long) payload.args().get(0) % 2 == 1 ? null : next.proceed(payload);

        List<String> ids =
                bed.client(odd).enqueueAll("A", numbers(5).map(List::of).toList());

        assertThat(ids).hasSize(5).element(1).isNull();
        assertThat(ids.get(3)).isNull();
        assertThat(bed.queue("default"))
                .extracting(stored -> stored.replaceAll(".*\"args\":\\[(\\d)],\"jid\":\"(\\w+)\".*", "$1 $2"))
                .containsExactly("0 " + ids.get(0), "2 " + ids.get(2), "4 " + ids.get(4));
    }

    @Test
    @Tag("sidekiq-7.1")
    @Tag("sidekiq-7.2")
    void bringsEachJobToTheQueueThatItsMiddlewareChose() {
        List<String> heard = new ArrayList<>();
        EnqueueMiddleware spread = (payload, next) -> next.proceed(
                (Long) payload.args().get(0) % 3 == 2
                        ? payload.with("at", 1_900_000_000)
                        : payload.with("queue", "q" + (Long) payload.args().get(0) % 3));
        JobListener listener = new JobListener() {
            @Override
            public void enqueued(String name, String queue, int count, boolean scheduled) {
                heard.add(name + " " + queue + " " + count + " " + scheduled);
            }
        };

        bed.client(JobHooks.none().with(EnqueueMiddleware.class, spread).with(JobListener.class, listener))
                .enqueueAll("A", numbers(8).map(List::of).toList());

        assertThat(bed.queue("q0")).extracting(BulkIT::number).containsExactly(0, 3, 6);
        assertThat(bed.queue("q1")).extracting(BulkIT::number).containsExactly(1, 4, 7);
        assertThat(bed.scheduled()).extracting(BulkIT::number).containsExactlyInAnyOrder(2, 5);
        assertThat(bed.redis.texts().smembers("queues")).containsExactlyInAnyOrder("q0", "q1");
        assertThat(heard).containsExactly("A q0 3 false", "A q1 3 false", "A default 2 true");
    }

    @Test
    void readsAtMostOneSliceAheadOfWhatIsStored() {
        RedisJobClient client = bed.client();
        List<Long> stored = new ArrayList<>();
        Iterable<List<Integer>> watching = () -> numbers(2_001)
                .peek(i -> stored.add(bed.redis.texts().llen("queue:default")))
                .map(List::of)
                .iterator();

        client.enqueueAll("A", watching);

        assertThat(stored.get(999)).isZero();
        assertThat(stored.get(1_000)).as("on its way").isIn(0L, 1_000L);
        assertThat(stored.get(2_000)).isIn(1_000L, 2_000L);
        assertThat(bed.redis.texts().llen("queue:default")).isEqualTo(2_001);
    }

    @Test
    void readsAtMostOneSliceAheadOfWhatIsStoredByAMethodReference() {
        RedisJobClient client = bed.client(Mails.class);
        List<Long> stored = new ArrayList<>();
        Iterable<Integer> watching = () -> numbers(2_001)
                .peek(i -> stored.add(bed.redis.texts().llen("queue:mail")))
                .iterator();

        client.enqueueAll(Mails::send, watching);

        assertThat(stored.get(2_000)).isIn(1_000L, 2_000L);
    }

    @Test
    void asksRedisNothingForAnEmptyCall() {
        bed.redis.stop();
        try {
            assertThat(bed.client(Duration.ofMillis(100)).enqueueAll("A", List.of()))
                    .isEmpty();
        } finally {
            bed.redis.startAgain();
        }
    }

    @Test
    @Tag("sidekiq-7.2")
    void keepsTheSlicesBeforeAJobThatIsRefusedAndSaysHowManyAndWhich() {
        RedisJobClient client = bed.client();
        List<List<Object>> lists =
                new ArrayList<>(numbers(1_500).map(i -> List.<Object>of(i)).toList());
        lists.set(1_200, List.of(Double.NaN));

        assertThatThrownBy(() -> client.enqueueAll("A", lists))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContainingAll(
                        "job A", "Argument 1", "element 1201 of the call", "1,000 had been stored before");
        assertThat(bed.queue("default"))
                .extracting(BulkIT::number)
                .isEqualTo(numbers(1_000).toList());
    }

    @Test
    void namesTheElementThatIsTooLargeAlsoWhenOthersStandBehindItInTheSlice() {
        RedisJobClient client =
                bed.client(bed.redis.connections(""), JobHooks.none(), new ClientConfig(1_000, 10), Clock.systemUTC());
        List<List<Object>> lists =
                new ArrayList<>(numbers(15).map(i -> List.<Object>of(i)).toList());
        lists.set(11, List.of("x".repeat(1_000)));

        assertThatThrownBy(() -> client.enqueueAll("A", lists))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContainingAll("job A", "1,000", "element 12 of the call", "10 had been stored before");
        assertThat(bed.queue("default")).hasSize(10);
    }

    @Test
    void keepsTheSlicesBeforeOneThatRedisRefusedAndSaysHowMany() {
        // The second slice goes to a queue whose key holds something else.
        bed.redis.texts().set("queue:broken", "text");
        EnqueueMiddleware late = (payload, next) ->
                next.proceed((Long) payload.args().get(0) < 1_000 ? payload : payload.with("queue", "broken"));

        JobStoreException thrown = catchThrowableOfType(JobStoreException.class, () -> bed.client(late)
                .enqueueAll("A", numbers(1_500).map(List::of).toList()));

        assertThat(thrown.kind()).isEqualTo(JobStoreException.Kind.WRONG_TYPE);
        assertThat(thrown)
                .hasMessageContainingAll("500 jobs A", "queue broken", "not stored", "1,000 had been stored before");
        assertThat(bed.queue("default")).hasSize(1_000);
        assertThat(bed.redis.texts().get("queue:broken")).isEqualTo("text");
    }

    @Test
    void passesOnWhatAnIteratorThrowsWithHowManyWereStored() {
        Iterable<List<Integer>> failing =
                () -> Stream.concat(numbers(1_001).map(List::of), Stream.<List<Integer>>generate(() -> {
                            throw new IllegalStateException("no more rows");
                        }))
                        .iterator();

        assertThatThrownBy(() -> bed.client().enqueueAll("A", failing))
                .isExactlyInstanceOf(IllegalStateException.class)
                .satisfies(thrown -> assertThat(thrown.getSuppressed())
                        .singleElement()
                        .asString()
                        .contains("1,000 had been stored before"));
        assertThat(bed.queue("default")).hasSize(1_000);
    }

    @Test
    void saysForEachJobOfACallThatEndedWhetherItWasStored() {
        bed.redis.texts().set("queue:broken", "text");
        EnqueueMiddleware routing =
                (payload, next) -> switch (payload.args().get(0).toString()) {
                    case "1" -> null;
                    case "2" -> next.proceed(payload.with("queue", "broken"));
                    default -> next.proceed(payload);
                };

        Throwable thrown = catchThrowable(() ->
                bed.client(routing).enqueueAll("A", numbers(1_500).map(List::of).toList()));

        List<BulkJob> jobs = BulkEndedException.of(thrown).orElseThrow().jobs();
        assertThat(jobs.subList(0, 4))
                .extracting(BulkJob::state)
                .containsExactly(State.STORED, State.REFUSED, State.NOT_STORED, State.STORED);
        assertThat(jobs.get(1).jid()).isNull();
        assertThat(jobs.stream().filter(job -> job.state() == State.STORED).map(BulkJob::jid))
                .containsExactlyElementsOf(bed.queue("default").stream()
                        .map(stored -> Payload.parse(stored.getBytes(UTF_8)).jid())
                        .toList());
    }

    @Test
    void saysThatTheJobsAfterAnElementThatIsNoJobAreNotStored() {
        List<Object> arguments = new ArrayList<>(List.of(0, 1));
        arguments.add(Double.NaN);

        Throwable thrown = catchThrowable(() ->
                bed.client().enqueueAll("A", arguments.stream().map(List::of).toList()));

        assertThat(BulkEndedException.of(thrown).orElseThrow().jobs())
                .extracting(BulkJob::state)
                .containsExactly(State.NOT_STORED, State.NOT_STORED);
        assertThat(BulkEndedException.of(new IllegalStateException("another"))).isEmpty();
    }

    @Test
    void saysOfNoStoredJobThatItIsNotStoredWhateverAListenerThrows() {
        JobListener outOfMemory = new JobListener() {
            @Override
            public void enqueued(String name, String queue, int count, boolean scheduled) {
                throw new OutOfMemoryError("of this test");
            }
        };

        Throwable thrown = catchThrowable(() ->
                bed.client(outOfMemory).enqueueAll("A", numbers(3).map(List::of).toList()));

        assertThat(thrown).isInstanceOf(OutOfMemoryError.class);
        assertThat(bed.queue("default")).hasSize(3);
        assertThat(BulkEndedException.of(thrown).orElseThrow().jobs())
                .extracting(BulkJob::state)
                .containsOnly(State.UNKNOWN);
    }

    @Test
    void saysOfAJobThatIsTooLargeAndOfTheRestOfItsSliceThatTheyAreNotStored() {
        List<List<String>> arguments = List.of(List.of("a"), List.of("x".repeat(2_000_000)), List.of("c"));

        Throwable thrown = catchThrowable(() -> bed.client().enqueueAll("A", arguments));

        assertThat(thrown).isInstanceOf(InvalidJobException.class).hasMessageContaining("element 2");
        assertThat(bed.queue("default")).isEmpty();
        assertThat(BulkEndedException.of(thrown).orElseThrow().jobs())
                .extracting(BulkJob::state)
                .containsOnly(State.NOT_STORED);
    }

    @Test
    void saysWhatBecameOfItsOwnJobsIfABulkCallInsideItEndsEarly() {
        EnqueueMiddleware fails = (payload, chain) -> {
            throw new IllegalStateException("of this test");
        };
        JobClient inner = bed.client(fails);
        EnqueueMiddleware enqueuesMore = (payload, chain) -> {
            if (payload.args().toString().equals("[1]")) {
                inner.enqueueAll("Inner", List.of(List.of("a")));
            }
            return chain.proceed(payload);
        };

        Throwable thrown = catchThrowable(() -> bed.client(enqueuesMore)
                .enqueueAll("A", numbers(3).map(List::of).toList()));

        assertThat(BulkEndedException.of(thrown).orElseThrow().jobs()).hasSize(1);
    }

    @LongTest
    @Test
    @Timeout(180)
    void goesOnAfterAnyNumberOfCallsThatEndedWhileASliceWasOnItsWay() {
        List<Throwable> failures = List.of(
                new IllegalStateException("no more rows"),
                new AssertionError("no more rows"),
                new IOException("no more rows"),
                new InvalidJobException("no more rows"),
                new JobStoreException(JobStoreException.Kind.OTHER, "no more rows", null));
        List<Throwable> thrown = new ArrayList<>();
        AtomicReference<Throwable> next = new AtomicReference<>();
        EnqueueMiddleware failing = (payload, chain) -> {
            if (payload.args().toString().equals("[3]")) {
                throwUnchecked(next.get());
            }
            return chain.proceed(payload);
        };
        ClientConfig oneByOne = new ClientConfig(1_000_000, 1);
        JobClient byMiddleware = bed.client(
                bed.redis.connections(""),
                JobHooks.none().with(EnqueueMiddleware.class, failing),
                oneByOne,
                Clock.systemUTC());
        JobClient byIterable = bed.client(bed.redis.connections(""), JobHooks.none(), oneByOne, Clock.systemUTC());
        int calls = 300;
        for (int i = 0; i < calls; i++) {
            next.set(failures.get(i % failures.size()));
            thrown.add(catchThrowable(() -> byMiddleware.enqueueAll(
                    "A", numbers(3).map(n -> List.of(n + 1)).toList())));
            thrown.add(catchThrowable(() -> byIterable.enqueueAll("A", endingWith(next.get()))));
        }

        for (int i = 0; i < 2 * calls; i++) {
            Throwable expected = failures.get(i / 2 % failures.size());
            assertThat(thrown.get(i)).isInstanceOf(expected.getClass()).hasMessageContaining("no more rows");
        }
        assertThat(bed.queue("default")).hasSize(4 * calls);
        assertThat(byMiddleware.enqueue("A", 1)).isNotNull();
        assertThat(byIterable.enqueue("A", 1)).isNotNull();
    }

    private static Iterable<List<Integer>> endingWith(Throwable failure) {
        return () -> Stream.concat(numbers(2).map(List::of), Stream.<List<Integer>>generate(() -> {
                    throwUnchecked(failure);
                    return List.of();
                }))
                .iterator();
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <E extends Throwable> void throwUnchecked(Throwable failure) throws E {
        throw (E) failure;
    }

    @Test
    @Tag("sidekiq-7.2")
    void givesEveryJobAnIdOfItsOwnAcrossCalls() {
        RedisJobClient client = bed.client();
        HashSet<String> ids = new HashSet<>();
        for (int i = 0; i < 3; i++) {
            ids.addAll(client.enqueueAll("A", numbers(1_000).map(List::of).toList()));
        }

        assertThat(ids).hasSize(3_000);
    }

    private static Stream<Integer> numbers(int count) {
        return IntStream.range(0, count).boxed();
    }

    private static int number(String stored) {
        return Integer.parseInt(stored.replaceAll(".*\"args\":\\[(\\d+)].*", "$1"));
    }

    @Test
    @Tag("sidekiq-7.2")
    void spreadsJobsOverAnInterval() {
        RedisJobClient client = bed.client();
        List<String> ids = client.spread(Duration.ofSeconds(100))
                .enqueueAll("A", numbers(1_000).map(List::of).toList());

        List<Double> waits = bed.redis.texts().zrangeWithScores("schedule", 0, -1).stream()
                .map(job -> job.getScore() - NOW.toEpochMilli() / 1_000.0)
                .toList();
        assertThat(ids).hasSize(1_000).doesNotHaveDuplicates();
        assertThat(waits).hasSize(1_000).allSatisfy(wait -> assertThat(wait).isBetween(0.0, 100.001));
        assertThat(waits.stream().filter(wait -> wait < 50)).hasSizeBetween(400, 600);
        assertThat(waits.get(0)).isLessThan(2);
        assertThat(waits.get(999)).isGreaterThan(98);
    }

    @Test
    @Tag("sidekiq-7.2")
    void spreadsJobsFromTheirTimeOn() {
        JobClient later = bed.client().in(Duration.ofSeconds(50)).spread(Duration.ofSeconds(10));
        later.enqueueAll("A", numbers(100).map(List::of).toList());
        later.enqueue("A", 100);

        assertThat(bed.redis.texts().zrangeWithScores("schedule", 0, -1))
                .hasSize(101)
                .extracting(job -> job.getScore() - NOW.toEpochMilli() / 1_000.0)
                .allSatisfy(wait -> assertThat(wait).isBetween(49.999, 60.001));
    }

    @Test
    void spreadsNothingOverNoTimeAndRefusesMoreThanAYear() {
        RedisJobClient client = bed.client();
        client.spread(Duration.ZERO).enqueue("A");
        client.spread(Duration.ofDays(1)).spread(Duration.ofSeconds(-1)).enqueue("A");

        assertThat(bed.queue("default")).hasSize(2);
        assertThatThrownBy(() -> client.spread(Duration.ofDays(367)))
                .isInstanceOf(InvalidJobException.class)
                .hasMessage("'interval' must be at most PT8784H but was PT8808H");
    }

    private static double scheduledAt(int index) {
        return bed.redis
                .texts()
                .zrangeWithScores("schedule", index, index)
                .get(0)
                .getScore();
    }

    @Test
    @Tag("sidekiq-7.2")
    void givesEachJobItsOwnTime() {
        JobClient client = bed.client(Mails.class)
                .in(Duration.ofDays(9))
                .atEach(List.of(NOW.plusSeconds(20), NOW.minusSeconds(1), NOW.plusSeconds(10)));

        List<String> byMethod = client.enqueueAll(Mails::send, List.of(1, 2, 3));
        List<String> byName = client.queue("mail").enqueueAll("Mail", List.of(List.of(1), List.of(2), List.of(3)));

        assertThat(byMethod).hasSize(3).doesNotContainNull();
        assertThat(byName).hasSize(3).doesNotContainNull();
        assertThat(bed.scheduled()).extracting(BulkIT::number).containsExactly(3, 3, 1, 1);
        assertThat(scheduledAt(0)).isEqualTo(NOW.plusSeconds(10).toEpochMilli() / 1_000.0);
        assertThat(scheduledAt(3)).isEqualTo(NOW.plusSeconds(20).toEpochMilli() / 1_000.0);
        assertThat(bed.queue("mail")).extracting(BulkIT::number).containsExactly(2, 2);
    }

    @Test
    void theTimesOfEachJobMayBeSpreadAndOtherTimesReplaceThem() {
        JobClient client = bed.client(Mails.class).atEach(List.of(NOW.plusSeconds(100), NOW.plusSeconds(200)));

        client.spread(Duration.ofSeconds(10)).enqueueAll(Mails::send, List.of(1, 2));
        client.in(Duration.ofDays(1)).enqueue(Mails::send, 3);

        double now = NOW.toEpochMilli() / 1_000.0;
        assertThat(bed.scheduled()).extracting(BulkIT::number).containsExactly(1, 2, 3);
        assertThat(scheduledAt(0) - now).isBetween(99.999, 110.001);
        assertThat(scheduledAt(1) - now).isBetween(199.999, 210.001);
    }

    @Test
    @Tag("sidekiq-7.2")
    void refusesAnotherNumberOfTimesThanJobsBeforeAnythingIsStoredWhereItIsKnown() {
        JobClient client = bed.client(Mails.class).atEach(List.of(NOW, NOW));

        assertThatThrownBy(() -> client.enqueueAll(Mails::send, List.of(1, 2, 3)))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("2 times and 3 jobs");
        assertThatThrownBy(() -> client.enqueueAll("Mail", List.of(List.of(1))))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("2 times and 1 jobs");
        assertThat(bed.redis.snapshot()).isEmpty();
    }

    @Test
    void refusesItAtTheElementWhereTheNumberOfJobsIsNotKnown() {
        JobClient client = bed.client(Mails.class).atEach(List.of(NOW, NOW));
        Iterable<Integer> one = () -> Stream.of(1).iterator();
        Iterable<Integer> three = () -> Stream.of(1, 2, 3).iterator();

        assertThatThrownBy(() -> client.enqueueAll(Mails::send, three))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("2 times and more jobs")
                .hasMessageContaining("element 3");
        assertThatThrownBy(() -> client.enqueueAll(Mails::send, one))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("2 times and 1 jobs");
        assertThat(bed.queue("mail")).isEmpty();
    }

    @Test
    void refusesTheTimesOfManyForASingleJob() {
        JobClient client = bed.client(Mails.class).atEach(List.of(NOW));

        assertThatThrownBy(() -> client.enqueue("Mail", 1)).hasMessageContaining("atEach");
        assertThatThrownBy(() -> client.enqueue(Mails::send, 1)).hasMessageContaining("atEach");
        assertThatThrownBy(() -> client.push(Map.of("class", "Mail", "args", List.of(1))))
                .hasMessageContaining("atEach");
        assertThatThrownBy(() -> client.atEach(Arrays.asList(NOW, null))).hasMessageContaining("null");
        assertThat(bed.redis.snapshot()).isEmpty();
    }
}
