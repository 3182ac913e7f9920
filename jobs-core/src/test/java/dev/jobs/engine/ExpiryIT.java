package dev.jobs.engine;

import static dev.jobs.engine.EngineTestBed.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.BatchJob;
import dev.jobs.BatchJobState;
import dev.jobs.BatchStatus;
import dev.jobs.JobCall;
import dev.jobs.JobListener.Ending;
import dev.jobs.testing.RedisFixture;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs that expire before a worker begins them. */
class ExpiryIT extends BatchesTestBed {

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    private static final long NOW = Instant.now().getEpochSecond();

    ExpiryIT() {
        super(redis);
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
        bed.clock(Clock.offset(Clock.systemUTC(), Duration.ofHours(1)));
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
}
