package dev.jobs.dashboard.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.admin.Stats;
import dev.jobs.dashboard.metrics.MetricsApi;
import dev.jobs.dashboard.web.ListView;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;

/** Answers are made of records, in whatever package they are. */
class DashboardHintsTests {

    @Test
    void recordsOfAllFeaturesAreRegistered() {
        RuntimeHints hints = new RuntimeHints();
        new DashboardHints().registerHints(hints, getClass().getClassLoader());

        List<Class<?>> ofAFeature = Stream.of(MetricsApi.class.getDeclaredClasses())
                .filter(Class::isRecord)
                .toList();
        assertThat(ofAFeature).isNotEmpty();
        assertThat(Stream.concat(Stream.of(ListView.class, Stats.class), ofAFeature.stream()))
                .allMatch(
                        type -> RuntimeHintsPredicates.reflection().onType(type).test(hints));
    }

    @Test
    void theActuatorIsFoundByName() {
        RuntimeHints hints = new RuntimeHints();
        new DashboardHints().registerHints(hints, getClass().getClassLoader());

        assertThat(RuntimeHintsPredicates.reflection().onType(ManagementPortType.class))
                .accepts(hints);
    }
}
