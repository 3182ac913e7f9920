package dev.jobs.unique;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.jobs.InvalidJobException;
import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobClient;
import dev.jobs.JobDefinitionException;
import dev.jobs.JobHooks;
import dev.jobs.JobListener;
import dev.jobs.JobRegistry;
import dev.jobs.Payload;
import dev.jobs.admin.JobSet;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.batches.RedisBatches;
import dev.jobs.chores.PollerIT;
import dev.jobs.client.ClientTestBed;
import dev.jobs.engine.ChoreTestBed;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.unique.Unique.OnConflict;
import dev.jobs.unique.Unique.Until;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What becomes of duplicates, and of jobs that are throttled or debounced, and what callers learn of it. */
class ConflictsIT {

    @AutoClose
    static final ClientTestBed bed = new ClientTestBed();

    static class Shops {
        @Job("latest")
        @Unique(key = "{0}", onConflict = OnConflict.REPLACE)
        void latest(long shop, int version) {}

        @Job("strange")
        @Unique(key = "{0}", onConflict = OnConflict.REJECT)
        void strange(long shop) {}

        @Job("last")
        @Unique(key = "{0}", until = Until.EXPIRY, forAtMost = "1h", onConflict = OnConflict.LATER)
        void last(long shop, int version) {}

        @Job(value = "index", aliases = "reindex")
        void index(long product, int version) {}
    }

    static class Misfits {
        @Job("misfit")
        @Unique(until = Until.EXPIRY, onConflict = OnConflict.REPLACE)
        void misfit() {}
    }

    static class OtherMisfits {
        @Job("misfit")
        @Unique(onConflict = OnConflict.LATER)
        void misfit() {}
    }

