package dev.jobs.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.BulkEndedException;
import dev.jobs.EnqueueMiddleware;
import dev.jobs.InvalidJobException;
import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobContext;
import dev.jobs.JobHandle;
import dev.jobs.JobHooks;
import dev.jobs.JobListener;
import dev.jobs.JobRegistry;
import dev.jobs.JobResult;
import dev.jobs.Payload;
import dev.jobs.PayloadTimes;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.client.ClientConfig;
import dev.jobs.client.JobStore;
import dev.jobs.limits.Limit;
import dev.jobs.transactions.Transactions;
import dev.jobs.unique.DuplicateJobException;
import dev.jobs.unique.Unique;
import dev.jobs.unique.Unique.OnConflict;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What callers may expect of every {@link JobClient}: those of tests behave as the real one does. */
abstract class JobClientContract {

    static final Instant NOW = Instant.parse("2026-05-01T12:00:00Z");
    static final Clock CLOCK = Clock.fixed(NOW, ZoneOffset.UTC);

    /** A job as it is stored. */
    record Stored(@Nullable Instant at, Payload payload) {}

    static final class Mails {

        @Job(queue = "mail", retry = 3, tags = "mails")
        void send(String to, int copies) {}

        @Job
        void tidy(JobContext job) {}

        @Job
        @Unique(key = "{0}", forAtMost = "1h", onConflict = OnConflict.ERROR)
        void digest(String to) {}

        @Job
        @Unique(key = "{0}", onConflict = OnConflict.REJECT)
        void once(String to) {}

        @Job(queue = "imports", key = "{0}", priority = 5)
        @Limit(name = "erp", key = "{0}", concurrency = 1, rate = 1, per = "1h")
        void load(String tenant) {}

        void noJob() {}
    }

    private final List<String> enqueued = new ArrayList<>();
    private final List<String> duplicates = new ArrayList<>();
    private JobClient client;

    /** The store of the client under test, and empty. */
    abstract JobStore store();

    /** All jobs in that store, in the order in which they would be taken. */
    abstract List<Stored> stored();

    @BeforeEach
    void connect() {
        client = client(new EnqueueMiddleware[0]);
    }

    @AfterEach
    void close() {
        ((RedisJobClient) client).close();
    }

    private RedisJobClient client(EnqueueMiddleware... middleware) {
        JobListener listener = new JobListener() {
            @Override
            public void enqueued(String name, String queue, int count, boolean scheduled) {
                enqueued.add(name + " " + queue + " " + count + (scheduled ? " scheduled" : ""));
            }

            @Override
            public void duplicates(String name, String queue, int count, String holder) {
                duplicates.add(name + " " + queue + " " + count + " " + holder);
            }
        };
        JobHooks hooks = JobHooks.none()
                .with(EnqueueMiddleware.class, List.of(middleware))
                .with(JobListener.class, listener);
        return new RedisJobClient(
                store(),
                JobRegistry.of(new Mails()),
                hooks,
                new ClientConfig(2_000, 10, PayloadTimes.MILLISECONDS),
                CLOCK,
                new SecureRandom(),
                Transactions.NONE,
                null);
    }

    private Payload only() {
        assertThat(stored()).hasSize(1);
        return stored().get(0).payload();
    }

    @Test
    void aJobIsStoredWithItsAnnotationAndArguments() {
        String jid = client.enqueue(Mails::send, "bob", 2);

        Payload job = only();
        assertThat(jid).matches("[0-9a-f]{24}").isEqualTo(job.jid());
        assertThat(job.name()).isEqualTo("Mails.send");
        assertThat(job.queue()).isEqualTo("mail");
        assertThat(job.args()).containsExactly("bob", 2L);
        assertThat(job.get("retry")).isEqualTo(3L);
        assertThat(job.get("tags")).isEqualTo(List.of("mails"));
        assertThat(job.time("created_at")).isEqualTo(NOW);
        assertThat(job.time("enqueued_at")).isEqualTo(NOW);
        assertThat(stored().get(0).at()).isNull();
    }

