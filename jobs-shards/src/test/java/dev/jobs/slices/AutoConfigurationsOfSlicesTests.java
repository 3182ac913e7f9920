package dev.jobs.slices;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.test.AutoConfigureJobs;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;

/** What a part of an application lacks of this library, it lacks for a reason. */
class AutoConfigurationsOfSlicesTests {

    private static final String WATCHES = "watches jobs from outside, which Spring Boot turns off in tests";
    private static final String PAGES = "is for people, and a test of its pages has the whole application";
    private static final String DATABASE = "keeps for years what workers did";

    private static final Map<String, String> LEFT_OUT = Map.ofEntries(
            Map.entry("dev.jobs.dashboard.assembly.DashboardAutoConfiguration", PAGES),
            Map.entry("dev.jobs.dashboard.assembly.DashboardElsewhereAutoConfiguration", PAGES),
            Map.entry("dev.jobs.shards.dashboard.ShardsDashboardAutoConfiguration", PAGES),
            Map.entry("dev.jobs.spring.autoconfigure.endpoint.JobsEndpointAutoConfiguration", WATCHES),
            Map.entry("dev.jobs.spring.autoconfigure.health.JobsHealthAutoConfiguration", WATCHES),
            Map.entry("dev.jobs.spring.autoconfigure.metrics.JobsMetricsAutoConfiguration", WATCHES),
            Map.entry("dev.jobs.spring.autoconfigure.metrics.JobsObservationAutoConfiguration", WATCHES),
            Map.entry("dev.jobs.shards.spring.ShardsEndpointAutoConfiguration", WATCHES),
            Map.entry("dev.jobs.shards.spring.ShardsHealthAutoConfiguration", WATCHES),
            Map.entry("dev.jobs.history.JobsHistoryAbsence", DATABASE),
            Map.entry("dev.jobs.history.JobsHistoryAutoConfiguration", DATABASE),
            Map.entry("dev.jobs.history.JobsHistoryTurnedOff", DATABASE),
            Map.entry(
                    "dev.jobs.embeddedredis.autoconfigure.EmbeddedRedisAutoConfiguration",
                    "starts a Redis for the application, and the test kit has its own"));

    @Test
    void eachIsThereOrLeftOutForAReason() {
        Set<String> named = new TreeSet<>(LEFT_OUT.keySet());
        named.addAll(ofSlices());
        named.remove("dev.jobs.test.JobsTestAutoConfiguration");

        assertThat(named)
                .containsExactlyElementsOf(
                        new TreeSet<>(ImportCandidates.load(AutoConfiguration.class, null).getCandidates().stream()
                                .filter(each -> each.startsWith("dev.jobs."))
                                .toList()));
        assertThat(LEFT_OUT.keySet()).doesNotContainAnyElementsOf(ofSlices());
    }

    private static List<String> ofSlices() {
        return ImportCandidates.load(AutoConfigureJobs.class, null).getCandidates().stream()
                .map(each -> each.replaceFirst("^optional:", ""))
                .toList();
    }
}
