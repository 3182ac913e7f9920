package dev.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PastAttemptTests {

    private static final Payload JOB = payload("{\"class\":\"Mails.send\",\"args\":[]}");

    private static Payload payload(String json) {
        return Payload.parse(json.getBytes(UTF_8));
    }

    private static PastAttempt attempt(int number, String message) {
        return new PastAttempt(
                Instant.ofEpochMilli(1_795_237_645_000L + number),
                Duration.ofMillis(3),
                Duration.ofSeconds(1),
                "host:1:0123456789ab",
                "java.io.IOException",
                message);
    }

    private static Payload after(Payload job, PastAttempt... attempts) {
        Payload payload = job;
        for (PastAttempt attempt : attempts) {
            payload = attempt.addTo(payload);
        }
        return payload;
    }

    @Test
    void aPayloadRemembersAttemptsAndWritesTheSameFailureOnce() {
        Payload payload = after(JOB, attempt(1, "reset"), attempt(2, "reset"), attempt(3, "refused"));

        assertThat(PastAttempt.of(payload))
                .containsExactly(attempt(1, "reset"), attempt(2, "reset"), attempt(3, "refused"));
        assertThat(new String(payload.bytes(), UTF_8))
                .containsOnlyOnce("\"reset\"")
                .containsOnlyOnce("java.io.IOException");
    }

    @Test
    void theOldestGiveWayToTheTenth() {
        Payload payload = after(
                JOB,
                IntStream.rangeClosed(1, 12).mapToObj(i -> attempt(i, "reset")).toArray(PastAttempt[]::new));

        assertThat(PastAttempt.of(payload))
                .hasSize(10)
                .startsWith(attempt(3, "reset"))
                .endsWith(attempt(12, "reset"));
    }

    @Test
    void whateverTheMessagesTheyTakeTwoKilobytes() {
        Payload payload = JOB;
        for (int i = 0; i < 12; i++) {
            payload = attempt(i, i + "\n\ud83d" + "\ud83d\ude00".repeat(5_000)).addTo(payload);
        }

        assertThat(payload.length()).isLessThan(2_048 + 100);
        assertThat(PastAttempt.of(payload)).hasSizeBetween(2, 9).last().satisfies(last -> assertThat(last.message())
                .startsWith("11?")
                .hasSizeLessThanOrEqualTo(201));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "7",
                "{}",
                "[7,null,[],{}]",
                "[{\"at\":\"x\"}]",
                "[{\"at\":1.5}]",
                "[{\"at\":-1}]",
                "[{\"at\":9223372036854775807}]",
                "[{\"at\":100000000000000000000}]"
            })
    void foreignValuesAreNoAttempts(String value) {
        Payload payload = payload("{\"class\":\"A\",\"past_attempts\":" + value + "}");

        assertThat(PastAttempt.of(payload)).isEmpty();
        assertThat(PastAttempt.of(attempt(1, "reset").addTo(payload))).containsExactly(attempt(1, "reset"));
    }

    @Test
    void partsThatAreMissingOrStrangeAreEmpty() {
        String stored = "[{\"at\":5,\"waited\":-3,\"ran\":\"x\",\"process\":7,\"error\":[]}]";

        assertThat(PastAttempt.of(payload("{\"past_attempts\":" + stored + "}")))
                .isEqualTo(List.of(new PastAttempt(Instant.ofEpochMilli(5), Duration.ZERO, Duration.ZERO, "", "", "")));
    }
}