    @Test
    void idsAreUnique() {
        List<@Nullable String> ids = client.enqueueAll(
                "X", IntStream.range(0, 500).mapToObj(each -> List.of(each)).toList());

        assertThat(new HashSet<>(ids)).hasSize(500).doesNotContainNull();
        assertThat(stored()).extracting(job -> job.payload().jid()).isEqualTo(ids);
    }

    @Test
    void aMethodWithAContextTakesTheOtherArguments() {
        client.enqueue(Mails::tidy);

        assertThat(only().args()).isEmpty();
    }

    @Test
    void ofAUniqueJobOneIsStored() {
        String jid = client.enqueue(Mails::digest, "bob");

        assertThatExceptionOfType(DuplicateJobException.class)
                .isThrownBy(() -> client.in(Duration.ofDays(1)).enqueue(Mails::digest, "bob"))
                .satisfies(e -> assertThat(e.holder()).isEqualTo(jid));
        assertThat(client.enqueueAll(Mails::digest, List.of("eve", "bob", "eve", "joe")))
                .satisfies(jids ->
                        assertThat(jids.stream().map(each -> each != null)).containsExactly(true, false, false, true));
        assertThat(client.unique("k").enqueue("X", 1)).isNotNull();
        assertThat(client.unique("k").enqueue("X", 2)).isNull();
        assertThat(client.unique("k").enqueue("Y", 2)).isNotNull();
        assertThat(stored())
                .extracting(job -> job.payload().args().get(0))
                .containsExactlyInAnyOrder("bob", "eve", "joe", 1L, 2L);
        assertThat(stored())
                .extracting(job -> job.payload().get("unique_until"))
                .containsOnly("success");
        assertThat(enqueued).hasSize(4);
    }

    @Test
    void aRejectedDuplicateIsNotAmongTheJobsThatRun() {
        String jid = client.enqueue(Mails::once, "bob");

        assertThat(client.enqueue(Mails::once, "bob")).isNull();
        assertThat(client.enqueueAll(Mails::once, List.of("bob", "eve", "bob")))
                .satisfies(jids ->
                        assertThat(jids.stream().map(each -> each != null)).containsExactly(false, true, false));

        assertThat(stored()).hasSize(2);
        assertThat(duplicates).containsExactly("Mails.once default 1 " + jid, "Mails.once default 2 " + jid);
    }

    @Test
    void limitsKeysAndPrioritiesKeepNoJobFromBeingStored() {
        for (int i = 0; i < 3; i++) {
            client.enqueue(Mails::load, "acme");
        }
        client.limit("erp", "other").key("eve").priority(-3).queue("imports").enqueue("X", 1);

        assertThat(stored()).hasSize(4);
        assertThat(stored())
                .extracting(job -> job.payload().get("order_key"))
                .containsExactly("acme", "acme", "acme", "eve");
        assertThat(stored()).extracting(job -> job.payload().get("priority")).containsExactly(5L, 5L, 5L, -3L);
        assertThat(stored().get(3).payload().get("limits")).isEqualTo(List.of(List.of("erp", "other")));
        assertThatThrownBy(() -> client.priority(101)).isInstanceOf(InvalidJobException.class);
        assertThatThrownBy(() -> client.limit("queue:mail", "")).isInstanceOf(InvalidJobException.class);
    }

    @Test
    void manyJobsAreSubmittedInOneCall() throws Exception {
        client.enqueue(Mails::digest, "bob");

        List<JobHandle<@Nullable Void>> handles =
                client.submitAll(Mails::digest, Void.class, List.of("eve", "bob", "joe"));

        assertThat(handles).extracting(JobHandle::isAccepted).containsExactly(true, false, true);
        assertThat(handles.get(1).await(Duration.ZERO).state()).isEqualTo(JobResult.State.REFUSED);
        assertThat(stored())
                .extracting(job -> job.payload().jid())
                .contains(handles.get(0).jid(), handles.get(2).jid())
                .doesNotContain(handles.get(1).jid());
        assertThatThrownBy(() -> client.submitAll("X", Long.class, Collections.singletonList(null)))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("its list of arguments is null");
        assertThat(client.submitAll("X", Long.class, List.of())).isEmpty();
    }

