package dev.jobs.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobStoreException;
import dev.jobs.store.ScriptTestBed;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("sidekiq-17")
class DeployMarksIT {

    private static final Instant TIME = Instant.parse("2026-11-21T08:05:42.5Z");

    @AutoClose
    @RegisterExtension
    static final ScriptTestBed bed = new ScriptTestBed();

    private final DeployMarks marks = new DeployMarks(bed.connection, bed.keys);

    @Test
    void aMarkIsStoredAsSidekiqStoresIt() {
        assertThat(marks.mark("abc123 Fix é", TIME)).isTrue();

        assertThat(bed.redis.texts().hgetall("20261121-marks"))
                .isEqualTo(Map.of("2026-11-21T08:05:00Z", "abc123 Fix é"));
        assertThat(bed.redis.texts().get("deploylock-abc123 Fix é")).isEqualTo("2026-11-21T08:05:00Z");
        assertThat(bed.redis.texts().keys("*")).hasSize(2);
        assertThat(bed.redis.texts().ttl("20261121-marks")).isBetween(7_775_990L, 7_776_000L);
        assertThat(bed.redis.texts().ttl("deploylock-abc123 Fix é")).isBetween(55L, 60L);
    }

    @Test
    void manyMarksOfTheSameDeploymentLeaveOne() {
        assertThat(marks.mark("v1", TIME)).isTrue();
        assertThat(marks.mark("v1", TIME)).isFalse();
        assertThat(marks.mark("v1", TIME.plusSeconds(59))).isFalse();
        assertThat(bed.redis.texts().hlen("20261121-marks")).isEqualTo(1);

        bed.redis.texts().del("deploylock-v1"); // a minute later
        assertThat(marks.mark("v1", TIME.plusSeconds(60))).isTrue();
        assertThat(bed.redis.texts().hlen("20261121-marks")).isEqualTo(2);
    }

    @Test
    void theFirstLabelOfAMinuteWins() {
        assertThat(marks.mark("v1", TIME)).isTrue();
        assertThat(marks.mark("v2", TIME)).isFalse();
        assertThat(bed.redis.texts().hvals("20261121-marks")).containsExactly("v1");
    }

    @Test
    void aKeyOfAnotherTypeIsAnErrorThatLeavesNoLock() {
        bed.redis.texts().set("20261121-marks", "text");
        assertThatThrownBy(() -> marks.mark("v1", TIME))
                .isInstanceOfSatisfying(JobStoreException.class, e -> assertThat(e.kind())
                        .isEqualTo(JobStoreException.Kind.WRONG_TYPE));
        assertThat(bed.stored()).containsOnlyKeys("20261121-marks");
    }

    @Test
    void marksOfSeveralDaysAreReadInTheirOrder() {
        bed.redis.texts().hset("20261121-marks", Map.of("2026-11-21T08:05:00Z", "v3", "no time", "x"));
        bed.redis.texts().hset("20261120-marks", Map.of("2026-11-20T23:59:00Z", "v2", "2026-11-20T01:00:00Z", "v1"));
        bed.redis.texts().hset("20261118-marks", Map.of("2026-11-18T01:00:00Z", "v0"));
        bed.redis.texts().set("20261119-marks", "text");

        assertThat(marks.read(LocalDate.parse("2026-11-19"), 3).values()).containsExactly("v1", "v2", "v3");
        assertThat(marks.read(LocalDate.parse("2026-09-01"), 90)).hasSize(4);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a\nb", "a\u0000"})
    void notEveryTextIsALabel(String label) {
        assertThat(DeployMarks.isLabel(label)).isFalse();
        assertThat(List.of("v1", "1.0 é", "x".repeat(200))).allMatch(DeployMarks::isLabel);
        assertThat(DeployMarks.isLabel("x".repeat(201))).isFalse();
    }
}
