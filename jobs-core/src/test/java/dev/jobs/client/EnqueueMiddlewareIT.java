package dev.jobs.client;

import static dev.jobs.client.ClientTestBed.TIMES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.EnqueueMiddleware;
import dev.jobs.InvalidJobException;
import dev.jobs.JobHooks;
import dev.jobs.Payload;
import dev.jobs.assembly.RedisJobClient;
import io.lettuce.core.ScoredValue;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("sidekiq-21")
class EnqueueMiddlewareIT {

    @AutoClose
    @RegisterExtension
    static final ClientTestBed bed = new ClientTestBed();

    @Test
    void showsThePayloadWithoutTheTimeOfEnqueueing() {
        List<Payload> seen = new ArrayList<>();
        String jid = bed.client((payload, next) -> {
                    seen.add(payload);
                    return next.proceed(payload);
                })
                .enqueue("A", 1);

        assertThat(seen)
                .containsExactly(Payload.of(ordered(
                        "retry",
                        true,
                        "queue",
                        "default",
                        "class",
                        "A",
                        "args",
                        List.of(1),
                        "jid",
                        jid,
                        "created_at",
                        1795237556186L)));
    }

    @Test
    @Tag("sidekiq-7.1")
    void showsADueTimeInEpochSecondsAndStoresItAsTheScoreOnly() {
        List<Object> seen = new ArrayList<>();
        RedisJobClient client = bed.client((payload, next) -> {
            seen.add(payload.get("at"));
            return next.proceed(payload);
        });
        client.in(Duration.ofMillis(1500)).enqueue("A");
        client.in(Duration.ZERO).enqueue("B");
        client.push(Map.of("class", "C", "args", List.of(), "at", 60));

        assertThat(seen).containsExactly(1_795_237_557.686, null, 1_795_237_616.186);
        assertThat(scores()).containsExactly(1_795_237_557.686, 1_795_237_616.186);
    }

    @Test
    @Tag("sidekiq-7.1")
    void storesNothingAfterAVeto() {
        RedisJobClient client = bed.client((payload, next) -> null);

        assertThat(client.enqueue("A")).isNull();
        assertThat(client.in(Duration.ofDays(1)).enqueue("A")).isNull();
        assertThat(client.push(Map.of("class", "A", "args", List.of()))).isNull();
        assertThat(client.enqueueAll("A", List.of(List.of(), List.of()))).containsExactly(null, null);
        assertThat(bed.redis.snapshot()).isEmpty();
    }

    @Test
    void storesWhatComesOutOfTheChain() {
        EnqueueMiddleware outer = (payload, next) -> {
            Payload inner = next.proceed(payload.with("outer", 1));
            return inner == null ? null : inner.with("after", 3);
        };
        EnqueueMiddleware inner = (payload, next) ->
                next.proceed(payload.with("inner", 2).with("queue", "moved").with("args", List.of("x")));
        String jid = bed.client(JobHooks.none().with(EnqueueMiddleware.class, List.of(outer, inner)))
                .enqueue("A", 1);

        assertThat(bed.queue("moved"))
                .containsExactly(
                        "{\"retry\":true,\"queue\":\"moved\",\"class\":\"A\",\"args\":[\"x\"],\"jid\":\"" + jid
                                + "\",\"created_at\":1795237556186,\"outer\":1,\"inner\":2,\"after\":3,\"enqueued_at\":1795237556186}");
        assertThat(bed.redis.texts().smembers("queues")).containsExactly("moved");
    }

    @Test
    @Tag("sidekiq-7.1")
    void storesAnotherPayloadAsItIsAndReturnsItsId() {
        Payload other = Payload.parse(
                "{ \"class\":\"Other\", \"args\":[1.50], \"queue\":\"q\", \"jid\":\"j1\", \"enqueued_at\":1 }"
                        .getBytes(java.nio.charset.StandardCharsets.UTF_8));

        assertThat(bed.client((payload, next) -> other).enqueue("A")).isEqualTo("j1");

        assertThat(bed.queue("q"))
                .containsExactly(
                        "{\"class\":\"Other\",\"args\":[1.50],\"queue\":\"q\",\"jid\":\"j1\",\"enqueued_at\":1795237556186}");
    }

