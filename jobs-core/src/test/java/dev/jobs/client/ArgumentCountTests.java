package dev.jobs.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.InvalidJobException;
import dev.jobs.Job;
import dev.jobs.JobRegistry;
import dev.jobs.JobUpcaster;
import dev.jobs.JobUpcaster.Stored;
import dev.jobs.PayloadTimes;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** How many arguments a job of a name may have: as many as its worker takes. */
class ArgumentCountTests {

    static final class Reports {

        @Job(value = "shrunk", ignoredArguments = 1)
        void build(long id) {}

        @Job("reshaped")
        void ship(long order) {}
    }

    private static final JobUpcaster LAST = JobUpcaster.of(
            "reshaped",
            job -> job.arguments().size() == 2
                    ? new Stored("reshaped", List.of(job.arguments().get(1)))
                    : job);

    private final PayloadBuilder builder = new PayloadBuilder(
            JobRegistry.of(new Reports()).withUpcasters(LAST), new SplittableRandom(), PayloadTimes.MILLISECONDS);

    private Object byName(String name, Object... arguments) {
        return builder.build(name, Arrays.asList(arguments), Options.NONE, Instant.EPOCH)
                .get("args");
    }

    private Object given(String name, Object... arguments) {
        return builder.build(Map.of("class", name, "args", Arrays.asList(arguments)), Options.NONE, Instant.EPOCH)
                .get("args");
    }

    @Test
    void ignoredOnesCount() {
        assertThat(byName("shrunk", 7L, "pdf")).isEqualTo(List.of(7L, "pdf"));
        assertThat(given("shrunk", 7L, "pdf")).isEqualTo(List.of(7L, "pdf"));
        assertThatThrownBy(() -> byName("shrunk", 7L, "pdf", 1))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("takes 1 and ignores 1 more but there are 3 arguments");
        assertThatThrownBy(() -> given("shrunk", 7L, "pdf", 1)).isInstanceOf(InvalidJobException.class);
    }

    @Test
    void whatAnUpcasterChangesMayHaveAny() {
        assertThat(byName("reshaped", "DE", 5L)).isEqualTo(List.of("DE", 5L));
        assertThat(given("reshaped", "DE", 5L)).isEqualTo(List.of("DE", 5L));
    }
}
