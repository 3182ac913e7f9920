package dev.jobs.ends;

import static dev.jobs.assembly.EngineTestBed.payload;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Expiry;
import dev.jobs.JobCall;
import dev.jobs.JobListener.Ending;
import dev.jobs.Payload;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.batches.BatchJob;
import dev.jobs.batches.BatchJobState;
import dev.jobs.batches.BatchStatus;
import dev.jobs.batches.BatchesTestBed;
import dev.jobs.engine.ChoreTestBed;
import dev.jobs.engine.ClaimedJob;
import dev.jobs.testing.RedisFixture;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs that expire before a worker begins them. */
class ExpiryIT extends BatchesTestBed {

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    private static final long NOW = Instant.now().getEpochSecond();

    private static final String LATE = "\"expiry\":" + (NOW - 600) + ".25";

    ExpiryIT() {
        super(redis);
    }

    private static String sha1(String text) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(text.getBytes(UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private void run(String... payloads) {
        for (String each : payloads) {
            bed.push("default", each);
        }
        bed.start(shop);
        bed.awaitDrained("default");
        bed.stopEngines(); // by then all hooks have been called
    }

    @Test
    void onlyAnExpiredJobIsNotRun() {
        run(
                payload("sell", "late", "[1]", "\"expires_in\":60", "\"expiry\":" + (NOW - 600) + ".25"),
                payload("sell", "early", "[2]", "\"expires_in\":3600", "\"expiry\":" + (NOW + 3_600) + ".25"));

        assertThat(shop.ran).containsExactly("sell 2");
        assertThat(bed.ends)
                .extracting(EngineTestBed.Ended::jid, EngineTestBed.Ended::ending)
                .containsExactlyInAnyOrder(
                        org.assertj.core.groups.Tuple.tuple("late", Ending.EXPIRED),
                        org.assertj.core.groups.Tuple.tuple("early", Ending.DONE));
        assertThat(bed.processed()).isEqualTo(1);
        assertThat(redis.texts().exists("queue:default", "retry", "dead")).isZero();
    }

    /** Its worker's clock may be wrong. */
    @ParameterizedTest
    @ValueSource(ints = {-1, 1})
    void aJobExpiresByTheClockOfRedis(int day) {
        bed.clock(Clock.offset(Clock.systemUTC(), Duration.ofDays(day)));

        onlyAnExpiredJobIsNotRun();
    }

    /** The beats of this process say that it is 1970. */
    @Test
    void ifRedisCanNotBeAskedItsTimeAtTheLastBeatCounts() {
        redis.texts().set("jobs:in:me", "odd");
        try (ChoreTestBed process = new ChoreTestBed(bed)) {
            ExpiryPart.Begin begin =
                    ExpiryPart.inRedis(new ExpiringJobs(process.connection, process.keys), process.lease);
            ClaimedJob job = process.claimed(payload("sell", "j", "[1]"));
            Instant expiry = Instant.now().plus(Duration.ofDays(9_000));
            assertThat(begin.inTime(job, expiry, Instant.MAX)).isTrue();
            process.nanos.addAndGet(Duration.ofDays(40_000).toNanos());
            assertThat(begin.inTime(job, expiry, Instant.MIN)).isFalse();
        }
    }

    @Test
    void aRecoveredJobThatNoWorkerHadBegunExpires() {
        String late = payload("sell", "late", "[1]", LATE);
        String begun = payload("sell", "begun", "[2]", LATE.replace("expiry", "jobs_expiry"));
        for (String each : List.of(late, begun)) {
            redis.texts().hset("jobs:recovered", sha1(each), "1");
        }
        run(late, begun);

        assertThat(shop.ran).containsExactly("sell 2");
        assertThat(bed.ends).extracting(EngineTestBed.Ended::ending).contains(Ending.EXPIRED);
    }

    @Test
    void aRetryIsNotRunAfterTheExpiry() {
        run(payload("sell", "again", "[1]", "\"retry_count\":0", "\"failed_at\":1", "\"expiry\":" + (NOW - 1)));

        assertThat(shop.ran).isEmpty();
        assertThat(bed.ends).extracting(EngineTestBed.Ended::ending).containsExactly(Ending.EXPIRED);
        assertThat(bed.errors).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"yesterday\"", "null", "[1]", "1e999"})
    void aJobWithoutATimeRuns(String expiry) {
        run(payload("sell", "odd", "[1]", "\"expiry\":" + expiry));

        assertThat(shop.ran).containsExactly("sell 1");
    }

    @Test
    void aBatchSaysWhichOfItsJobsExpired() {
        String id = batches.create(
                "sale", batch -> batch.add(JobCall.of(Shop::sell, 1).expiresIn(Duration.ofMinutes(10)))
                        .add(JobCall.of(Shop::sell, 2).expiresIn(Duration.ofDays(1))));
        List<String> waiting = redis.texts().lrange("queue:default", 0, -1);
        for (int i = 0; i < waiting.size(); i++) {
            if (waiting.get(i).contains("\"expires_in\":600")) {
                redis.texts().lset("queue:default", i, waiting.get(i).replaceFirst("\"expiry\":[0-9.E]+", LATE));
            }
        }
        bed.start(shop);

        BatchStatus status = finished(id);

        assertThat(status.skipped()).isEqualTo(1);
        assertThat(status.succeeded()).isEqualTo(1);
        List<BatchJob> skipped =
                batches.jobs(id, Set.of(BatchJobState.SKIPPED), -1, 10).jobs();
        assertThat(skipped).singleElement().satisfies(job -> {
            assertThat(job.index()).isZero();
            assertThat(job.messages()).singleElement().asString().startsWith("It expired at 20");
        });
        assertThat(shop.ran).containsExactly("sell 2");
    }

    @Test
    void aDeadJobOfABatchThatIsRevivedLaterExpiresCountedFromThen() {
        shop.failuresLeft.put("printer", 1);
        bed.start(shop);
        String id = batches.create(
                "print",
                batch -> batch.add(JobCall.of(Shop::breakDown, "printer").expiresIn(Duration.ofHours(1))));
        assertThat(finished(id).dead()).isEqualTo(1);
        String dead = redis.texts().zrange("dead", 0, -1).get(0);
        redis.texts().del("dead");
        redis.texts().zadd("dead", NOW, dead.replaceFirst("\"expiry\":[0-9.]+", "\"expiry\":" + (NOW - 86_400) + ".5"));

        assertThat(batches.retryDead(id)).isEqualTo(1);

        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(shop.ran).containsExactly("break printer"));
        assertThat(finished(id).succeeded()).isEqualTo(1);
    }

