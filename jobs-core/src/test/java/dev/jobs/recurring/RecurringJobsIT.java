package dev.jobs.recurring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.EnqueueMiddleware;
import dev.jobs.InvalidJobException;
import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobContext;
import dev.jobs.JobHooks;
import dev.jobs.JobListener;
import dev.jobs.JobStoreException;
import dev.jobs.Payload;
import dev.jobs.client.ClientConfig;
import dev.jobs.client.ClientTestBed;
import dev.jobs.recurring.RecurringJobs.Run;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What programs and users do with recurring jobs. */
@Tag("sidekiq-29")
class RecurringJobsIT {

    @AutoClose
    @RegisterExtension
    static final ClientTestBed bed = new ClientTestBed();

    private static final Recurrence DAILY = Recurrence.cron("0 2 * * *").zone("Europe/Berlin");

    private RedisRecurringJobs recurring = recurring(JobHooks.none(), "default");

    @AfterEach
    void close() {
        recurring.close();
    }

    private RedisRecurringJobs recurring(JobHooks hooks, String namespace) {
        return new RedisRecurringJobs(
                bed.redis.connections(""),
                ClientTestBed.registry(Reports.class),
                hooks,
                new ClientConfig(2_000, 100),
                new Random(42),
                namespace);
    }

    private static JobHooks hooks(EnqueueMiddleware middleware, JobListener listener) {
        return JobHooks.none().with(EnqueueMiddleware.class, middleware).with(JobListener.class, listener);
    }

    static class Reports {

        @Job(value = "Report", queue = "reports", retry = 4, tags = "night")
        void build(String region, JobContext job) {}

        @Job("Plain")
        void plain() {}
    }

    private Map<String, String> hash(String name) {
        return bed.redis.texts().hgetall("cron_job:default:" + name);
    }

    @Test
    void createsOneByAMethodReference() {
        RecurringJob saved = recurring.save("north", DAILY.description("Sales"), JobCall.of(Reports::build, "north"));

        assertThat(saved.name()).isEqualTo("north");
        assertThat(saved.job()).isEqualTo("Report");
        assertThat(saved.queue()).isEqualTo("reports");
        assertThat(saved.cron()).isEqualTo("0 2 * * * Europe/Berlin");
        assertThat(saved.arguments()).isEqualTo("[\"north\"]");
        assertThat(saved.description()).isEqualTo("Sales");
        assertThat(saved.enabled()).isTrue();
        assertThat(saved.lastEnqueued()).isNull();
        assertThat(saved.declaredBy()).isNull();
        assertThat(hash("north"))
                .containsEntry("retry", "4")
                .containsEntry(
                        "message",
                        "{\"retry\":4,\"queue\":\"reports\",\"class\":\"Report\",\"args\":[\"north\"],\"tags\":[\"night\"]}");
        assertThat(recurring.next(saved, 2)).isNotEmpty().allSatisfy(time -> assertThat(time)
                .isAfter(Instant.now()));
        assertThat(recurring.save("plain", DAILY, JobCall.of(Reports::plain)).job())
                .isEqualTo("Plain");
    }

    @Test
    void createsOneOfAJobThatIsNotKnownHere() {
        recurring.save(
                "ruby", Recurrence.cron("*/5 * * * *").queue("ruby"), JobCall.named("HardWorker", "bob", 5, null));

        assertThat(hash("ruby"))
                .containsEntry("klass", "HardWorker")
                .containsEntry("args", "[\"bob\",5,null]")
                .containsEntry(
                        "message",
                        "{\"retry\":true,\"queue\":\"ruby\",\"class\":\"HardWorker\",\"args\":[\"bob\",5,null]}");
    }

    @Test
    void changesOneAndKeepsItsState() {
        recurring.save("north", DAILY, JobCall.of(Reports::build, "north"));
        recurring.pause("north");

        RecurringJob changed = recurring.save("north", Recurrence.cron("@hourly"), JobCall.of(Reports::build, "south"));

        assertThat(changed.enabled()).isFalse();
        assertThat(changed.cron()).isEqualTo("@hourly");
        assertThat(changed.arguments()).isEqualTo("[\"south\"]");
        assertThat(recurring.list()).hasSize(1);
    }

    @Test
    void oneIsCreatedOnlyIfThereIsNone() {
        assertThat(recurring.create("north", DAILY, JobCall.of(Reports::build, "north")))
                .isTrue();
        recurring.pause("north");
        Map<String, String> before = hash("north");

        assertThat(recurring.create("north", Recurrence.cron("@hourly"), JobCall.of(Reports::plain)))
                .isFalse();

        assertThat(hash("north")).isEqualTo(before).containsEntry("cron", "0 2 * * * Europe/Berlin");
        recurring.delete("north");
        assertThat(recurring.create("north", Recurrence.delay(Duration.ofHours(1)), JobCall.of(Reports::plain)))
                .isTrue();
        assertThat(bed.redis.texts().smembers("jobs:recurring:default")).hasSize(1);
        assertThat(hash("north")).containsEntry("status", "enabled").containsEntry("last_enqueue_time", "");
    }

