package dev.jobs.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.metrics.Histogram.Bucket;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HistogramTests {

    private static Histogram histogram(long first, long second, long last) {
        return new Histogram(
                "A",
                List.of(
                        new Bucket(Duration.ofMillis(20), first),
                        new Bucket(Duration.ofMillis(100), second),
                        new Bucket(null, last)));
    }

    @ParameterizedTest
    @CsvSource({"0.1, 4", "0.5, 20", "0.75, 60", "1, 100"})
    void aPercentileLiesInItsBucketAsFarAsItsShare(double share, long millis) {
        assertThat(histogram(10, 10, 0).percentile(share)).isEqualTo(Duration.ofMillis(millis));
    }

    @Test
    void theLastBucketHasNoEndSoItsBeginningIsNamed() {
        assertThat(histogram(1, 0, 99).percentile(0.5)).isEqualTo(Duration.ofMillis(100));
    }

    @Test
    void nothingHasNoPercentiles() {
        assertThat(histogram(0, 0, 0).percentile(0.5)).isNull();
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -1, 1.01, 50, Double.NaN})
    void aShareIsAPart(double share) {
        assertThatThrownBy(() -> histogram(1, 1, 1).percentile(share))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'share'");
    }
}