    @Test
    void aMiddlewareSeesWhenACallbackWillExpire() {
        List<Instant> seen = new CopyOnWriteArrayList<>();
        bed.enqueueMiddleware.add((payload, next) -> {
            seen.add(Expiry.of(payload));
            return next.proceed(payload.with("expiry", 4_000_000_000L));
        });
        batches.create(
                "long",
                batch -> batch.onFinish(JobCall.of(Shop::tell).queue("parked").expiresIn(Duration.ofHours(1))));
        Instant before = Instant.now().plus(Duration.ofHours(2)).minusSeconds(1);
        bed.clock(Clock.offset(Clock.systemUTC(), Duration.ofHours(2)));
        bed.start(shop);

        assertThat(Expiry.of(parked())).isEqualTo(Instant.ofEpochSecond(4_000_000_000L));
        assertThat(seen).isNotEmpty().allSatisfy(each -> assertThat(each)
                .isBetween(before.plus(Duration.ofHours(1)), before.plus(Duration.ofMinutes(62))));
    }

    @ParameterizedTest
    @ValueSource(ints = {30, 7_200})
    void aJobOfTheNextBatchExpiresCountedFromWhenThatOpens(int later) {
        String id = batches.create("first", batch -> batch.add(JobCall.of(Shop::sell, 1))
                .then(
                        "second",
                        next -> next.add(
                                JobCall.of(Shop::sell, 2).queue("parked").expiresIn(Duration.ofHours(1)))));
        Instant before = Instant.now().plusSeconds(later).minusSeconds(1);
        bed.clock(Clock.offset(Clock.systemUTC(), Duration.ofSeconds(later)));
        bed.start(shop);

        assertThat(finished(id).succeeded()).isEqualTo(1);

        assertThat(Expiry.of(parked()))
                .isBetween(before.plus(Duration.ofHours(1)), before.plus(Duration.ofMinutes(62)));
    }

    private Payload parked() {
        await().atMost(Duration.ofSeconds(30)).until(() -> redis.texts().llen("queue:parked") == 1);
        return Payload.parse(
                redis.bytes().lrange("queue:parked".getBytes(UTF_8), 0, -1).get(0));
    }
}
