package dev.jobs.shards;

import static dev.jobs.shards.TransferBed.QUEUE;
import static dev.jobs.shards.TransferBed.TARGET;
import static dev.jobs.shards.TransferBed.job;
import static dev.jobs.shards.TransferBed.names;
import static dev.jobs.shards.TransferBed.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobCall;
import dev.jobs.JobHooks;
import dev.jobs.JobStoreException;
import dev.jobs.JobsException;
import dev.jobs.Payload;
import dev.jobs.admin.Finding;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.client.ClientConfig;
import dev.jobs.client.ClientTestBed;
import dev.jobs.ordered.OrderRule;
import dev.jobs.ordered.OrderRules;
import dev.jobs.recurring.Overlap;
import dev.jobs.recurring.Recurrence;
import dev.jobs.recurring.RedisRecurringJobs;
import dev.jobs.shards.QueueTransfer.Shard;
import dev.jobs.shards.TransferReport.Left;
import dev.jobs.shards.TransferReport.Place;
import dev.jobs.testing.RedisFixture;
import dev.jobs.testing.RedisProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A queue goes to another shard, with what is scheduled and failed of it. */
class QueueTransferIT {

    private static final Duration LONG = Duration.ofMinutes(1);

    @AutoClose
    static final TransferBed bed = new TransferBed();

    private QueueTransfer transfer = bed.transfer();

    @BeforeEach
    void empty() {
        bed.redis.flush();
    }

    @AfterEach
    void close() {
        transfer.close();
    }

    @Test
    void jobsKeepTheirOrderAndComeBeforeThoseThatAreThere() {
        bed.push("", names("old", 250));
        bed.push(TARGET, "new0", "new1");

        TransferReport report = transfer.run(LONG);

        List<String> expected = new ArrayList<>(List.of(names("old", 250)));
        expected.addAll(List.of("new0", "new1"));
        assertThat(bed.queue(TARGET)).isEqualTo(expected);
        assertThat(bed.all("")).isEmpty();
        assertThat(report.moved()).isEqualTo(Map.of(Place.QUEUE, 250L));
        assertThat(report.isEmpty()).isTrue();
        assertThat(report.summary())
                .isEqualTo("Queue 'mail' to 'b': moved 250 jobs (250 in the queue); nothing is left");
        assertThat(bed.redis.texts().smembers(TARGET + "queues")).containsExactly(QUEUE);
    }

    @Test
    void takesScheduledAndFailedJobsOfTheQueueAlone() {
        Payload other = job("other").with("queue", "reports");
        bed.redis.texts().zadd("schedule", 1_900_000_000.25, text(job("s")));
        bed.redis.texts().zadd("schedule", 1_800_000_000, text(other));
        bed.redis.texts().zadd("schedule", 1, "no job");
        bed.redis.texts().zadd("retry", 1_900_000_001, text(job("r")));
        bed.redis.texts().zadd("dead", 1_900_000_002, text(job("d")));

        TransferReport report = transfer.run(LONG);

        assertThat(bed.redis.texts().zscore(TARGET + "schedule", text(job("s"))))
                .isEqualTo(1_900_000_000.25);
        assertThat(bed.redis.texts().zscore(TARGET + "retry", text(job("r")))).isEqualTo(1_900_000_001);
        assertThat(bed.redis.texts().zcard("schedule")).isEqualTo(2);
        assertThat(bed.redis.texts().zcard("retry")).isZero();
        assertThat(bed.redis.texts().zcard("dead")).isEqualTo(1);
        assertThat(report.moved()).isEqualTo(Map.of(Place.SCHEDULED, 1L, Place.RETRY, 1L));
        assertThat(report.isEmpty()).isTrue();
    }

    @Test
    void takesDeadJobsOnRequest() {
        bed.redis.texts().zadd("dead", 1_600_000_002, text(job("d")));
        bed.redis.texts().zadd("dead", 1_600_000_003, text(job("b").with("jb", 1)));
        transfer.close();
        transfer = bed.transfer(TransferOptions.standard().evenUnserved().withDead());

        TransferReport report = transfer.run(LONG);

        assertThat(bed.redis.texts().zscore(TARGET + "dead", text(job("d")))).isEqualTo(1_600_000_002);
        assertThat(report.moved()).isEqualTo(Map.of(Place.DEAD, 1L));
        assertThat(report.left()).isEqualTo(Map.of(Left.BATCH, 1L));
    }