    @Test
    void anUnknownNameIsStored() {
        client.enqueue("Ruby::Job", "a", null, 1.5, List.of(1, 2), Map.of("k", "v"));

        assertThat(only().name()).isEqualTo("Ruby::Job");
        assertThat(only().args()).isEqualTo(Arrays.asList("a", null, 1.5, List.of(1L, 2L), Map.of("k", "v")));
    }

    @Test
    void oneNullIsAnArgument() {
        client.enqueue("X", (Object[]) null);

        assertThat(only().args()).isEqualTo(Arrays.asList((Object) null));
    }

    @Test
    void tooManyArgumentsAreRefused() {
        refused(() -> client.enqueue("Mails.send", "bob", 2, "more"));
    }

    @Test
    void anArgumentThatJsonCantCarryIsRefused() {
        refused(() -> client.enqueue("X", Double.NaN));
        refused(() -> client.enqueue("X", new Object()));
    }

    @Test
    void aMethodThatIsNoJobIsRefused() {
        refused(() -> client.enqueue(Mails::noJob));
    }

    @Test
    void aLambdaIsRefused() {
        refused(() -> client.<Mails>enqueue(mails -> mails.noJob()));
    }

    @Test
    void aPayloadThatIsTooLargeIsRefused() {
        refused(() -> client.enqueue("X", "x".repeat(3_000)));
    }

    @Test
    void badOptionsAreRefused() {
        refused(() -> client.queue("a b").enqueue("X"));
        refused(() -> client.retry(-7).enqueue("X"));
        refused(() -> client.with("jid", "1").enqueue("X"));
        refused(() -> client.atEach(List.of(NOW)).enqueue("X"));
        refused(() -> client.spread(Duration.ofDays(400)).enqueue("X"));
    }

    private void refused(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatExceptionOfType(InvalidJobException.class).isThrownBy(call);
        assertThat(stored()).isEmpty();
        assertThat(enqueued).isEmpty();
    }

    @Test
    void optionsApplyToADerivedClientAlone() {
        client.queue("low").retry(Job.NONE).tags("a", "b").with("trace", 7).enqueue(Mails::send, "bob", 1);
        Payload job = only();
        assertThat(job.queue()).isEqualTo("low");
        assertThat(job.get("retry")).isEqualTo(false);
        assertThat(job.get("tags")).isEqualTo(List.of("a", "b"));
        assertThat(job.get("trace")).isEqualTo(7L);

        client.enqueue(Mails::send, "eve", 1);

        assertThat(stored()).extracting(each -> each.payload().queue()).contains("mail");
    }

    @Test
    void aDelayedJobWaits() {
        client.in(Duration.ofHours(1)).enqueue(Mails::send, "bob", 1);

        assertThat(stored().get(0).at()).isEqualTo(NOW.plusSeconds(3600));
        assertThat(only().has("enqueued_at")).isFalse();
        assertThat(only().has("at")).isFalse();
        assertThat(enqueued).containsExactly("Mails.send mail 1 scheduled");
    }

    @Test
    void aTimeIsKeptToTheMillisecond() {
        Instant time = Instant.parse("2026-05-02T00:00:00.123Z");

        client.at(time).enqueue("X");

        assertThat(Duration.between(time, stored().get(0).at()).abs()).isLessThan(Duration.ofNanos(2_000));
    }

    @Test
    void aTimeThatHasPassedMeansNow() {
        client.at(NOW).enqueue("X");
        client.in(Duration.ofSeconds(-5)).enqueue("X");

        assertThat(stored()).hasSize(2).allSatisfy(job -> assertThat(job.at()).isNull());
    }

    @Test
    void aSpreadLiesInTheInterval() {
        client.in(Duration.ofHours(1)).spread(Duration.ofMinutes(1)).enqueue("X");

        assertThat(stored().get(0).at()).isBetween(NOW.plusSeconds(3600), NOW.plusSeconds(3660));
    }

