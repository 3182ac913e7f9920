package dev.jobs.retries;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.InvalidJobException;
import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobListener.Ending;
import dev.jobs.JobRegistry;
import dev.jobs.Payload;
import dev.jobs.RetryRule;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.batches.BatchStatus;
import dev.jobs.batches.RedisBatches;
import dev.jobs.testing.RedisFixture;
import dev.jobs.unique.Unique;
import io.lettuce.core.ScoredValue;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The members that a rule has in payloads, and the jobs of an engine that are retried by one. */
class RetryIT {

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    @AutoClose
    private final EngineTestBed bed = new EngineTestBed(redis);

    static final class Prices {

        @Job("load")
        @Retry(maxRetries = 8, delay = "90s", multiplier = 2, excludes = IllegalStateException.class)
        void load(String shop) throws IOException {
            if (shop.equals("closed")) {
                throw new IllegalStateException("it is closed");
            }
            throw new IOException("no answer");
        }

        @Job("count")
        @Unique(key = "{shop}") @Retry(delay = "1h", excludes = IllegalStateException.class)
        void count(String shop) throws IOException {
            load(shop);
        }

        @Job("check")
        void check() throws IOException {
            throw new IOException("no answer");
        }
    }

    private final Prices prices = new Prices();

    private final RetryDecisions decisions = new RetryDecisions(
            JobRegistry.of(prices),
            named -> {
                throw new AssertionError("no annotation names a policy");
            },
            new Random(1));

    private List<String> queued() {
        return redis.texts().lrange("queue:default", 0, -1);
    }

    @Test
    void theRuleOfACallIsOneMemberOfSecondsBesideTheNumberOfRetries() {
        RetryRule rule = RetryRule.after(Duration.ofSeconds(10))
                .multiplier(1.5)
                .maxDelay(Duration.ofMinutes(10))
                .jitter(Duration.ofMillis(500))
                .maxRetries(5);

        bed.client(prices).retry(rule).enqueue(Prices::load, "a");

        assertThat(queued())
                .singleElement()
                .asString()
                .startsWith(
                        "{\"retry\":5,\"queue\":\"default\",\"class\":\"load\",\"args\":[\"a\"],\"jobs_retry\":{\"delay\":10,\"multiplier\":1.5,\"max_delay\":600,\"jitter\":0.5},\"jid\":\"");
        assertThat(RetryRule.of(Payload.parse(queued().get(0).getBytes(UTF_8))))
                .isEqualTo(new RetryRule(rule.delay(), 1.5, rule.maxDelay(), rule.jitter(), null));
    }

    @Test
    void aRuleWithoutANumberLeavesThatOfTheJob() {
        bed.client(prices).retry(RetryRule.after(Duration.ofMillis(700))).enqueue(Prices::load, "a");

        assertThat(queued())
                .singleElement()
                .asString()
                .startsWith(
                        "{\"retry\":8,\"queue\":\"default\",\"class\":\"load\",\"args\":[\"a\"],\"jobs_retry\":{\"delay\":0.7},\"jid\":\"");
    }

    @Test
    void theAnnotationLeavesNothingInThePayloadButTheNumber() {
        bed.client(prices).enqueue(Prices::load, "a");

        assertThat(Payload.parse(queued().get(0).getBytes(UTF_8)).names())
                .containsExactly("retry", "queue", "class", "args", "jid", "created_at", "enqueued_at");
        assertThat(queued().get(0)).startsWith("{\"retry\":8,");
    }

    @Test
    void aRuleThatNoWorkerCouldFollowIsRefused() {
        Map<String, Object> rule = new HashMap<>(Map.of("delay", 10, "max_delay", 5));

        assertThatThrownBy(() -> bed.client().with("jobs_retry", rule).enqueue("X"))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("its 'jobs_retry' must be an object with a 'delay' of 0.001 to 1,000,000,000 s")
                .hasMessageContaining("but is {");
    }

    @Test
    void anEngineRetriesByTheCallOrTheAnnotationAndBuriesWhatIsNotToBeRetried() {
        bed.policies.add(decisions);
        Map<String, String> jids = new LinkedHashMap<>();
        jids.put("annotation", bed.client(prices).enqueue(Prices::load, "a"));
        jids.put(
                "call",
                bed.client(prices)
                        .retry(RetryRule.after(Duration.ofSeconds(1000)))
                        .enqueue(Prices::check));
        jids.put("excluded", bed.client(prices).enqueue(Prices::load, "closed"));
        double before = now();

        bed.start(prices);

        bed.awaitEnds(3);
        bed.awaitDrained("default");
        double after = now();
        assertThat(redis.texts().zrangeWithScores("retry", 0, -1))
                .extracting(each -> jid(each.getValue()))
                .containsExactly(jids.get("annotation"), jids.get("call"));
        assertThat(redis.texts().zrangeWithScores("retry", 0, -1))
                .extracting(ScoredValue::getScore)
                .satisfiesExactly(
                        annotated -> assertThat(annotated).isBetween(before + 90, after + 90),
                        called -> assertThat(called).isBetween(before + 1000, after + 1000));
        assertThat(jid(redis.texts().zrange("dead", 0, -1).get(0))).isEqualTo(jids.get("excluded"));
        assertThat(bed.deaths).extracting(each -> each.payload().jid()).containsExactly(jids.get("excluded"));
        assertThat(bed.ends)
                .extracting(EngineTestBed.Ended::ending)
                .containsExactlyInAnyOrder(Ending.RETRIED, Ending.RETRIED, Ending.DEAD);
        assertThat(bed.books().conservationError()).isZero();
    }

    @Test
    void aBatchKnowsWhichOfItsJobsComeBack() {
        bed.policies.add(decisions);
        RedisJobClient client = bed.client(prices);
        try (RedisBatches batches = new RedisBatches(bed.connections(), client, new SecureRandom())) {
            bed.batches = batches;
            String id = batches.create(
                    "prices",
                    batch -> batch.addAll(Stream.of("a", "b", "closed").map(shop -> JobCall.of(Prices::load, shop))));

            bed.start(prices);

            bed.awaitEnds(3);
            bed.awaitDrained("default");
            BatchStatus status = batches.find(id).orElseThrow();
            assertThat(status.retrying()).isEqualTo(2);
            assertThat(status.dead()).isEqualTo(1);
            bed.stopEngines();
        }
    }

    @Test
    void theLockOfAJobIsHeldUntilItIsGivenUp() {
        bed.policies.add(decisions);
        RedisJobClient client = bed.client(prices);
        client.enqueue(Prices::count, "a");
        client.enqueue(Prices::count, "closed");

        bed.start(prices);

        bed.awaitEnds(2);
        bed.awaitDrained("default");
        bed.stopEngines();
        assertThat(client.enqueue(Prices::count, "a")).isNull();
        assertThat(client.enqueue(Prices::count, "closed")).isNotNull();
    }

    private static double now() {
        List<String> time = redis.texts().time();
        return Long.parseLong(time.get(0)) + Long.parseLong(time.get(1)) / 1e6;
    }

    private static String jid(String payload) {
        return Payload.parse(payload.getBytes(UTF_8)).jid();
    }
}
