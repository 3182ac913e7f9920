package dev.jobs.client;

import static dev.jobs.client.ClientTestBed.NOW;
import static dev.jobs.client.ClientTestBed.TIMES;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.Payload;
import dev.jobs.assembly.RedisJobClient;
import io.lettuce.core.ScoredValue;
import java.math.BigInteger;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PushIT {

    @AutoClose
    @RegisterExtension
    static final ClientTestBed bed = new ClientTestBed();

    static final class Reports {
        @Job(value = "Report", queue = "low", retry = 3, tags = "annotated")
        void build(String name) {}
    }

    record Point(int x, int y) {}

    @Test
    @Tag("sidekiq-7.1")
    @Tag("sidekiq-33")
    void writesDefaultsFirstAndThenWhatIsGivenInItsOrder() {
        Map<String, Object> payload = new LinkedHashMap<>();
        payload.put("args", Arrays.asList("é漢😀", 1, 1.0, null, Map.of("a", Map.of())));
        payload.put("class", "HJ");

        String jid = bed.client().push(payload);

        assertThat(bed.queue("default"))
                .containsExactly(
                        "{\"retry\":true,\"queue\":\"default\",\"args\":[\"é漢😀\",1,1.0,null,{\"a\":{}}],\"class\":\"HJ\","
                                + "\"jid\":\"" + jid + "\"," + TIMES);
    }

    @Test
    @Tag("sidekiq-4")
    @Tag("sidekiq-7.1")
    void keepsWhatIsGivenAndStampsTheTimeOfEnqueueing() {
        Map<String, Object> payload = new LinkedHashMap<>();
        payload.put("class", "HJ");
        payload.put("jid", "my-own-id");
        payload.put("enqueued_at", 5);
        payload.put("args", new Object[] {1});
        payload.put("created_at", 1_700_000_000.25);
        payload.put("queue", "own");
        payload.put("retry", false);
        payload.put("retry_for", 59.9);
        payload.put("big", new BigInteger("12345678901234567890123456789"));
        payload.put("cattr", Map.of("k", List.of(true)));
        payload.put("bid", null);

        assertThat(bed.client().push(payload)).isEqualTo("my-own-id");

        assertThat(bed.queue("own"))
                .containsExactly(
                        "{\"retry\":false,\"queue\":\"own\",\"class\":\"HJ\",\"jid\":\"my-own-id\",\"enqueued_at\":1795237556186,"
                                + "\"args\":[1],\"created_at\":1700000000.25,\"retry_for\":59,"
                                + "\"big\":12345678901234567890123456789,\"cattr\":{\"k\":[true]},\"bid\":null}");
        assertThat(bed.redis.texts().smembers("queues")).containsExactly("own");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"debug\"", "\"Warn\"", "\"UNKNOWN\"", "0", "null"})
    @Tag("sidekiq-4")
    void takesEveryLogLevelThatRubyKnows(String level) {
        Payload member = Payload.parse(("{\"level\":" + level + "}").getBytes(UTF_8));

        bed.client().with("log_level", member.get("level")).enqueue("A");

        assertThat(bed.queue("default")).singleElement().asString().contains("\"log_level\":" + level + ",");
    }

    @Test
    @Tag("sidekiq-7.1")
    void fillsInAnIdAndATimeThatAreNull() {
        Map<String, Object> payload = new LinkedHashMap<>();
        payload.put("jid", null);
        payload.put("created_at", null);
        payload.put("class", "HJ");
        payload.put("args", List.of());

        String jid = bed.client().push(payload);

        assertThat(bed.queue("default"))
                .containsExactly(
                        "{\"retry\":true,\"queue\":\"default\",\"jid\":\"" + jid
                                + "\",\"created_at\":1795237556186,\"class\":\"HJ\",\"args\":[],\"enqueued_at\":1795237556186}");
    }

    @Test
    @Tag("sidekiq-7.1")
    @Tag("sidekiq-7.3")
    void letsTheClientsOptionsFillInOnlyWhatIsMissing() {
        JobClient client = bed.client(Reports.class)
                .queue("mine")
                .tags("mine")
                .with("own", 1)
                .in(Duration.ofDays(1));

        String jid = client.push(ordered("class", "Report", "args", List.of("a"), "queue", "given", "at", 0));

        assertThat(bed.queue("given"))
                .containsExactly(
                        "{\"retry\":3,\"queue\":\"given\",\"tags\":[\"mine\"],\"own\":1,\"class\":\"Report\",\"args\":[\"a\"],"
                                + "\"jid\":\"" + jid + "\"," + TIMES);
    }

    @Test
    void schedulesByTheClientsTimeWhereThePayloadHasNone() {
        bed.client().in(Duration.ofSeconds(5)).push(ordered("class", "HJ", "args", List.of(), "enqueued_at", 5));

        assertThat(scores()).containsExactly(1_795_237_561.186);
        assertThat(bed.scheduled()).singleElement().asString().doesNotContain("enqueued_at", "\"at\"");
    }

    @Test
    @Tag("sidekiq-5")
    void readsSmallTimesAsSecondsFromNowAndLargeOnesAsEpochSeconds() {
        RedisJobClient client = bed.client();
        client.push(ordered("class", "A", "args", List.of(), "at", 60));
        client.push(ordered("class", "B", "args", List.of(), "at", 0.5));
        client.push(ordered("class", "C", "args", List.of(), "at", 999_999_999));
        client.push(ordered("class", "D", "args", List.of(), "at", 1_795_237_556.186001));
        client.push(ordered("class", "E", "args", List.of(), "at", new BigInteger("1795237600")));

        assertThat(scores())
                .containsExactly(
                        1_795_237_556.186001, 1_795_237_556.686, 1_795_237_600.0, 1_795_237_616.186, 2_795_237_555.186);
        assertThat(bed.scheduled()).isNotEmpty().allSatisfy(stored -> assertThat(stored)
                .doesNotContain("\"at\"", "enqueued_at"));
        assertThat(bed.redis.texts().exists("queues", "queue:default")).isZero();
    }

    @Test
    @Tag("sidekiq-5")
    @Tag("sidekiq-7.1")
    void enqueuesAtOnceWhatIsDueAlready() {
        RedisJobClient client = bed.client();
        client.push(ordered("class", "A", "args", List.of(), "at", -60));
        client.push(ordered("at", 1_000_000_000, "class", "B", "args", List.of()));
        client.push(ordered("class", "C", "args", List.of(), "at", NOW.toEpochMilli() / 1e3));

        assertThat(bed.queue("default")).hasSize(3).allSatisfy(stored -> assertThat(stored)
                .doesNotContain("\"at\"")
                .endsWith(TIMES));
    }

    @Test
    void takesCollectionsAndRecordsAsArguments() {
        bed.client().push(ordered("class", new StringBuilder("HJ"), "args", Set.of(new Point(1, 2))));

        assertThat(bed.queue("default"))
                .singleElement()
                .asString()
                .contains("\"class\":\"HJ\",\"args\":[{\"x\":1,\"y\":2}]");
    }

    @Test
    void leavesTheGivenMapAlone() {
        Map<String, Object> payload = Map.of("class", "HJ", "args", List.of(), "at", 60);

        bed.client().push(payload);

        assertThat(payload).hasSize(3);
    }

    private static List<Double> scores() {
        return bed.redis.texts().zrangeWithScores("schedule", 0, -1).stream()
                .map(ScoredValue::getScore)
                .toList();
    }

    private static Map<String, Object> ordered(Object... namesAndValues) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            map.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return map;
    }
}