    @Test
    void aDelayHasOneNextSlotAndNoneBeforeItsJobHasEnded() {
        RecurringJob job = recurring.save("north", Recurrence.delay(Duration.ofHours(1)), JobCall.of(Reports::plain));
        assertThat(recurring.next(job, 5)).isEmpty();

        bed.redis.texts().hset("cron_job:default:north", "jobs_due", "2026-01-01T00:00:00Z");

        RecurringJob due = recurring.find("north").orElseThrow();
        assertThat(recurring.next(due, 5))
                .as("which may have passed")
                .containsExactly(Instant.parse("2026-01-01T00:00:00Z"));
    }

    @Test
    void nothingIsStoredOfWhatCannotBe() {
        assertThatThrownBy(() -> recurring.save("x", Recurrence.cron("0 25 * * *"), JobCall.of(Reports::plain)))
                .isInstanceOf(InvalidCronException.class)
                .hasMessageContaining("its hour '25' is not 0 to 23");
        assertThatThrownBy(() -> recurring.save("x", DAILY.zone("Mars/Base"), JobCall.of(Reports::plain)))
                .isInstanceOf(InvalidCronException.class)
                .hasMessageContaining("no time zone 'Mars/Base'");
        assertThatThrownBy(() -> recurring.save("x", DAILY.queue("no queue"), JobCall.of(Reports::plain)))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("'queue'");
        assertThatThrownBy(() -> recurring.save("x", DAILY, JobCall.named("Plain", 1)))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("takes 0 but there is 1 argument");
        assertThatThrownBy(() -> recurring.save("x", DAILY, JobCall.named("Other", "y".repeat(2_000))))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("2,000 are allowed");
        assertThatThrownBy(() -> recurring.save("x", DAILY, JobCall.named(" ")))
                .isInstanceOf(InvalidJobException.class);
        assertThatThrownBy(() ->
                        recurring.save("x", DAILY, JobCall.of(Reports::plain).retry(0)))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("can't have options");

        assertThat(bed.redis.snapshot()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a\nb"})
    void aNameIsAName(String name) {
        assertThatThrownBy(() -> recurring.save(name, DAILY, JobCall.of(Reports::plain)))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageStartingWith("'name' must be 1 to 200 characters");
    }

    @Test
    void showsThoseOfItsNamespaceByName() {
        recurring.save("b", DAILY, JobCall.of(Reports::plain));
        recurring.save("a", DAILY, JobCall.of(Reports::plain));
        try (RedisRecurringJobs others = recurring(JobHooks.none(), "others")) {
            others.save("c", DAILY, JobCall.of(Reports::plain));

            assertThat(others.list()).extracting(RecurringJob::name).containsExactly("c");
            assertThat(others.find("a")).isEmpty();
        }

        assertThat(recurring.list()).extracting(RecurringJob::name).containsExactly("a", "b");
        assertThat(recurring.find("a")).isPresent();
        assertThat(recurring.find("nobody")).isEmpty();
    }

    @Test
    void aScheduleThatOnlyRubyUnderstandsIsShown() {
        bed.redis.texts().hset("cron_job:default:nat", Map.of("name", "nat", "cron", "every day", "klass", "A"));
        bed.redis.texts().sadd("cron_jobs:default", "cron_job:default:nat");

        RecurringJob job = recurring.list().get(0);

        assertThat(job.schedule()).isNull();
        assertThat(recurring.next(job, 5)).isEmpty();
        assertThat(recurring.pause("nat")).isTrue();
        assertThat(recurring.resume("nat")).isTrue();
    }

    @Test
    void pausesAndResumes() {
        recurring.save("north", DAILY, JobCall.of(Reports::plain));

        assertThat(recurring.pause("north")).isTrue();
        assertThat(hash("north")).containsEntry("status", "disabled");
        assertThat(recurring.resume("north")).isTrue();
        assertThat(hash("north")).containsEntry("status", "enabled");
        assertThat(recurring.pause("nobody")).isFalse();
        assertThat(recurring.resume("nobody")).isFalse();
    }

    @Test
    void firesOneNowWithMiddlewareAndListeners() {
        List<String> heard = new ArrayList<>();
        recurring.close();
        recurring = recurring(
                hooks((payload, next) -> next.proceed(payload.with("mine", 1)), new JobListener() {
                    @Override
                    public void enqueued(String name, String queue, int count, boolean scheduled) {
                        heard.add(name + " " + queue + " " + count + " " + scheduled);
                    }
                }),
                "default");
        recurring.save("north", DAILY, JobCall.of(Reports::build, "north"));
        recurring.pause("north");

        String jid = recurring.runNow("north");

        Payload pushed = Payload.parse(bed.queue("reports").get(0).getBytes(java.nio.charset.StandardCharsets.UTF_8));
        assertThat(pushed.jid()).isEqualTo(jid);
        assertThat(pushed.names())
                .containsExactly("retry", "queue", "class", "args", "tags", "jid", "created_at", "mine", "enqueued_at");
        assertThat(heard).containsExactly("Report reports 1 false");
        assertThat(recurring.history("north")).extracting(Run::jid).containsExactly(jid);
        RecurringJob fired = recurring.find("north").orElseThrow();
        assertThat(fired.lastEnqueued())
                .isEqualTo(recurring.history("north").get(0).enqueued());
        assertThat(fired.lastEnqueued()).isNotNull();
        assertThat(recurring.runNow("north")).isNotEqualTo(jid);
        assertThat(recurring.history("north")).hasSize(2);
    }

    @Test
    void aMiddlewareMayKeepItOut() {
        recurring.close();
        recurring = recurring(hooks((payload, next) -> null, new JobListener() {}), "default");
        recurring.save("north", DAILY, JobCall.of(Reports::plain));

        assertThat(recurring.runNow("north")).isNull();
        assertThat(bed.queue("default")).isEmpty();
    }

    @Test
    void aJobThatCannotBeFiredSaysWhy() {
        assertThatThrownBy(() -> recurring.runNow("nobody"))
                .isInstanceOf(InvalidJobException.class)
                .hasMessage("There is no recurring job nobody");
        recurring.save("north", DAILY, JobCall.of(Reports::plain));
        bed.redis.texts().hset("cron_job:default:north", "message", "[");
        assertThatThrownBy(() -> recurring.runNow("north"))
                .isInstanceOf(InvalidJobException.class)
                .hasMessage("Recurring job north can't be fired: its stored fields don't make a job");
        recurring.save("north", DAILY, JobCall.of(Reports::plain));
        bed.redis.texts().set("queue:default", "text");
        assertThatThrownBy(() -> recurring.runNow("north"))
                .isInstanceOf(JobStoreException.class)
                .hasMessageContaining("The key of queue default");
    }

    @Test
    void aFullRedisRefusesAJobAndKeepsTheRecurringOne() {
        recurring.save("north", DAILY, JobCall.of(Reports::plain));
        bed.redis.texts().configSet("maxmemory", "1");
        try {
            assertThatThrownBy(() -> recurring.runNow("north"))
                    .isInstanceOf(JobStoreException.class)
                    .hasMessageContaining("Could not fire recurring job north: Redis is full");
        } finally {
            bed.redis.texts().configSet("maxmemory", "0");
        }
        assertThat(recurring.find("north")).isPresent();
        assertThat(recurring.history("north")).isEmpty();
    }

    @Test
    void readsAHistoryOfAnyForm() {
        bed.redis
                .texts()
                .rpush(
                        "cron_job:default:north:jid_history",
                        "{\"jid\":\"j1\",\"enqueued\":\"2026-11-21 05:21:11 UTC\"}",
                        "{\"jid\":null,\"enqueued\":\"2026-11-21T05:21:11.000Z\"}",
                        "text");

        assertThat(recurring.history("north"))
                .containsExactly(
                        new Run("j1", Instant.parse("2026-11-21T05:21:11Z")),
                        new Run(null, Instant.parse("2026-11-21T05:21:11Z")),
                        new Run(null, null));
    }

    @Test
    void deletes() {
        recurring.save("north", DAILY, JobCall.of(Reports::plain));
        recurring.runNow("north");

        assertThat(recurring.delete("north")).isTrue();
        assertThat(recurring.delete("north")).isFalse();
        assertThat(bed.redis.texts().keys("cron*")).isEmpty();
    }

    @Test
    void aCopyBringsBackWhatWasChangedOrDeleted() {
        recurring.save("north", DAILY.description("Sales"), JobCall.of(Reports::build, "north"));
        String copy = String.valueOf(recurring.keep("north"));
        recurring.save("north", Recurrence.cron("@hourly"), JobCall.of(Reports::build, "south"));
        recurring.pause("north");

        assertThat(recurring.restore("north", copy)).isTrue();

        assertThat(hash("north"))
                .containsEntry("cron", "0 2 * * * Europe/Berlin")
                .containsEntry("args", "[\"north\"]")
                .containsEntry("description", "Sales")
                .containsEntry("status", "disabled");
        recurring.delete("north");
        assertThat(recurring.restore("north", copy)).isTrue();
        assertThat(hash("north")).containsEntry("args", "[\"north\"]").containsEntry("status", "enabled");
        assertThat(bed.redis.texts().zcard("cron_job:default:north:enqueued"))
                .as("nothing is fired at once")
                .isOne();
        assertThat(bed.redis.texts().ttl("jobs:undo:recurring:default:" + copy)).isBetween(86_000L, 86_400L);
    }

    @Test
    void aCopyOfAJobThatMakesUpForMissedSlotsBringsNoneOfThemBack() {
        Recurrence all = Recurrence.every(Duration.ofHours(1)).missed(Missed.ALL);
        recurring.save("north", all, JobCall.of(Reports::plain));
        String copy = String.valueOf(recurring.keep("north"));

        for (Runnable change : List.<Runnable>of(
                () -> recurring.delete("north"),
                () -> recurring.save("north", DAILY, JobCall.of(Reports::plain)),
                () -> recurring.save("north", DAILY.missed(Missed.ONCE), JobCall.of(Reports::plain)))) {
            bed.redis.texts().hset("cron_job:default:north", "jobs_passed", "2020-01-01T00:00:00Z");
            change.run();
            assertThat(recurring.restore("north", copy)).isTrue();

            assertThat(recurring.find("north").orElseThrow().missed()).isEqualTo(Missed.ALL);
            assertThat(Instant.parse(hash("north").get("jobs_passed")))
                    .isAfter(Instant.now().minus(Duration.ofHours(2)));
            assertThat(bed.redis.texts().smembers("jobs:recurring:default")).hasSize(1);
            assertThat(bed.redis.texts().smembers("cron_jobs:default")).isEmpty();
        }
    }

    /** They are not of what was undone. */
    @ParameterizedTest
    @ValueSource(strings = {"jobs_passed", "jobs_due"})
    void slotsOfAScheduleThatWasNotChangedStayAsTheyAre(String field) {
        Recurrence recurrence = field.equals("jobs_due")
                ? Recurrence.delay(Duration.ofHours(1))
                : Recurrence.every(Duration.ofHours(1)).missed(Missed.ALL);
        recurring.save("north", recurrence, JobCall.of(Reports::build, "north"));
        String copy = String.valueOf(recurring.keep("north"));
        recurring.save("north", recurrence, JobCall.of(Reports::build, "south"));
        bed.redis.texts().hset("cron_job:default:north", field, "2020-01-01T00:00:00Z");

        assertThat(recurring.restore("north", copy)).isTrue();

        assertThat(hash("north")).containsEntry("args", "[\"north\"]").containsEntry(field, "2020-01-01T00:00:00Z");
    }

    @Test
    void theDelayOfACopyBeginsWhenItIsRestored() {
        recurring.save("north", Recurrence.delay(Duration.ofHours(1)), JobCall.of(Reports::plain));
        bed.redis.texts().hset("cron_job:default:north", "jobs_due", "2020-01-01T00:00:00Z");
        String copy = String.valueOf(recurring.keep("north"));
        recurring.delete("north");

        assertThat(recurring.restore("north", copy)).isTrue();

        assertThat(hash("north")).containsEntry("cron", "@delay 1h").doesNotContainKey("jobs_due");
        recurring.pause("north");
        recurring.resume("north");
        assertThat(bed.redis.texts().exists("cron_job:default:north:enqueued"))
                .as("no slot is taken that never was")
                .isZero();
    }

    @Test
    void rulesBesideADelayAreRefused() {
        Recurrence delay = Recurrence.delay(Duration.ofHours(1));
        for (Recurrence wrong : List.of(delay.missed(Missed.ONCE), delay.overlap(Overlap.CANCEL))) {
            assertThatThrownBy(() -> recurring.save("north", wrong, JobCall.of(Reports::plain)))
                    .isInstanceOf(InvalidJobException.class)
                    .hasMessageContaining("Beside a delay, 'missed' and 'overlap' have no effect");
        }
        assertThat(recurring.list()).isEmpty();
    }

    @Test
    void whatIsNoCopyBringsNothingBack() {
        recurring.save("north", DAILY, JobCall.of(Reports::build, "north"));
        String copy = String.valueOf(recurring.keep("north"));

        assertThat(recurring.keep("nobody")).isNull();
        assertThat(recurring.restore("south", copy)).as("of another one").isFalse();
        assertThat(recurring.restore("north", "0")).isFalse();
        bed.redis.texts().hset("jobs:undo:recurring:default:1", "a", "b");
        assertThat(recurring.restore("north", "1")).as("of the wrong type").isFalse();
        assertThat(recurring.list()).hasSize(1);
    }
}