    @Test
    void leavesJobsOfWhichSomethingStays() {
        Payload unique =
                job("u").with("unique_lock", "K").with("unique_for", 60).with("unique_until", "success");
        bed.push(
                job("plain1"),
                job("batch").with("jb", 1),
                job("awaited").with("keep_result", 60).with("reply_to", "client"),
                unique.with("jid", "replace").with("unique_conflict", "replace"),
                job("bounced").with("debounce", "D").with("debounce_pause", 60).with("debounce_at_most", 60),
                job("begun"),
                job("recovered"),
                job("plain2"));
        bed.redis.texts().hset("it-begun", "c", "7");
        bed.redis.texts().hset("jobs:recovered", sha1(text(job("recovered"))), "1");
        bed.redis.texts().zadd("jobs:beats", 1, "one");
        bed.redis.texts().hset("jobs:in:one", Map.of("#0", "0", "0:1:1:mail", "x", "0:1:2:other", "y"));
        bed.redis.texts().hset("jobs:limits", "d:api", "1");
        bed.redis
                .texts()
                .zadd("jobs:parked:api", 0, parked("5", 1, job("parked").with("jb", 1)));

        TransferReport report = transfer.run(LONG);

        assertThat(bed.queue(TARGET)).containsExactly("plain1", "plain2");
        assertThat(bed.queue("")).containsExactly("batch", "awaited", "replace", "bounced", "begun", "recovered");
        assertThat(report.left())
                .isEqualTo(Map.of(
                        Left.BATCH, 1L,
                        Left.AWAITED, 1L,
                        Left.REPLACEABLE, 2L,
                        Left.BEGUN, 1L,
                        Left.RECOVERED, 1L,
                        Left.PARKED, 1L,
                        Left.HELD, 1L));
        assertThat(report.isEmpty()).isFalse();
        assertThat(report.summary()).contains("left, to end here: 1 of batches, ");
        assertThatThrownBy(() -> transfer.finish())
                .isInstanceOf(JobsException.class)
                .hasMessageContaining("1 of batches");
    }

