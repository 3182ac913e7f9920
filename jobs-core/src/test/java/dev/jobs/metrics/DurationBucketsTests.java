package dev.jobs.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("sidekiq-16")
class DurationBucketsTests {

    @ParameterizedTest
    @CsvSource({
        "0,0",
        "19,0",
        "20,1",
        "29,1",
        "30,2",
        "45,3",
        "65,4",
        "100,5",
        "150,6",
        "225,7",
        "335,8",
        "500,9",
        "750,10",
        "1100,11",
        "1700,12",
        "2500,13",
        "3800,14",
        "5750,15",
        "8500,16",
        "13000,17",
        "20000,18",
        "30000,19",
        "45000,20",
        "65000,21",
        "100000,22",
        "150000,23",
        "225000,24",
        "334999,24",
        "335000,25",
        "9223372036854775807,25"
    })
    void aDurationGoesToTheFirstBoundThatItIsBelow(long millis, int bucket) {
        assertThat(DurationBuckets.of(millis)).isEqualTo(bucket);
    }

    @Test
    void thereAre26AndTheLastHasNoBound() {
        assertThat(DurationBuckets.COUNT).isEqualTo(26);
        assertThat(DurationBuckets.bound(0)).isEqualTo(Duration.ofMillis(20));
        assertThat(DurationBuckets.bound(24)).isEqualTo(Duration.ofSeconds(335));
        assertThat(DurationBuckets.bound(25)).isNull();
        for (int bucket = 0; bucket < 25; bucket++) {
            long bound = DurationBuckets.bound(bucket).toMillis();
            assertThat(DurationBuckets.of(bound - 1)).isEqualTo(bucket);
            assertThat(DurationBuckets.of(bound)).isEqualTo(bucket + 1);
        }
    }
}
