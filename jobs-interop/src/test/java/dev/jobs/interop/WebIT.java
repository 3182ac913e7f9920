package dev.jobs.interop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.Payload;
import dev.jobs.assembly.JobEngine;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each of Sidekiq's web pages works with our jobs and processes, and shows them. */
@NeedsSidekiq
@Tag("sidekiq-20.2")
@Tag("sidekiq-20.3")
class WebIT {

    /** An argument that HTML escaping doesn't change. */
    private static final String ARGUMENT = "argument-é😀";

    @AutoClose
    private static final InteropTestBed bed = new InteropTestBed("web");

    private static final RubyWeb web = bed.web();
    private static final JobEngine engine = bed.patientEngine("java");
    private static final String waiting = enqueued("default");
    private static final String scheduled = Objects.requireNonNull(
            bed.client.queue("default").in(Duration.ofHours(1)).enqueue("Interop::Note", ARGUMENT));
    private static final String failed = Objects.requireNonNull(
            bed.client.queue("java").with("backtrace", 5).tags("our-label").enqueue("Interop::Fail", ARGUMENT));
    private static final String dead = Objects.requireNonNull(
            bed.client.queue("java").retry(0).with("backtrace", true).enqueue("Interop::Fail", ARGUMENT));
    private static final String running = Objects.requireNonNull(bed.client
            .queue("java")
            .tags("our-label")
            .enqueue("Interop::Wait", bed.file("may-end").toString()));

    private static String enqueued(String queue) {
        return Objects.requireNonNull(bed.client.queue(queue).enqueue("Interop::Note", ARGUMENT));
    }

    @BeforeAll
    static void awaitAll() {
        enqueued("other:queue-1.x_y");
        bed.client.queue("java").enqueue("Interop::Note", ARGUMENT);
        bed.awaitIn("retry", failed);
        bed.awaitIn("dead", dead);
        InteropTestBed.await(
                "our process to show what it runs",
                () -> bed.admin.processes().work(bed.admin.processes().all(), 10_000).stream()
                        .anyMatch(work -> running.equals(work.job().jid())));
    }

    @AfterAll
    static void letEnd() throws IOException {
        Files.createFile(bed.file("may-end"));
    }

    private static String page(String path) {
        HttpResponse<String> response = web.get(path);
        assertThat(response.statusCode())
                .as(path + " answered\n" + response.body())
                .isEqualTo(200);
        return response.body();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "busy", "queues", "retries", "scheduled", "morgue", "stats", "stats/queues"})
    void everyListIsThere(String path) {
        page(path);
    }

    @ParameterizedTest
    @NeedsSidekiq8
    @ValueSource(strings = {"metrics", "metrics/Interop::Note", "metrics?period=72h", "profiles"})
    void everyListOfNewerVersionsIsThere(String path) {
        page(path);
    }

    @Test
    void theQueuesAreShownWithOurJobs() {
        assertThat(page("queues")).contains("other:queue-1.x_y").contains(">default<");
        assertThat(page("queues/default")).contains("Interop::Note", ARGUMENT);
        assertThat(page("queues/default?direction=asc")).contains("Interop::Note", ARGUMENT);
        assertThat(page("queues/other:queue-1.x_y")).contains("Interop::Note", ARGUMENT);
        assertThat(page("queues/default")).contains(waiting);
    }

    @Test
    @Tag("sidekiq-13.2")
    @Tag("sidekiq-13.3")
    void ourProcessIsShownWithWhatItRuns() {
        String busy = page("busy");
        String identity = engine.health().identity();
        assertThat(busy).contains(identity, InteropTestBed.TAG, "java");
        if (bed.ruby.isAtLeast(7)) { // older versions look for running jobs under another key
            assertThat(busy).contains(running, "Interop::Wait", "may-end", "our-label");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"retries", "scheduled", "morgue"})
    void theSetsAreShownWithOurJobs(String list) {
        String jid =
                switch (list) {
                    case "retries" -> failed;
                    case "scheduled" -> scheduled;
                    default -> dead;
                };
        String name = list.equals("scheduled") ? "Interop::Note" : "Interop::Fail";
        String page = page(list);
        assertThat(page).contains(name, ARGUMENT, jid);
        Matcher key = Pattern.compile(list + "/([0-9.]+-" + jid + ")").matcher(page);
        assertThat(key.find()).as("a link to the job on " + list).isTrue();
        String details = page(list + "/" + key.group(1));
        assertThat(details).contains(jid, name, ARGUMENT);
        if (!list.equals("scheduled")) {
            assertThat(details)
                    .contains("java.lang.IllegalStateException", "Java can", "JavaJobs.fail", "JavaJobs.java");
        }
    }

    @Test
    @Tag("sidekiq-15")
    void theNumbersAreOurs() {
        Payload stats = InteropTestBed.payload(page("stats"));
        assertThat(stats.get("sidekiq"))
                .asInstanceOf(InstanceOfAssertFactories.map(String.class, Object.class))
                .containsEntry("processed", bed.admin.stats().processed())
                .containsEntry("failed", 2L)
                .containsEntry("busy", 1L)
                .containsEntry("processes", 1L)
                .containsEntry("enqueued", 2L)
                .containsEntry("scheduled", 1L)
                .containsEntry("retries", 1L)
                .containsEntry("dead", 1L);
        assertThat(InteropTestBed.payload(page("stats/queues")).get("default")).isEqualTo(1L);
    }

    @Test
    @NeedsSidekiq8
    @Tag("sidekiq-16")
    void theMetricsAreOurs() {
        InteropTestBed.await("our metrics", () -> page("metrics").contains("metrics/Interop::Note"));
        assertThat(page("metrics?period=72h")).contains("metrics/Interop::Note");
        assertThat(page("metrics/Interop::Note")).contains("Interop::Note");
    }
}
