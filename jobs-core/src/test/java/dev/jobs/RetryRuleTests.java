package dev.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The delays of a rule, and what it makes of members that any program may have written. */
class RetryRuleTests {

    private static final RetryRule RULE = RetryRule.after(Duration.ofSeconds(10));

    /** Nothing is drawn. */
    private static final RandomGenerator NONE = () -> {
        throw new UnsupportedOperationException();
    };

    private static List<String> delays(RetryRule rule, int... counts) {
        return IntStream.of(counts)
                .mapToObj(count -> rule.before(count, NONE).toString())
                .toList();
    }

    @Test
    void delaysAreTheSameOrGrowUpToTheLongest() {
        assertThat(delays(RULE, 0, 1, 999)).containsExactly("PT10S", "PT10S", "PT10S");
        assertThat(delays(RULE.multiplier(2), 0, 1, 2, 3)).containsExactly("PT10S", "PT20S", "PT40S", "PT1M20S");
        assertThat(delays(RULE.multiplier(1.5), 1, 2, 3)).containsExactly("PT15S", "PT22.5S", "PT33.75S");
        assertThat(delays(RULE.multiplier(2).maxDelay(Duration.ofMinutes(1)), 2, 3, 4))
                .containsExactly("PT40S", "PT1M", "PT1M");
        assertThat(delays(RetryRule.after(Duration.ofMillis(700)).multiplier(3), 0, 1, 2))
                .containsExactly("PT0.7S", "PT2.1S", "PT6.3S");
    }

    @Test
    void noDelayIsLongerThanALongestOneCanBe() {
        Duration longest = Duration.ofSeconds(1_000_000_000);

        assertThat(RULE.multiplier(1_000).before(Integer.MAX_VALUE, NONE)).isEqualTo(longest);
        assertThat(RetryRule.after(longest).multiplier(2).before(1, NONE)).isEqualTo(longest);
    }

    @Test
    void jitterGrowsWithTheDelaysAndKeepsThemWithinFirstAndLongest() {
        RetryRule rule = RULE.multiplier(2).maxDelay(Duration.ofSeconds(45)).jitter(Duration.ofSeconds(3));

        assertThat(range(rule, 0)).containsExactly("PT10S", "PT13S");
        assertThat(range(rule, 1)).containsExactly("PT14S", "PT26S");
        assertThat(range(rule, 2)).containsExactly("PT28S", "PT45S");
        assertThat(range(rule, 3)).containsExactly("PT31.5S", "PT45S"); // 45 s, less 3/10 of it
    }

    /** The shortest and the longest delay that may be drawn. */
    private static List<String> range(RetryRule rule, int count) {
        return Stream.of(true, false)
                .map(shortest -> rule.before(count, drawing(shortest)).toString())
                .toList();
    }

    private static RandomGenerator drawing(boolean lowest) {
        return new RandomGenerator() {
            @Override
            public long nextLong() {
                throw new UnsupportedOperationException();
            }

            @Override
            public long nextLong(long bound) {
                return lowest ? 0 : bound - 1;
            }
        };
    }

    @Test
    void jitterDrawsFromTheWholeRange() {
        RetryRule rule = RetryRule.after(Duration.ofMillis(10)).jitter(Duration.ofMillis(3));
        RandomGenerator random = new Random(3);

        assertThat(Stream.generate(() -> rule.before(0, random).toMillis()).limit(200))
                .contains(10L, 11L, 12L, 13L)
                .allSatisfy(each -> assertThat(each).isBetween(10L, 13L));
    }

    @Test
    void valuesOutOfRangeAreRefused() {
        refused(() -> RetryRule.after(Duration.ZERO), "'delay' must be 1 ms to 1,000,000,000 s but was PT0S");
        refused(() -> RULE.multiplier(0.9), "'multiplier' must be 1 to 1,000 but was 0.9");
        refused(() -> RULE.multiplier(Double.NaN), "'multiplier' must be 1 to 1,000 but was NaN");
        refused(() -> RULE.multiplier(1001), "'multiplier' must be 1 to 1,000 but was 1001.0");
        refused(
                () -> RULE.maxDelay(Duration.ofSeconds(9)),
                "'maxDelay' must not be less than the delay of PT10S but was PT9S");
        refused(() -> RULE.jitter(Duration.ofSeconds(-1)), "'jitter' must be 1 ms to 1,000,000,000 s but was PT-1S");
    }

    /** Of these, {@link JobClient#retry(int)} would make a job that is discarded, or one as any other. */
    @ParameterizedTest
    @ValueSource(ints = {Job.NONE, Job.DEFAULT, 1_001, Integer.MIN_VALUE})
    void aNumberOfRetriesIsANumber(int retries) {
        refused(() -> RULE.maxRetries(retries), "'maxRetries' must be 0 to 1,000 but was " + retries);
    }

    @Test
    void mayHaveNoRetriesOrVeryMany() {
        assertThat(RULE.maxRetries(0).maxRetries()).isZero();
        assertThat(RULE.maxRetries(1_000).maxRetries()).isEqualTo(1_000);
    }

    private static void refused(Runnable rule, String message) {
        assertThatThrownBy(rule::run).isInstanceOf(InvalidJobException.class).hasMessage(message);
    }

    private static RetryRule read(String member) {
        return RetryRule.of(Payload.parse(("{\"jobs_retry\":" + member + "}").getBytes(UTF_8)));
    }

    @Test
    void isReadFromAPayload() {
        assertThat(RetryRule.of(Payload.parse("{}".getBytes(UTF_8)))).isNull();
        assertThat(read("{\"delay\":10}")).isEqualTo(RULE);
        assertThat(read("{\"delay\":0.7,\"multiplier\":2,\"max_delay\":60,\"jitter\":0.25}"))
                .isEqualTo(RetryRule.after(Duration.ofMillis(700))
                        .multiplier(2)
                        .maxDelay(Duration.ofMinutes(1))
                        .jitter(Duration.ofMillis(250)));
        assertThat(read("{\"delay\":10,\"of a later version\":true}")).isEqualTo(RULE);
        assertThat(read("{\"delay\":1e-9}")).isEqualTo(RetryRule.after(Duration.ofMillis(1)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "null",
                "5",
                "\"10s\"",
                "[10]",
                "{}",
                "{\"delay\":null}",
                "{\"delay\":\"10\"}",
                "{\"delay\":0}",
                "{\"delay\":-1}",
                "{\"delay\":1e400}",
                "{\"delay\":1000000001}",
                "{\"delay\":99999999999999999999}",
                "{\"delay\":{}}",
                "{\"delay\":10,\"multiplier\":0}",
                "{\"delay\":10,\"multiplier\":\"2\"}",
                "{\"delay\":10,\"multiplier\":[]}",
                "{\"delay\":10,\"max_delay\":9}",
                "{\"delay\":10,\"max_delay\":true}",
                "{\"delay\":10,\"jitter\":-1}"
            })
    void isMissingIfItsMemberIsWrong(String member) {
        assertThat(read(member)).isNull();
    }
}