    @Test
    void bulkCallsKeepTheOrder() {
        List<@Nullable String> ids =
                client.enqueueAll("X", IntStream.range(0, 25).mapToObj(List::of).toList());

        assertThat(ids).hasSize(25);
        assertThat(stored())
                .extracting(job -> job.payload().args().get(0))
                .isEqualTo(IntStream.range(0, 25).mapToObj(Long::valueOf).toList());
        assertThat(enqueued).containsExactly("X default 10", "X default 10", "X default 5");
    }

    @Test
    void aBulkCallGivesEachJobItsTime() {
        client.atEach(List.of(NOW.plusSeconds(20), NOW, NOW.plusSeconds(10)))
                .enqueueAll("X", List.of(List.of(1), List.of(2), List.of(3)));

        assertThat(stored()).extracting(Stored::at).containsExactly(null, NOW.plusSeconds(10), NOW.plusSeconds(20));
    }

    @Test
    void aBulkCallThatEndsKeepsTheSlicesBefore() {
        List<List<Object>> lists = new ArrayList<>();
        IntStream.range(0, 15).forEach(each -> lists.add(List.of(each)));
        lists.add(List.of(Double.NaN));

        assertThatThrownBy(() -> client.enqueueAll("X", lists))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("element 16")
                .satisfies(e -> assertThat(BulkEndedException.of(e)).isPresent());
        assertThat(stored()).hasSize(10);
    }

    @Test
    void middlewareMayRefuseAJob() {
        client = client((payload, next) -> payload.args().contains(1L) ? null : next.proceed(payload));

        assertThat(client.enqueue("X", 1)).isNull();
        List<@Nullable String> ids = client.enqueueAll("X", List.of(List.of(1), List.of(2), List.of(1)));

        assertThat(ids.get(0)).isNull();
        assertThat(ids.get(1)).isEqualTo(only().jid());
        assertThat(ids.get(2)).isNull();
        assertThat(enqueued).containsExactly("X default 1");
    }

    @Test
    void middlewareMayChangeAJob() {
        client = client(
                (payload, next) -> next.proceed(payload.with("queue", "low")),
                (payload, next) -> next.proceed(payload.with("trace", payload.queue())));

        client.enqueue("X");

        assertThat(only().queue()).isEqualTo("low");
        assertThat(only().text("trace")).isEqualTo("low");
    }

    @Test
    void whatMiddlewareThrowsReachesTheCaller() {
        client = client((payload, next) -> {
            throw new IllegalStateException("no tenant");
        });

        assertThatThrownBy(() -> client.enqueue("X")).isInstanceOf(IllegalStateException.class);
        assertThat(stored()).isEmpty();
    }

    @Test
    void aRawPayloadKeepsItsMembers() {
        Map<String, @Nullable Object> payload = new LinkedHashMap<>();
        payload.put("class", "X");
        payload.put("args", List.of(1));
        payload.put("jid", "mine");
        payload.put("custom", Map.of("a", 1));

        assertThat(client.push(payload)).isEqualTo("mine");

        assertThat(only().get("custom")).isEqualTo(Map.of("a", 1L));
        assertThat(only().queue()).isEqualTo("default");
    }

    @Test
    void theTimeOfARawPayloadCountsFromNowIfItIsSmall() {
        client.push(Map.of("class", "X", "args", List.of(), "at", 60));

        assertThat(stored().get(0).at()).isEqualTo(NOW.plusSeconds(60));
    }

    @Test
    void aRawPayloadWithoutNameOrArgumentsIsRefused() {
        refused(() -> client.push(Map.of("args", List.of())));
        refused(() -> client.push(Map.of("class", "X")));
    }

    @Test
    void cancellingTwiceReturnsTheFirstTime() {
        assertThat(client.cancel("0123456789abcdef01234567")).isEqualTo(NOW);
        assertThat(client.cancel("0123456789abcdef01234567")).isEqualTo(NOW);
        assertThatThrownBy(() -> client.cancel(" ")).isInstanceOf(InvalidJobException.class);
    }

    @Test
    void listenersAreNotifiedOfStoredJobs() {
        client.enqueue(Mails::send, "bob", 1);

        assertThat(enqueued).containsExactly("Mails.send mail 1");
    }
}