    private final Logger log = (Logger) LoggerFactory.getLogger(Duplicates.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final List<String> told = new ArrayList<>();
    private RedisJobClient client;

    @BeforeEach
    void listen() {
        lines.start();
        log.addAppender(lines);
        client = bed.client(
                new JobListener() {
                    @Override
                    public void enqueued(String name, String queue, int count, boolean scheduled) {
                        told.add(count + " " + name + (scheduled ? " scheduled" : ""));
                    }

                    @Override
                    public void duplicates(String name, String queue, int count, String holder) {
                        told.add(count + " " + name + " of " + queue + " behind " + holder);
                    }
                },
                Shops.class);
    }

    @AfterEach
    void empty() {
        log.detachAppender(lines);
        bed.clear();
    }

    private static List<Object> argumentsOf(List<String> stored) {
        return stored.stream()
                .map(payload -> Payload.parse(payload.getBytes(UTF_8)).args().get(1))
                .toList();
    }

    @Test
    void theLatestOfScheduledJobsIsKept() {
        client.in(Duration.ofDays(1)).enqueue(Shops::latest, 5L, 1);
        client.in(Duration.ofDays(2)).enqueue(Shops::latest, 5L, 2);
        client.in(Duration.ofDays(1)).enqueueAll("latest", List.of(List.of(5, 3), List.of(6, 4)));

        assertThat(argumentsOf(bed.scheduled())).containsExactlyInAnyOrder(3L, 4L);
        assertThat(told).containsExactly("1 latest scheduled", "1 latest scheduled", "2 latest scheduled");
        assertThat(lines.list).isEmpty();
    }

    @Test
    void aJobThatHasBegunIsNotReplacedAndTheCallerLearnsWhichOne() {
        String first = client.enqueue(Shops::latest, 5L, 1);
        String twin = "jobs:twin:" + UniqueRule.digest("latest", "5");
        assertThat(bed.redis.texts().hget(twin, "jid")).isEqualTo(first);
        bed.redis.texts().hdel(twin, "jid"); // as if it had begun

        assertThatThrownBy(() -> client.enqueue(Shops::latest, 5L, 2))
                .isInstanceOfSatisfying(
                        DuplicateJobException.class, e -> assertThat(e.holder()).isEqualTo(first))
                .hasMessageContaining("is a duplicate and not stored: job " + first
                        + " holds its lock and has begun, so it can't be replaced");
        assertThat(client.enqueueAll("latest", List.of(List.of(5, 3)))).containsOnlyNulls();
        assertThat(argumentsOf(bed.queue("default"))).containsExactly(1L);
    }

    @Test
    void listenersHearOfDuplicatesByNameAndQueue() {
        String first = client.enqueue(Shops::strange, 5L);
        String second = client.enqueue(Shops::strange, 6L);
        told.clear();

        client.enqueueAll("strange", List.of(List.of(6), List.of(5), List.of(7)));
        client.queue("low").enqueue(Shops::strange, 5L);

        assertThat(told)
                .containsExactly(
                        "2 strange of default behind " + second, "1 strange", "1 strange of low behind " + first);
    }

    @Test
    void aRejectedJobGoesToTheDeadSet() {
        String first = client.enqueue(Shops::strange, 5L);

        assertThat(client.enqueue(Shops::strange, 5L)).isNull();

        assertThat(bed.queue("default")).hasSize(1);
        assertThat(bed.redis.texts().zrange("dead", 0, -1))
                .singleElement()
                .asString()
                .contains("Job " + first + " held the lock of its key");
        assertThat(lines.list)
                .singleElement()
                .extracting(ILoggingEvent::getFormattedMessage)
                .asString()
                .contains("is a duplicate and went to the dead set: job " + first + " holds its lock");
        assertThat(told).containsExactly("1 strange", "1 strange of default behind " + first);
    }

    @Test
    void theLastJobOfAPeriodWaits() {
        for (int i = 1; i <= 3; i++) {
            assertThat(client.enqueue(Shops::last, 5L, i)).isNotNull();
        }

        assertThat(argumentsOf(bed.queue("default"))).containsExactly(1L);
        assertThat(argumentsOf(bed.scheduled())).containsExactly(3L);
        assertThat(told).containsExactly("1 last", "1 last scheduled", "1 last scheduled");
        assertThat(lines.list).isEmpty();
        assertThat(client.enqueueAll("last", List.of(List.of(6, 1), List.of(6, 2), List.of(6, 3))))
                .doesNotContainNull();
        assertThat(argumentsOf(bed.scheduled())).containsExactlyInAnyOrder(3L, 3L);
    }

    @Test
    void aCallMayBeThrottled() {
        Throttled calls = new Throttled(client);
        assertThat(calls.index(1)).isNotNull();
        assertThat(calls.index(2)).isNull();
        assertThat(client.throttle("other", Duration.ofMinutes(5)).enqueue("index", 1, 3))
                .isNotNull();
        assertThat(client.throttleKeepingLast("p:1", Duration.ofMinutes(5)).enqueue("index", 1, 4))
                .as("the same lock")
                .isNotNull();

        assertThat(argumentsOf(bed.queue("default"))).containsExactly(1L, 3L);
        assertThat(argumentsOf(bed.scheduled())).containsExactly(4L);
        assertThat(bed.redis.texts().pttl("unique:" + UniqueRule.digest("index", "p:1")))
                .isBetween(590_000L, 600_000L);
    }

    private record Throttled(RedisJobClient client) {
        String index(int version) {
            return client.throttle("p:1", Duration.ofMinutes(5)).enqueue(Shops::index, 1L, version);
        }
    }

    @Test
    void ofDebouncedJobsTheLastOneWaits() {
        JobClient debounced = client.debounce("p:1", Duration.ofMinutes(1), Duration.ofMinutes(5));
        debounced.enqueue(Shops::index, 1L, 1);
        debounced.at(java.time.Instant.MAX).enqueue("reindex", 1, 2);
        debounced.enqueueAll("index", List.of(List.of(1, 3), List.of(1, 4)));
        client.debounce("p:2", Duration.ofMinutes(1), Duration.ofMinutes(5)).enqueue(Shops::index, 2L, 5);

        assertThat(argumentsOf(bed.scheduled())).containsExactlyInAnyOrder(4L, 5L);
        double due = bed.redis
                .texts()
                .zscore("schedule", bed.redis.texts().zrange("schedule", 0, 0).get(0));
        assertThat(due).isBetween(System.currentTimeMillis() / 1_000.0 + 50, System.currentTimeMillis() / 1_000.0 + 60);
        assertThat(bed.queue("default")).isEmpty();
    }

    @Test
    void aScheduledJobIsReplacedThatWasMovedToAnotherQueue() {
        JobClient debounced = client.debounce("p:1", Duration.ofMinutes(1), Duration.ofMinutes(5));
        debounced.enqueue(Shops::index, 1L, 11);
        client.enqueue(Shops::last, 5L, 20);
        client.enqueue(Shops::last, 5L, 21);
        client.in(Duration.ofHours(1)).enqueue(Shops::latest, 6L, 31);
        DeadSetBounds dead = new DeadSetBounds(10, Duration.ofDays(1));
        try (JobsAdmin admin = new JobsAdmin(bed.redis.connections(""), dead, JobHooks.none(), Clock.systemUTC())) {
            assertThat(admin.sets().all(JobSet.SCHEDULED).move("bulk").done()).isEqualTo(3);
        }

        debounced.enqueue(Shops::index, 1L, 12);
        client.enqueue(Shops::last, 5L, 22);
        client.in(Duration.ofHours(1)).enqueue(Shops::latest, 6L, 32);

        assertThat(argumentsOf(bed.scheduled())).containsExactlyInAnyOrder(12L, 22L, 32L);
    }

    @Test
    void aDueJobIsReplacedThatAMiddlewareHasPutOff() throws InterruptedException {
        JobClient debounced = client.debounce("p:1", Duration.ofMinutes(1), Duration.ofMinutes(5));
        debounced.enqueue(Shops::index, 1L, 11);
        client.enqueue(Shops::last, 5L, 20);
        client.enqueue(Shops::last, 5L, 21);
        bed.redis.texts().zrange("schedule", 0, -1).forEach(each -> bed.redis
                .texts()
                .zadd("schedule", 1, each));
        double later = System.currentTimeMillis() / 1_000.0 + 3_600;
        EngineTestBed engine = new EngineTestBed(bed.redis);
        engine.enqueueMiddleware.add((payload, next) ->
                next.proceed(payload.with("quiet_hours", true).with("at", later)));
        try (engine;
                ChoreTestBed process = new ChoreTestBed(engine)) {
            PollerIT.poller(process).runOnce();
        }
        assertThat(bed.scheduled()).hasSize(2).allMatch(each -> each.contains("quiet_hours"));

        debounced.enqueue(Shops::index, 1L, 12);
        client.enqueue(Shops::last, 5L, 22);

        assertThat(argumentsOf(bed.scheduled())).containsExactlyInAnyOrder(12L, 22L);
    }

    @Test
    void whatDoesNotFitIsRefused() {
        assertThatThrownBy(() -> client.debounce("k", Duration.ofMinutes(2), Duration.ofMinutes(1)))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("'atMost' must not be less");
        assertThatThrownBy(() -> client.debounce("k", Duration.ZERO, Duration.ofMinutes(1)))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("'pause'");
        assertThatThrownBy(() -> client.throttle("k", Duration.ZERO))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("'period'");
        JobClient debounced = client.debounce("k", Duration.ofMinutes(1), Duration.ofMinutes(1));
        assertThatThrownBy(() -> debounced.enqueue(Shops::latest, 5L, 1))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("a unique job can't be debounced");
        assertThatThrownBy(() -> debounced.unique("k").enqueue(Shops::index, 5L, 1))
                .isInstanceOf(InvalidJobException.class);
        assertThatThrownBy(() -> client.with("debounce", "k").enqueue(Shops::index, 5L, 1))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("its 'debounce' must be");
        assertThatThrownBy(() ->
                        client.with("unique_conflict", "perhaps").unique("k").enqueue(Shops::index, 5L, 1))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("unique_conflict");
        try (RedisBatches batches = new RedisBatches(bed.redis.connections(""), client, new Random(7))) {
            assertThatThrownBy(() -> batches.create(
                            "b",
                            batch -> batch.add(JobCall.of(Shops::index, 5L, 1)
                                    .with(with -> with.debounce("k", Duration.ofMinutes(1), Duration.ofMinutes(1))))))
                    .isInstanceOf(InvalidJobException.class)
                    .hasMessageContaining("it is debounced, and a batch stores jobs without asking for locks");
        }
        assertThatThrownBy(() -> JobRegistry.of(new Misfits()))
                .isInstanceOf(JobDefinitionException.class)
                .hasMessageContaining("onConflict = REPLACE, but its lock doesn't end with its job");
        assertThatThrownBy(() -> JobRegistry.of(new OtherMisfits()))
                .isInstanceOf(JobDefinitionException.class)
                .hasMessageContaining("onConflict = LATER");
        assertThat(bed.redis.texts().keys("*")).isEmpty();
    }
}