    @Test
    void mayScheduleAJobPostponeItOrEnqueueItAtOnce() {
        RedisJobClient client = bed.client((payload, next) -> switch (String.valueOf(payload.name())) {
            case "Schedule" -> next.proceed(payload.with("at", 1_795_237_600));
            case "Postpone" -> next.proceed(payload.with("at", 1_795_237_700.5));
            case "Now" -> next.proceed(payload.without("at"));
            default -> next.proceed(payload.with("at", 60));
        });
        client.enqueue("Schedule");
        client.in(Duration.ofSeconds(1)).enqueue("Postpone");
        client.in(Duration.ofSeconds(1)).enqueue("Now");
        client.in(Duration.ofSeconds(1)).enqueue("1970");

        assertThat(scores()).containsExactly(1_795_237_600.0, 1_795_237_700.5);
        assertThat(bed.scheduled()).isNotEmpty().allSatisfy(stored -> assertThat(stored)
                .doesNotContain("\"at\"", "enqueued_at"));
        assertThat(bed.queue("default"))
                .hasSize(2)
                .allSatisfy(stored -> assertThat(stored).endsWith(TIMES).doesNotContain("\"at\""));
    }

    @Test
    void mayTakeALargePayloadElsewhereBeforeItsSizeIsChecked() {
        EnqueueMiddleware claimCheck = (payload, next) -> next.proceed(payload.with("args", List.of("key")));
        RedisJobClient client = bed.client(
                bed.redis.connections(""),
                JobHooks.none().with(EnqueueMiddleware.class, claimCheck),
                new ClientConfig(1_000, 10),
                Clock.fixed(ClientTestBed.NOW, ZoneOffset.UTC));

        client.enqueue("A", "x".repeat(5_000));

        assertThat(bed.queue("default")).singleElement().asString().contains("\"args\":[\"key\"]");
    }

    @Test
    void passesAnExceptionOnAndStoresNothing() {
        RedisJobClient client = bed.client((payload, next) -> {
            throw new IllegalStateException("no");
        });

        assertThatThrownBy(() -> client.enqueue("A")).isExactlyInstanceOf(IllegalStateException.class);
        assertThat(bed.redis.snapshot()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource
    @Tag("sidekiq-7.1")
    void checksWhatComesOutOfTheChain(String member, Object value, String words) {
        RedisJobClient client = bed.client((payload, next) ->
                next.proceed("remove".equals(value) ? payload.without(member) : payload.with(member, value)));

        assertThatThrownBy(() -> client.enqueue("A"))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining(words);
        assertThatThrownBy(() -> client.in(Duration.ofDays(1)).enqueueAll("A", List.of(List.of())))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining(words);
        assertThat(bed.redis.snapshot()).isEmpty();
    }

    static Stream<Arguments> checksWhatComesOutOfTheChain() {
        return Stream.of(
                Arguments.of("class", "remove", "'class' must be the job's name as text but is missing"),
                Arguments.of("class", 1, "'class' must be"),
                Arguments.of("args", "remove", "'args' must be an array but is missing"),
                Arguments.of("args", Map.of(), "'args' must be an array but is {}"),
                Arguments.of("queue", "remove", "'queue' must be"),
                Arguments.of("queue", "a b", "'queue' must be"),
                Arguments.of("jid", "remove", "'jid' must be"),
                Arguments.of("jid", 5, "'jid' must be text but is 5"),
                Arguments.of("tags", "x", "'tags' must be an array of strings but is \"x\""),
                Arguments.of("retry_for", 2e9, "'retry_for' must be"),
                Arguments.of("at", "soon", "'at' must be"),
                Arguments.of("own", "x".repeat(1 << 20), "bytes, and 1,048,576 are allowed"));
    }

    private static List<Double> scores() {
        return bed.redis.texts().zrangeWithScores("schedule", 0, -1).stream()
                .map(ScoredValue::getScore)
                .toList();
    }

    private static Map<String, Object> ordered(Object... namesAndValues) {
        Map<String, Object> map = new java.util.LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            map.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return map;
    }
}