    private static String sha1(String text) {
        try {
            return java.util.HexFormat.of()
                    .formatHex(java.security.MessageDigest.getInstance("SHA-1")
                            .digest(text.getBytes(java.nio.charset.StandardCharsets.UTF_8)));
        } catch (java.security.NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String parked(String key, int time, Payload job) {
        return key + "\n" + String.format("%016d", time) + "\n" + job.queue() + "\n1\n" + text(job);
    }

    /** They would fail into a queue that nobody serves. */
    @Test
    void leavesJobsWhoseRetriesNobodyServesInTheTarget() {
        Payload dead = job("dead").with("retry_queue", "later");
        bed.push(
                job("plain"),
                job("own").with("retry_queue", QUEUE),
                job("served").with("retry_queue", "reports"),
                job("invalid").with("retry_queue", ""),
                job("once").with("retry_queue", "later").with("retry", false),
                job("unserved").with("retry_queue", "later"));
        bed.redis.texts().zadd("dead", 4e9, text(dead));
        bed.redis.texts().sadd(TARGET + "processes", "p");
        bed.redis.texts().hset(TARGET + "p", "info", "{\"queues\":[\"mail\",\"reports\"],\"version\":\"jobs-1\"}");
        transfer.close();
        transfer = bed.transfer(TransferOptions.standard().withDead());

        TransferReport report = transfer.run(LONG);

        assertThat(bed.queue(TARGET)).containsExactly("plain", "own", "served", "invalid", "once");
        assertThat(bed.queue("")).containsExactly("unserved");
        assertThat(report.left()).isEqualTo(Map.of(Left.RETRY_QUEUE, 2L));
        assertThat(report.summary()).contains("2 whose retries go to a queue that nobody serves there");

        transfer.close();
        transfer = bed.transfer(TransferOptions.standard().withDead().evenUnserved());
        assertThat(transfer.run(LONG).isEmpty()).isTrue();
    }

    /** At a slow rate they would keep the queue in the source for days. */
    @Test
    void parkedJobsGoBeforeThoseInTheQueue() {
        bed.redis.texts().hset("jobs:limits", "d:api", "1");
        bed.redis.texts().hset("jobs:limits", "d:print", "1");
        for (int i = 0; i < 250; i++) {
            bed.redis.texts().zadd("jobs:parked:api", 0, parked("", i, job("p" + i)));
        }
        bed.redis
                .texts()
                .zadd("jobs:parked:api", 0, parked("", 300, job("of a batch").with("jb", 1)));
        bed.redis
                .texts()
                .zadd("jobs:parked:api", 0, parked("", 301, job("elsewhere").with("queue", "reports")));
        bed.redis.texts().zadd("jobs:parked:print", 0, parked("7", 1, job("print")));
        bed.redis.texts().hset("jobs:recovered", sha1(text(job("p7"))), "1");
        bed.push("", "q1", "q2");
        bed.push(TARGET, "new");

        TransferReport report = transfer.run(LONG);

        List<String> expected = new ArrayList<>(List.of("print"));
        expected.addAll(List.of(names("p", 250)));
        expected.remove("p7");
        expected.addAll(List.of("q1", "q2", "new"));
        assertThat(bed.queue(TARGET)).isEqualTo(expected);
        assertThat(report.moved()).isEqualTo(Map.of(Place.QUEUE, 252L));
        assertThat(report.left()).isEqualTo(Map.of(Left.PARKED, 2L));
        assertThat(bed.redis.texts().zrange("jobs:parked:api", 0, -1))
                .as("one that outlived a worker, one of a batch, one of another queue")
                .hasSize(3);
        assertThat(bed.redis.texts().exists("jobs:parked:print")).isZero();
    }

    @Test
    void parkedJobsThatAreAbandonedOnTheirWayGoBackToTheQueue() {
        bed.redis.texts().hset("jobs:limits", "d:api", "1");
        bed.redis.texts().zadd("jobs:parked:api", 0, parked("", 1, job("p")));
        bed.redis.texts().set(TARGET + "queue:mail", "no list");
        transfer.close();
        transfer = bed.transfer(() -> {}, () -> bed.redis.texts().set(TARGET + "queue:mail", "no list"));
        bed.redis.texts().del(TARGET + "queue:mail");
        assertThatThrownBy(() -> transfer.run(LONG)).isInstanceOf(JobStoreException.class);

        transfer.abandon();

        assertThat(bed.queue("")).containsExactly("p");
        assertThat(bed.redis.texts().exists("jobs:parked:api")).isZero();
    }

    @Test
    void aLockGoesWithItsJob() {
        Payload unique =
                job("u").with("unique_lock", "K").with("unique_for", 60).with("unique_until", "success");
        bed.push(unique, unique.with("jid", "v").with("unique_lock", "L"));
        bed.redis.texts().set("unique:K", "u");
        bed.redis.texts().set("unique:L", "v");
        bed.redis.texts().set(TARGET + "unique:L", "w");

        transfer.run(LONG);

        assertThat(bed.redis.texts().exists("unique:K", "unique:L")).isZero();
        assertThat(bed.redis.texts().get(TARGET + "unique:K")).isEqualTo("u");
        assertThat(bed.redis.texts().ttl(TARGET + "unique:K")).isBetween(1L, 60L);
        assertThat(bed.redis.texts().get(TARGET + "unique:L")).isEqualTo("w");
        assertThat(bed.redis.texts().exists(TARGET + "jobs:unique")).isOne();
    }

    @Test
    void aLockThatEndsWhenTheJobStartsGoesAsWellUnlessItStarted() {
        Payload unique =
                job("u").with("unique_lock", "K").with("unique_for", 60).with("unique_until", "start");
        bed.push(unique);
        bed.redis.texts().set("unique:K", "u");
        bed.redis
                .texts()
                .zadd(
                        "retry",
                        4e9,
                        text(unique.with("jid", "v").with("unique_lock", "L").with("retry_count", 0)));

        transfer.run(LONG);

        assertThat(bed.redis.texts().exists("unique:K")).isZero();
        assertThat(bed.redis.texts().get(TARGET + "unique:K")).isEqualTo("u");
        assertThat(bed.redis.texts().exists(TARGET + "unique:L")).isZero();
    }

    /** The source goes on firing it, and would enqueue a second job beside the one that has gone. */
    @Test
    void jobsThatMustNotOverlapStayWithTheirRecurringJob() {
        Recurrence daily = Recurrence.cron("@daily").queue(QUEUE);
        try (RedisRecurringJobs recurring = new RedisRecurringJobs(
                bed.redis.connections(""),
                ClientTestBed.registry(),
                JobHooks.none(),
                ClientConfig.defaults(),
                new Random(7),
                "default")) {
            recurring.save("skips", daily.overlap(Overlap.SKIP), JobCall.named("A"));
            recurring.save("delayed", Recurrence.delay(LONG).queue(QUEUE), JobCall.named("A"));
            recurring.save("overlaps", daily, JobCall.named("A"));
            recurring.save("declared", daily.overlap(Overlap.CANCEL), JobCall.named("A"));
            String skips = recurring.runNow("skips");
            String delayed = recurring.runNow("delayed");
            String overlaps = recurring.runNow("overlaps");
            String declared = recurring.runNow("declared");
            recurring.delete("declared"); // it recurs in the target now

            TransferReport report = transfer.run(LONG);

            assertThat(bed.queue("")).containsExactly(skips, delayed);
            assertThat(bed.queue(TARGET)).containsExactly(overlaps, declared);
            assertThat(report.left()).isEqualTo(Map.of(Left.RECURRING, 2L));
            assertThat(recurring.runNow("skips")).isNull();
            recurring.delete("skips");
            assertThat(transfer.run(LONG).left()).isEqualTo(Map.of(Left.RECURRING, 1L));
        }
    }

    /** One that stayed in the source would hide that of the job's end in the target. */
    @Test
    void whatIsKnownOfAFailureGoesWithItsJob() {
        Payload failed = job("r").with("keep_result", 60).with("error_class", "java.io.IOException");
        bed.redis.texts().zadd("retry", 4e9, text(failed));
        bed.redis.texts().zadd("dead", 1.6e9, text(failed.with("jid", "d")));
        bed.redis.texts().zadd("dead", 1.6e9, text(job("killed").with("keep_result", 60)));
        bed.push(failed.with("jid", "q"), job("none").with("error_class", "java.io.IOException"));
        bed.redis.texts().set("jobs:result:r", "{\"state\":\"retried\",\"message\":\"no\"}");
        bed.redis.texts().set("jobs:result:d", "{\"state\":\"dead\",\"message\":\"no\"}");
        bed.redis.texts().set("jobs:result:q", "{\"state\":\"revived\"}");
        transfer.close();
        transfer = bed.transfer(TransferOptions.standard().evenUnserved().withDead());

        assertThat(transfer.run(LONG).movedJobs()).isEqualTo(5);

        assertThat(bed.redis.texts().keys("jobs:result:*")).isEmpty();
        assertThat(bed.redis.texts().keys(TARGET + "jobs:result:*"))
                .containsExactlyInAnyOrder(
                        TARGET + "jobs:result:r", TARGET + "jobs:result:d", TARGET + "jobs:result:killed");
        assertThat(bed.redis.texts().get(TARGET + "jobs:result:r"))
                .isEqualTo("{\"state\":\"retried\",\"error\":\"java.io.IOException\"}");
        assertThat(bed.redis.texts().get(TARGET + "jobs:result:d"))
                .isEqualTo("{\"state\":\"dead\",\"error\":\"java.io.IOException\"}");
        assertThat(bed.redis.texts().get(TARGET + "jobs:result:killed")).isEqualTo("{\"state\":\"dead\"}");
        assertThat(bed.redis.texts().ttl(TARGET + "jobs:result:d")).isBetween(1L, 60L);
    }

    @Test
    void aDeadJobOfAClientThatWaitedTellsItNothingAnew() {
        bed.redis
                .texts()
                .zadd("dead", 1.6e9, text(job("d").with("keep_result", 60).with("reply_to", "client")));
        transfer.close();
        transfer = bed.transfer(TransferOptions.standard().evenUnserved().withDead());

        transfer.run(LONG);

        assertThat(bed.redis.texts().get(TARGET + "jobs:result:d")).isEqualTo("{\"state\":\"dead\"}");
        assertThat(bed.redis.texts().exists(TARGET + "jobs:replies:client")).isZero();
    }

    @Test
    void entriesThatAreNoJobsGoAsTheyAre() {
        bed.redis.texts().lpush("queue:mail", "no job\nat all \0");

        transfer.run(LONG);

        assertThat(bed.redis.texts().lrange(TARGET + "queue:mail", 0, -1)).containsExactly("no job\nat all \0");
    }

    @Test
    void largeJobsGoInSmallSlices() {
        String ballast = "x".repeat(300_000);
        bed.push(job("1").with("args", List.of(ballast)), job("2").with("args", List.of(ballast)), job("3"));

        assertThat(transfer.run(LONG).movedJobs()).isEqualTo(3);

        assertThat(bed.queue(TARGET)).containsExactly("1", "2", "3");
        assertThat(bed.redis.texts().hvals(TARGET + "jobs:incoming").get(0))
                .startsWith("2:")
                .endsWith(" 3");
    }

    @Test
    void anOrderedQueueKeepsItsTurns() {
        OrderRules fair = new OrderRules(Map.of(QUEUE, OrderRule.fair()));
        transfer.close();
        transfer = bed.transfer(fair, fair);
        for (String jid : List.of("a1", "b1", "a2", "b2", "a3")) {
            double turn = (jid.charAt(1) - '0') * 1_000 + (jid.charAt(0) - 'a') * 0.25;
            bed.redis.texts().zadd("jobs:order:mail", turn, text(job(jid).with("order_key", jid.substring(0, 1))));
        }

        assertThat(transfer.run(LONG).isEmpty()).isTrue();

        assertThat(bed.set(TARGET + "jobs:order:mail")).containsExactly("a1", "b1", "a2", "b2", "a3");
        assertThat(bed.redis.texts().zcard("jobs:order:mail")).isZero();
    }

    @Test
    void anOrderedQueueKeepsItsPriorities() {
        OrderRules byPriority = new OrderRules(Map.of(QUEUE, OrderRule.priority(Duration.ofMinutes(1))));
        transfer.close();
        transfer = bed.transfer(byPriority, byPriority);
        bed.redis.texts().zadd("jobs:order:mail", 1_700_000_000_000_001.0, text(job("late")));
        bed.redis.texts().zadd("jobs:order:mail", 1_600_000_000_000_001.0, text(job("urgent")));

        transfer.run(LONG);

        assertThat(bed.redis.texts().zscore(TARGET + "jobs:order:mail", text(job("late"))))
                .isEqualTo(1_700_000_000_000_001.0);
        assertThat(bed.set(TARGET + "jobs:order:mail")).containsExactly("urgent", "late");
    }

    @Test
    void refusesWhatDoesNotFitBeforeAnythingMoves() {
        bed.push("", "1");
        assertRefused(bed.transfer(TransferOptions.standard()), "No live worker takes jobs of queue 'mail' in 'b'");
        assertRefused(
                bed.transfer(OrderRules.NONE, new OrderRules(Map.of(QUEUE, OrderRule.fair()))), "another order in 'b'");
        assertRefused(
                new QueueTransfer(
                        bed.source(),
                        new Shard("c", bed.redis.connections(""), "default"),
                        QUEUE,
                        TransferOptions.standard().evenUnserved()),
                "same Redis with the same key prefix");
        bed.redis.texts().set(TARGET + "queue:mail", "text");
        assertRefused(bed.transfer(), "holds another type");
        bed.redis.texts().del(TARGET + "queue:mail");
        bed.redis.texts().hset(TARGET + "jobs:outgoing:mail", "id", "x");
        assertRefused(bed.transfer(), "is being transferred from 'b'");
        assertThatThrownBy(() -> new QueueTransfer(bed.source(), bed.target(), "a\nb", TransferOptions.standard()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static void assertRefused(QueueTransfer refused, String why) {
        try (refused) {
            assertThatThrownBy(() -> refused.run(LONG))
                    .isInstanceOf(JobsException.class)
                    .hasMessageContaining(why);
        }
        assertThat(bed.queue("")).containsExactly("1");
        assertThat(bed.redis.texts().exists("jobs:outgoing", "jobs:outgoing:mail"))
                .isZero();
    }

    @Test
    void goesOnWhereItStoppedAndEndsWithoutKeysInTheSource() {
        bed.push("", names("j", 250));
        transfer.run(Duration.ZERO);
        assertThat(bed.redis.texts().smembers("jobs:outgoing")).containsExactly(QUEUE);

        try (QueueTransfer second = bed.transfer()) {
            assertThat(second.status().movedJobs()).isBetween(1L, 249L);
            assertThat(second.run(LONG).movedJobs()).isEqualTo(250);
            TransferReport last = second.finish();
            assertThat(last.open()).isFalse();
            assertThat(last.movedJobs()).isEqualTo(250);
            assertThat(second.finish().open()).isFalse();
        }
        assertThat(bed.redis.texts().keys("jobs:*")).isEmpty();
        assertThat(bed.queue(TARGET)).containsExactly(names("j", 250));
    }

    @Test
    void jobsThatBecomeDueMeanwhileHideNoOthers() {
        for (int rank = 0; rank < 161; rank++) {
            Payload job = rank == 50
                    ? job("begun")
                    : rank >= 100 && rank < 110
                            ? job("j" + rank)
                            : job("o" + rank).with("queue", "reports");
            bed.redis.texts().zadd("schedule", 4e9 + rank, text(job));
        }
        bed.redis.texts().hset("it-begun", "c", "7");
        AtomicInteger slices = new AtomicInteger();
        transfer.close();
        transfer = bed.transfer(
                () -> {
                    if (slices.getAndIncrement() == 0) {
                        bed.redis.texts().zremrangebyrank("schedule", 0, 49);
                    }
                },
                () -> {});

        TransferReport report = transfer.run(LONG);

        assertThat(report.moved()).isEqualTo(Map.of(Place.SCHEDULED, 10L));
        assertThat(report.left()).isEqualTo(Map.of(Left.BEGUN, 1L));
    }

    @Test
    void finishLooksAgainWhereAnEarlierRunHasBeen() {
        for (double score : List.of(3e9, 5e9)) { // at either end of the set
            bed.redis.flush();
            for (int rank = 0; rank < 100; rank++) {
                bed.redis
                        .texts()
                        .zadd("schedule", 4e9 + rank, text(job("o" + rank).with("queue", "reports")));
            }
            transfer.run(Duration.ZERO);
            bed.redis.texts().zadd("schedule", score, text(job("late")));

            assertThat(transfer.finish().movedJobs()).isOne();

            assertThat(bed.set(TARGET + "schedule")).containsExactly("late");
        }
    }

    /** A worker has put it there, after a failure, while the last look was elsewhere. */
    @Test
    void finishStrandsNoJobThatComesJustBeforeTheEnd() {
        AtomicInteger came = new AtomicInteger();
        AtomicBoolean open = new AtomicBoolean();
        try (RedisProxy proxy = new RedisProxy(bed.redis.port());
                QueueTransfer last = new QueueTransfer(
                        new Shard("a", bed.connections(proxy.port(), "", LONG), "default"),
                        bed.target(),
                        QUEUE,
                        TransferOptions.standard().evenUnserved())) {
            bed.push("", "waits");
            last.run(LONG);
            proxy.beforeEachAnswer(() -> {
                boolean isOpen = bed.redis.texts().exists("jobs:outgoing:mail") == 1;
                if (open.getAndSet(isOpen) && !isOpen && came.getAndIncrement() < 2) {
                    bed.redis.texts().zadd("retry", 1_900_000_000 + came.get(), text(job("late" + came.get())));
                }
            });

            TransferReport report = last.finish();

            assertThat(came.get()).isGreaterThanOrEqualTo(3);
            assertThat(report.moved()).isEqualTo(Map.of(Place.QUEUE, 1L, Place.RETRY, 2L));
            assertThat(report.open()).isFalse();
        }
        assertThat(bed.set(TARGET + "retry")).containsExactly("late1", "late2");
        assertThat(bed.all("")).isEmpty();
        assertThat(bed.redis.texts().keys("jobs:*")).isEmpty();
    }

    @Test
    void oneThatBeginsAtTheSameTimeWithAnotherTargetMovesNothing() {
        bed.push("", "1");
        transfer.close();
        transfer = bed.transfer(
                () -> {},
                () -> bed.redis.texts().hset("jobs:outgoing:mail", Map.of("id", "other", "number", "0", "to", "c")));

        assertThatThrownBy(() -> transfer.run(LONG))
                .isInstanceOf(JobsException.class)
                .hasMessageContaining("doesn't know it")
                .hasMessageEndingWith("Nothing was moved now");
        assertThat(bed.queue("")).containsExactly("1");
    }

    @Test
    void findsJobsBehindThoseThatStayAndWhenOthersCameMeanwhile() {
        List<Payload> jobs = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            jobs.add(job("j" + i));
            jobs.add(job("twin"));
        }
        for (int i = 0; i < 250; i++) {
            jobs.add(job("b" + i).with("jb", 1));
        }
        bed.push(jobs.toArray(Payload[]::new));
        AtomicInteger slices = new AtomicInteger();
        transfer.close();
        transfer = bed.transfer(() -> bed.push("", names("new" + slices.getAndIncrement() + "-", 30)), () -> {});

        TransferReport report = transfer.run(Duration.ZERO);
        while (slices.get() == 0) {
            report = transfer.run(Duration.ZERO);
        }
        assertThat(report.movedJobs()).isEqualTo(50);
        assertThat(bed.queue(TARGET).subList(0, 2)).containsExactly("j15", "twin");
        assertThat(bed.queue("")).hasSize(30 + 250 + 30).doesNotContain("j15").contains("j14");
    }

    /** As calls of the actuator endpoint do, of one process or of several. */
    @Test
    void shortRunsComeToAllPlacesAndKnowWhatIsLeft() {
        bed.redis.texts().hset("jobs:limits", "d:api", "1");
        bed.redis.texts().hset("jobs:limits", "d:print", "1");
        for (int i = 0; i < 250; i++) {
            Payload other = job("o" + i).with("queue", "reports");
            bed.redis.texts().zadd("schedule", 4e9 + i, text(other));
            bed.redis.texts().zadd("jobs:parked:api", 0, parked("", i, other));
        }
        bed.redis.texts().zadd("schedule", 3e9, text(job("b").with("jb", 1)));
        bed.redis.texts().zadd("jobs:parked:print", 0, parked("", 1, job("p")));
        bed.push("", names("q", 150));
        int runs = 0;
        TransferReport report;
        do {
            try (QueueTransfer another = bed.transfer()) {
                report = another.run(Duration.ZERO);
            }
        } while (++runs < 40 && !(report.complete() && report.movedJobs() == 151));

        assertThat(report.moved()).isEqualTo(Map.of(Place.QUEUE, 151L));
        assertThat(report.left()).isEqualTo(Map.of(Left.BATCH, 1L));
        assertThat(bed.queue(TARGET)).startsWith("p", "q0").hasSize(151);
    }

    private TransferReport runOfAnother(Duration atMost) {
        try (QueueTransfer another = bed.transfer()) {
            return another.run(atMost);
        }
    }

    private String pass() {
        return Objects.requireNonNullElse(bed.redis.texts().hget("jobs:outgoing:" + QUEUE, "pass"), "");
    }

    @Test
    void aRunThatGoesOnLooksAtWhatHasComeMeanwhile() {
        bed.redis.texts().zadd("retry", 4e9, text(job("o").with("queue", "reports")));
        runOfAnother(Duration.ZERO);
        assertThat(pass()).startsWith("retry ");
        bed.push("", names("q", 3));

        assertThat(runOfAnother(LONG).isEmpty()).isTrue();

        assertThat(bed.queue(TARGET)).hasSize(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"nowhere dead=0", "retry", "retry dead=1 from=0", "retry dead", "queue dead=0 from=0\nodd"})
    void aNoteThatItCannotUseBeginsAnew(String note) {
        runOfAnother(Duration.ZERO);
        bed.redis.texts().hset("jobs:outgoing:" + QUEUE, "pass", note);
        bed.push("", names("q", 3));

        assertThat(runOfAnother(LONG).isEmpty()).isTrue();

        assertThat(bed.queue(TARGET)).hasSize(3);
    }

    @Test
    void whatAnEarlierRunSawIsNotWhatIsLeftNow() {
        assertThat(transfer.run(LONG).isEmpty()).isTrue();
        bed.push("", names("j", 250));

        TransferReport report = transfer.run(Duration.ZERO);

        assertThat(report.complete()).isFalse();
        assertThat(report.isEmpty()).isFalse();
    }

    @Test
    void countsJobsThatFailWhereItHasBeen() {
        bed.redis.texts().zadd("retry", 4e9, text(job("begun")));
        bed.redis.texts().hset("it-begun", "c", "7");
        bed.redis.texts().zadd("jobs:beats", 1, "one");
        bed.redis.texts().hset("jobs:in:one", Map.of("#0", "0", "0:1:1:mail", "x"));
        transfer.close();
        transfer = bed.transfer(() -> bed.redis.texts().hdel("jobs:in:one", "0:1:1:mail"), () -> {});

        assertThat(transfer.run(LONG).left()).isEqualTo(Map.of(Left.BEGUN, 1L, Left.HELD, 1L));
    }

    @Test
    void whatIsAbandonedGoesBackUnlessItArrived() {
        bed.push("", names("j", 5));
        transfer.run(Duration.ZERO);
        bed.redis.texts().hset("jobs:outgoing:mail", Map.of("number", "7", "slice", "7:aa"));
        Payload unique =
                job("u").with("unique_lock", "K").with("unique_for", 60).with("unique_until", "success");
        bed.redis
                .texts()
                .rpush(
                        "jobs:slice:mail",
                        "queue \n" + text(job("newer")),
                        "queue \n" + text(unique),
                        "dead 1700000000\n" + text(job("d").with("keep_result", 60)),
                        "schedule 1900000000.5\n" + text(job("s")));
        bed.push("", "oldest");

        TransferReport report = transfer.abandon();

        assertThat(report.open()).isFalse();
        assertThat(bed.queue("")).containsExactly("oldest", "u", "newer");
        assertThat(bed.redis.texts().zscore("schedule", text(job("s")))).isEqualTo(1_900_000_000.5);
        assertThat(bed.redis.texts().get("unique:K")).isEqualTo("u");
        assertThat(bed.redis.texts().get("jobs:result:d")).isEqualTo("{\"state\":\"dead\"}");
        assertThat(bed.redis.texts().keys("jobs:*")).containsExactly("jobs:result:d");
        assertThat(bed.redis.texts().hvals(TARGET + "jobs:incoming")).containsExactly("7:aa 5 void");
        assertThat(bed.queue(TARGET)).hasSize(5);
        assertThat(transfer.abandon().open()).isFalse();
    }

    @Test
    void aFullTargetRefusesASliceAndGetsItLater() {
        bed.push("", names("j", 3));
        transfer.run(Duration.ZERO);
        bed.push("", names("k", 3));
        bed.redis.texts().configSet("maxmemory", "1");
        try {
            assertThatThrownBy(() -> transfer.run(LONG))
                    .isInstanceOfSatisfying(
                            JobStoreException.class, e -> assertThat(e.kind()).isEqualTo(JobStoreException.Kind.FULL));
            assertThat(transfer.status().onTheWay()).isEqualTo(3);
        } finally {
            bed.redis.texts().configSet("maxmemory", "0");
        }
        assertThat(transfer.run(LONG).movedJobs()).isEqualTo(6);
        assertThat(bed.queue(TARGET)).hasSize(6).doesNotHaveDuplicates();
    }

    @Test
    void saysWhenTheTargetIsAnotherOneOrLostItsData() {
        bed.push("", "1");
        transfer.run(LONG);
        bed.push("", "2");
        bed.redis.texts().del(TARGET + "jobs:incoming");

        assertThat(transfer.status().missing()).isEqualTo(1);
        assertThatThrownBy(() -> transfer.run(LONG))
                .isInstanceOf(JobsException.class)
                .hasMessageContaining("doesn't know it");
        assertThat(bed.queue("")).containsExactly("2");
    }

    @Test
    void aSourceThatLostItsLastChangesIsNotEmptiedBlindly() {
        bed.push("", "1");
        transfer.run(LONG);
        String id = bed.redis.texts().hget("jobs:outgoing:mail", "id");
        bed.redis.texts().hset("jobs:outgoing:mail", Map.of("number", "1", "slice", "1:other"));
        bed.redis.texts().rpush("jobs:slice:mail", "queue \n" + text(job("2")));

        assertThatThrownBy(() -> transfer.run(LONG))
                .isInstanceOf(JobsException.class)
                .hasMessageContaining("lost its last changes")
                .hasMessageContaining(id);

        transfer.abandon();
        assertThat(bed.queue("")).containsExactly("2");
    }

    @Test
    void theOverviewWarnsOfAnOpenTransfer() {
        bed.push("", "1");
        transfer.run(LONG);
        try (JobsAdmin admin = new JobsAdmin(
                bed.redis.connections(""),
                new dev.jobs.store.DeadSetBounds(100, Duration.ofDays(1)),
                dev.jobs.JobHooks.none(),
                java.time.Clock.offset(java.time.Clock.systemUTC(), Duration.ofMinutes(10)),
                dev.jobs.PayloadTimes.MILLISECONDS,
                List.of(OpenTransfers::new),
                List.of())) {
            assertThat(admin.warnings())
                    .filteredOn(finding -> finding.code().equals("queue-transfer"))
                    .singleElement()
                    .satisfies(finding -> {
                        assertThat(finding.level()).isEqualTo(Finding.Level.INFO);
                        assertThat(finding.subject()).isEqualTo(QUEUE);
                    });
            bed.redis.texts().hset("jobs:outgoing:mail", "slice", "2:aa");
            bed.redis.texts().rpush("jobs:slice:mail", "queue \n" + text(job("2")));
            assertThat(admin.warnings())
                    .filteredOn(finding -> finding.code().equals("queue-transfer-stuck"))
                    .singleElement()
                    .satisfies(finding -> {
                        assertThat(finding.level()).isEqualTo(Finding.Level.ERROR);
                        assertThat(finding.message()).contains("1 job").contains("'mail'");
                    });
        }
    }

    @Test
    void aBrokenSetKeepsASliceUntilItIsRepaired() {
        bed.redis.texts().zadd("retry", 1_900_000_000, text(job("r")));
        bed.redis.texts().set(TARGET + "retry", "text");

        assertThatThrownBy(() -> transfer.run(LONG))
                .isInstanceOfSatisfying(JobStoreException.class, e -> assertThat(e.kind())
                        .isEqualTo(JobStoreException.Kind.WRONG_TYPE));
        assertThat(transfer.status().onTheWay()).isEqualTo(1);

        bed.redis.texts().del(TARGET + "retry");
        assertThat(transfer.run(LONG).isEmpty()).isTrue();
        assertThat(bed.set(TARGET + "retry")).containsExactly("r");
    }

    @Test
    void aFullSourceGivesItsJobsAway() {
        bed.push("", names("j", 3));
        try (RedisFixture other = RedisFixture.start();
                QueueTransfer away = new QueueTransfer(
                        bed.source(),
                        new Shard("other", other.connections(""), "default"),
                        QUEUE,
                        TransferOptions.standard().evenUnserved())) {
            bed.redis.texts().configSet("maxmemory", "1");
            try {
                assertThat(away.run(LONG).movedJobs()).isEqualTo(3);
                away.finish();
            } finally {
                bed.redis.texts().configSet("maxmemory", "0");
            }
            assertThat(other.texts().llen("queue:mail")).isEqualTo(3);
            assertThat(bed.redis.texts().keys("*")).isEmpty();
        }
    }
}
