package dev.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("sidekiq-5")
@Tag("sidekiq-30")
class PayloadTimesTests {

    private static String text(PayloadTimes times, Instant time) {
        return new String(Payload.of(Map.of("t", times.of(time))).raw("t"), UTF_8);
    }

    @ParameterizedTest
    @CsvSource({
        "1795237556186, 1795237556.186",
        "1795237556000, 1795237556.0",
        "1700000000000, 1700000000.0",
        "1795237556100, 1795237556.1",
        "1795237556001, 1795237556.001",
        "0, 0.0",
        "1, 0.001",
        "253402300799999, 253402300799.999"
    })
    void secondsArePlainDecimalsAndMillisecondsPlainIntegers(long millis, String seconds) {
        Instant time = Instant.ofEpochMilli(millis);
        assertThat(text(PayloadTimes.FLOAT_SECONDS, time)).isEqualTo(seconds);
        assertThat(text(PayloadTimes.MILLISECONDS, time)).isEqualTo(Long.toString(millis));
    }

    @Test
    void bothAreReadAsWhatTheyWere() {
        for (long millis = 1_795_237_556_000L; millis < 1_795_237_557_000L; millis++) {
            Instant time = Instant.ofEpochMilli(millis);
            for (PayloadTimes times : PayloadTimes.values()) {
                assertThat(Payload.of(Map.of("t", times.of(time))).time("t")).isEqualTo(time);
            }
        }
    }

    @Test
    void fractionsOfAMillisecondAreCutOff() {
        Instant time = Instant.ofEpochMilli(1_795_237_556_186L).plusNanos(999_999);
        assertThat(text(PayloadTimes.FLOAT_SECONDS, time)).isEqualTo("1795237556.186");
    }
}
