package dev.jobs.assembly;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.PayloadTimes;
import dev.jobs.batches.BatchRetention;
import dev.jobs.ends.TimeoutConfig;
import dev.jobs.engine.EngineFeature;
import dev.jobs.limiters.LimiterConfig;
import dev.jobs.limits.LimitConfig;
import dev.jobs.recurring.RecurringConfig;
import dev.jobs.store.DeadSetBounds;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class EngineConfigTests {

    private static final EngineConfig DEFAULTS = EngineConfig.of(5, "default");

    private static final EngineConfig OTHER = new EngineConfig(
            EngineConfig.of(7, "mail").capsules(),
            Duration.ofSeconds(1),
            Duration.ofSeconds(3),
            Duration.ofMillis(300),
            4,
            new DeadSetBounds(5, Duration.ofDays(5)),
            6,
            "tag",
            Duration.ofSeconds(7),
            PayloadTimes.FLOAT_SECONDS,
            "label",
            new RecurringConfig(
                    !RecurringConfig.defaults().enabled(),
                    "other",
                    "application",
                    Duration.ofSeconds(8),
                    RecurringConfig.defaults().queues()),
            new BatchRetention(Duration.ofMinutes(9), Duration.ofMinutes(10)),
            Duration.ofSeconds(11),
            new TimeoutConfig(Duration.ofSeconds(12), Duration.ofSeconds(13)),
            new LimiterConfig(14, Set.of("java.io.IOException"), Duration.ofSeconds(15)),
            new LimitConfig(Map.of(), Map.of("mail", 16)),
            List.of(new EngineFeature() {}));

    @Test
    void keepsEverySettingThatIsNotChanged() throws ReflectiveOperationException {
        EngineConfig copy = OTHER.with(values -> {});

        for (RecordComponent each : EngineConfig.class.getRecordComponents()) {
            Object value = each.getAccessor().invoke(OTHER);
            assertThat(value)
                    .as("another " + each.getName())
                    .isNotEqualTo(each.getAccessor().invoke(DEFAULTS));
            assertThat(each.getAccessor().invoke(copy)).as(each.getName()).isEqualTo(value);
        }
    }
}
