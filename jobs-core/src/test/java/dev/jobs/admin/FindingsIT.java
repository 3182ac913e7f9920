package dev.jobs.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobHooks;
import dev.jobs.PayloadTimes;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.redis.RedisConnections;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.testing.RedisFixture;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Warnings, and the reasons why a job waits. */
class FindingsIT {

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    static final RedisConnections connections = redis.connections("");

    @AutoClose
    private final JobsAdmin admin = admin(Clock.systemUTC());

    @AfterEach
    void policy() {
        redis.texts().configSet("maxmemory-policy", "noeviction");
        redis.texts().configSet("maxmemory", "0");
    }

    private static JobsAdmin admin(Clock clock) {
        return new JobsAdmin(connections, new DeadSetBounds(100, Duration.ofDays(1)), JobHooks.none(), clock);
    }

    private static void enqueue(String queue, String name) {
        redis.texts().sadd("queues", queue);
        redis.texts().lpush("queue:" + queue, "{\"class\":\"" + name + "\",\"queue\":\"" + queue + "\",\"jid\":\"1\"}");
    }

    private static void process(String identity, String queue, Map<String, String> fields) {
        redis.texts().sadd("processes", identity);
        redis.texts().hset(identity, "info", "{\"queues\":[\"" + queue + "\"],\"version\":\"jobs-1\"}");
        redis.texts().hset(identity, Map.of("concurrency", "5", "busy", "0"));
        fields.forEach((name, value) -> redis.texts().hset(identity, name, value));
    }

    private List<String> codes() {
        return admin.warnings().stream().map(Finding::code).toList();
    }

    @Test
    void findsNothingIfThereIsNoProblem() {
        process("p", "mail", Map.of("jobs", "Send\nOther"));
        enqueue("mail", "Send");

        assertThat(admin.warnings()).isEmpty();
    }

    @Test
    void addsWhatOthersFindTheWorstFirst() {
        Finding minor = Finding.info("minor", "", "Minor");
        Finding major = Finding.error("major", "", "Major");
        FindingSource broken = () -> {
            throw new IllegalStateException("This source is broken");
        };
        enqueue("mail", "Send");
        process("p", "other", Map.of());
        try (JobsAdmin asked = new JobsAdmin(
                connections,
                new DeadSetBounds(100, Duration.ofDays(1)),
                JobHooks.none(),
                Clock.systemUTC(),
                PayloadTimes.MILLISECONDS,
                List.of(),
                List.of(() -> List.of(minor), broken, () -> List.of(major)))) {
            assertThat(asked.warnings()).extracting(Finding::code).containsExactly("queue-unserved", "major", "minor");
        }
    }

    @Test
    void findsQueuesThatNoProcessServes() {
        enqueue("mail", "Send");
        assertThat(codes()).containsExactly("no-process");

        process("p", "other", Map.of());
        assertThat(codes()).containsExactly("queue-unserved");
        process("q", "mail", Map.of("quiet", "true"));
        assertThat(codes()).containsExactly("queue-quiet");
        admin.queues().pause("mail");
        assertThat(codes()).containsExactly("queue-paused");
    }

    @Test
    void findsJobsThatNoProcessKnows() {
        enqueue("mail", "Send");
        process("p", "mail", Map.of("jobs", "Other"));
        assertThat(admin.warnings()).singleElement().satisfies(found -> {
            assertThat(found.code()).isEqualTo("job-unknown");
            assertThat(found.subject()).isEqualTo("Send");
            assertThat(found.values()).containsExactly("mail");
        });

        redis.texts().lpop("queue:mail");
        redis.texts().lpush("queue:mail", "{\"class\":\"Wrapper\",\"wrapped\":\"Other\",\"jid\":\"1\"}");
        assertThat(codes()).isEmpty();
        enqueue("mail", "Send");
        redis.texts().rpop("queue:mail");
        process("silent", "mail", Map.of()); // it may know the job
        assertThat(codes()).isEmpty();
    }

