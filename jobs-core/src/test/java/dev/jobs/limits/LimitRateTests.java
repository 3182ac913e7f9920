package dev.jobs.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.Job;
import dev.jobs.JobDefinition;
import dev.jobs.JobDefinitionException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LimitRateTests {

    static final class Calls {

        @Job("call")
        @Limit(name = "api", rate = 100, per = "20s")
        @Limit(name = "shop", key = "{0}", concurrency = 2, rate = 1, per = "1d", burst = 3)
        @Limit(name = "of properties")
        void call(long shop) {}

        @Job
        @Limit(name = "api", rate = -1, per = "1s")
        void negative() {}

        @Job
        @Limit(name = "api", rate = 5)
        void withoutPer() {}

        @Job
        @Limit(name = "api", concurrency = 1, per = "20s")
        void perAlone() {}

        @Job
        @Limit(name = "api", concurrency = 1, burst = 2)
        void burstAlone() {}

        @Job
        @Limit(name = "api", rate = 5, per = "0s")
        void noTime() {}

        @Job
        @Limit(name = "api", rate = 5, per = "soon")
        void soon() {}

        @Job
        @Limit(name = "api", rate = 5, per = "1s", burst = -1)
        void negativeBurst() {}

        @Job
        @Limit(name = "api", rate = 1, per = "365d", burst = 1000)
        void centuries() {}
    }

    private static JobDefinition job(String name) {
        for (Method each : Calls.class.getDeclaredMethods()) {
            if (each.getName().equals(name)) {
                return JobDefinition.of(
                        each.getAnnotation(Job.class),
                        Calls.class,
                        each,
                        Arrays.asList(each.getGenericParameterTypes()),
                        arguments -> null);
            }
        }
        throw new AssertionError(name);
    }

    @Test
    void anAnnotationMayHaveARate() {
        assertThat(LimitRules.of(job("call")))
                .extracting(LimitRule::rate)
                .containsExactly(
                        LimitRate.of(100, Duration.ofSeconds(20)), new LimitRate(1, Duration.ofDays(1), 3), null);
        assertThat(LimitRules.of(job("call")))
                .extracting(LimitRule::concurrency)
                .containsExactly(null, 2, null);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "negative | its @Limit 'api' has a rate that can't work: 'rate' must be 1 to 1000000 but was -1",
                "withoutPer | its @Limit 'api' has a rate of 5 but no per, such as per = \"20s\"",
                "perAlone | its @Limit 'api' has a per but no rate",
                "burstAlone | its @Limit 'api' has a burst but no rate",
                "noTime | rate that can't work: 'per' must be 1 ms to 365 days but was PT0S",
                "soon | its @Limit 'api' has the per 'soon', but it needs numbers with h, m, s and ms",
                "negativeBurst | rate that can't work: 'burst' must be 1 to 1000000 but was -1",
                "centuries | a burst of 1000 is there again after more than 100 years"
            })
    void aRateThatCanNotWorkFailsTheStart(String method, String reason) {
        assertThatThrownBy(() -> job(method))
                .isInstanceOf(JobDefinitionException.class)
                .hasMessageContaining(method)
                .hasMessageContaining(reason);
    }

    @Test
    void ofTwoTheSlowerOneCounts() {
        LimitRate slow = new LimitRate(1, Duration.ofSeconds(10), 5);
        LimitRate fast = LimitRate.of(100, Duration.ofMinutes(10));
        assertThat(slow.orSlower(fast)).isEqualTo(slow);
        assertThat(fast.orSlower(slow)).isEqualTo(slow);
        LimitRate even = new LimitRate(60, Duration.ofMinutes(10), 1);
        assertThat(slow.orSlower(even)).isEqualTo(even);
        assertThat(even.orSlower(slow)).isEqualTo(even);
    }

    @Test
    void itIsWrittenAsPeopleDo() {
        assertThat(LimitRate.of(100, Duration.ofSeconds(20))).hasToString("100 per 20s");
        assertThat(new LimitRate(5, Duration.ofMinutes(90), 1)).hasToString("5 per 1h30m, burst 1");
    }
}
