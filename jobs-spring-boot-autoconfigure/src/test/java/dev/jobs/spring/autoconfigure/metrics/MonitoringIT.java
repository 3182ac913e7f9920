package dev.jobs.spring.autoconfigure.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobClient;
import dev.jobs.JobListener.Ending;
import dev.jobs.batches.Batches;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.limiters.Limiter;
import dev.jobs.limiters.Limiters;
import dev.jobs.limiters.OverLimitException;
import dev.jobs.spring.autoconfigure.JobsContext;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.io.FileSystemResource;

/** The dashboard and the alerts in docs/monitoring ask for meters that a worker publishes. */
class MonitoringIT {

    private static final Path FOLDER = Path.of("..", "docs", "monitoring");
    private static final Pattern METRIC = Pattern.compile("\\bjobs_[a-z_]+");
    private static final Pattern SAMPLE = Pattern.compile("^(jobs_\\w+)(?:\\{(.*)})? ", Pattern.MULTILINE);
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"");
    private static final Pattern USED_LABELS = Pattern.compile("\\b(?:by|without) \\(([^)]*)\\)");
    private static final Pattern OUTCOME = Pattern.compile("outcome=\"(\\w+)\"");

    /** Labels of targets, and the variable that stands for that of a job's name. */
    private static final Set<String> OF_PROMETHEUS = Set.of("instance", "pod", "shard", "$job_label");

    private static String scraped;

    @BeforeAll
    static void work() {
        PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            ApplicationContextRunner runner = JobsContext.on(redis)
                    .withConfiguration(
                            AutoConfigurations.of(MetricsAutoConfiguration.class, JobsMetricsAutoConfiguration.class))
                    .withBean(Shop.class);
            // A queue that is there when the worker reads the queues for the first time.
            runner.withPropertyValues("jobs.worker.enabled=false")
                    .run(context ->
                            context.getBean(JobClient.class).queue("elsewhere").enqueue(Shop::sell, "pen"));
            runner.withBean(PrometheusMeterRegistry.class, () -> prometheus).run(context -> {
                JobClient jobs = context.getBean(JobClient.class);
                jobs.enqueue(Shop::sell, "pen");
                jobs.throttle("ink", Duration.ofHours(1)).enqueueAll(Shop::sell, List.of("ink", "ink"));
                context.getBean(Batches.class).create("sale", batch -> batch.add(JobCall.of(Shop::sell, "cup")));
                Limiter once = context.getBean(Limiters.class).leaky("erp:5", 1, Duration.ofHours(1));
                once.run(() -> {});
                assertThatThrownBy(() -> once.run(() -> {})).isInstanceOf(OverLimitException.class);
                await().untilAsserted(() -> assertThat(prometheus.scrape())
                        .contains("jobs_batch_duration_seconds_count{")
                        .contains("jobs_limiter_over_total{limiter=\"erp\"} 1.0")
                        .contains("jobs_duplicates_total{job=\"Shop.sell\",queue=\"default\"} 1.0")
                        .contains("jobs_limit_held{limit=\"Shop.sell\"}")
                        .contains("jobs_queue_size{queue=\"elsewhere\"}"));
                scraped = prometheus.scrape();
            });
        }
    }

    @AfterAll
    static void forget() {
        scraped = "";
    }

    @ParameterizedTest
    @ValueSource(strings = {"grafana-dashboard.json", "prometheus-rules.yml"})
    void everyMetricIsPublishedUnderThisName(String file) throws IOException {
        Set<String> published = published();
        assertThat(published).contains("jobs_busy", "jobs_execution_seconds_count");

        assertThat(metrics(file)).hasSizeGreaterThan(5).isSubsetOf(published);
    }

    @ParameterizedTest
    @ValueSource(strings = {"grafana-dashboard.json", "prometheus-rules.yml"})
    void everyLabelIsOneOfAMeter(String file) throws IOException {
        Set<String> labels = new TreeSet<>(OF_PROMETHEUS);
        SAMPLE.matcher(scraped)
                .results()
                .filter(sample -> sample.group(2) != null)
                .flatMap(sample -> LABEL.matcher(sample.group(2)).results())
                .forEach(label -> labels.add(label.group(1)));
        assertThat(labels).contains("queue", "outcome");

        Set<String> used = find(file, USED_LABELS)
                .flatMap(each -> Stream.of(each.group(1).split(", ")))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(used).isNotEmpty().isSubsetOf(labels);
    }

    @Test
    void everyOutcomeIsOne() throws IOException {
        Set<String> outcomes = new TreeSet<>();
        for (Ending ending : Ending.values()) {
            outcomes.add(ending.name().toLowerCase(Locale.ROOT));
        }
        OUTCOME.matcher(scraped).results().forEach(each -> outcomes.add(each.group(1)));

        assertThat(find("prometheus-rules.yml", OUTCOME).map(each -> each.group(1)))
                .isNotEmpty()
                .isSubsetOf(outcomes);
    }

    /** What is published and neither shown nor watched is probably new. */
    @Test
    void everyMeterIsShownOrWatched() throws IOException {
        Set<String> used = new TreeSet<>(metrics("grafana-dashboard.json"));
        used.addAll(metrics("prometheus-rules.yml"));

        assertThat(published().stream().map(MonitoringIT::meter))
                .isSubsetOf(used.stream().map(MonitoringIT::meter).toList());
    }

    /** The name without what distinguishes the series of a timer. */
    private static String meter(String metric) {
        return metric.replaceAll("_(count|sum|max)$", "");
    }

    private static Set<String> published() {
        return SAMPLE.matcher(scraped)
                .results()
                .map(each -> each.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> metrics(String file) throws IOException {
        return find(file, METRIC).map(MatchResult::group).collect(Collectors.toCollection(TreeSet::new));
    }

    private static Stream<MatchResult> find(String file, Pattern pattern) throws IOException {
        return queries(file).stream().flatMap(each -> pattern.matcher(each).results());
    }

    /** JSON is YAML, too. */
    private static List<String> queries(String file) throws IOException {
        return new YamlPropertySourceLoader()
                .load(file, new FileSystemResource(FOLDER.resolve(file))).stream()
                        .map(source -> (EnumerablePropertySource<?>) source)
                        .flatMap(source -> Stream.of(source.getPropertyNames())
                                .filter(name -> name.endsWith(".expr"))
                                .map(name -> String.valueOf(source.getProperty(name))))
                        .toList();
    }

    static class Shop {

        @Job(concurrency = 5)
        void sell(String what) {}
    }
}