    @Test
    void showsJobsThatTheWorkersOfAQueueKnowDifferently() {
        process("one", "mail", Map.of("shapes", "Same|1|aa\nOld|1|bb\nGrown|1|cc"));
        process("two", "mail", Map.of("shapes", "Same|1|aa\nNew|0|dd\nGrown|2|ee"));
        process("other", "elsewhere", Map.of("shapes", "Foreign|0|ff"));
        process("silent", "mail", Map.of());
        process("leaving", "mail", Map.of("shapes", "Gone|0|aa", "quiet", "true"));

        assertThat(admin.processes().workforce().skew())
                .containsExactly(
                        new JobSkew("Grown", List.of("one", "two"), List.of(), 2),
                        new JobSkew("New", List.of("two"), List.of("one"), 1),
                        new JobSkew("Old", List.of("one"), List.of("two"), 1));
    }

    @Test
    void tellsWhichJobsCanBeEnqueued() {
        process("one", "mail", Map.of("jobs", "Grown\nSend", "shapes", "Grown|1|aa\nSend|2|bb"));
        process("two", "bulk", Map.of("jobs", "Grown\nOld", "shapes", "Grown|3|cc\nOld|-1|dd"));
        process("leaving", "mail", Map.of("jobs", "Gone", "quiet", "true"));
        Workforce workforce = admin.processes().workforce();

        assertThat(workforce.jobs()).containsExactly("Grown", "Old", "Send");
        assertThat(workforce.queues("Grown")).containsExactly("bulk", "mail");
        assertThat(workforce.parameters("Grown")).hasValue(3);
        assertThat(workforce.parameters("Old")).isEmpty();
        assertThat(workforce.isComplete()).isTrue();
        process("silent", "mail", Map.of());
        assertThat(admin.processes().workforce().isComplete()).isFalse();
    }

    @Test
    void findsBrokenQueuesAndBooks() {
        redis.texts().sadd("queues", "mail");
        redis.texts().set("queue:mail", "text");
        redis.texts().hset("jobs:ledger", "claimed", "3");

        assertThat(codes()).containsExactlyInAnyOrder("queue-broken", "books");
    }

    @Test
    void findsAServerThatMayLoseJobs() {
        redis.texts().configSet("maxmemory-policy", "allkeys-lru");
        redis.texts().configSet("maxmemory", "1mb");

        assertThat(codes()).containsExactly("eviction", "memory");
    }

    @Test
    void findsClocksThatDiffer() {
        process("p", "mail", Map.of("beat", Long.toString(Instant.now().getEpochSecond() + 60)));
        assertThat(codes()).containsExactly("clock");

        try (JobsAdmin slow = admin(Clock.fixed(Instant.now().minusSeconds(100), ZoneOffset.UTC))) {
            assertThat(slow.warnings()).extracting(Finding::subject).containsExactly("redis", "p");
        }
    }

    private List<String> waiting(String set, double score) {
        String job = "{\"class\":\"Send\",\"queue\":\"mail\"}";
        redis.texts().zadd(set, score, job);
        JobSet from = set.equals("retry") ? JobSet.RETRY : set.equals("dead") ? JobSet.DEAD : JobSet.SCHEDULED;
        ListedJob listed = admin.sets()
                .jobs(from, each -> true, 0, 1, ScanBudget.standard())
                .items()
                .get(0);
        return admin.whyWaiting(listed).stream().map(Finding::code).toList();
    }

    @Test
    void saysWhyAJobOfASetWaits() {
        process("p", "mail", Map.of("jobs", "Send"));

        assertThat(waiting("retry", 4e9)).containsExactly("retry");
        assertThat(waiting("schedule", 4e9)).containsExactly("scheduled");
        assertThat(waiting("schedule", 1)).containsExactly("due");
        assertThat(waiting("schedule", Double.POSITIVE_INFINITY)).containsExactly("never");
        assertThat(waiting("schedule", Double.NEGATIVE_INFINITY)).containsExactly("due");
        assertThat(waiting("dead", 1)).containsExactly("dead");
    }

    @Test
    void saysWhyAJobOfAQueueWaits() {
        enqueue("mail", "Unknown");
        enqueue("mail", "Send");
        process("p", "mail", Map.of("jobs", "Send", "busy", "5"));
        admin.queues().pause("mail");

        List<ListedJob> jobs = admin.queues()
                .jobs("mail", Order.OLDEST_FIRST, each -> true, 0, 2, ScanBudget.standard())
                .items();

        assertThat(admin.whyWaiting(jobs.get(0)))
                .extracting(Finding::code)
                .containsExactly("paused", "unknown-job", "busy", "next");
        assertThat(admin.whyWaiting(jobs.get(1))).extracting(Finding::code).containsExactly("paused", "busy", "behind");
    }
}
