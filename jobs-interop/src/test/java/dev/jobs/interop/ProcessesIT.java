package dev.jobs.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.JobHooks;
import dev.jobs.admin.ProcessInfo;
import dev.jobs.admin.QueueInfo;
import dev.jobs.admin.Stats;
import dev.jobs.admin.WorkInfo;
import dev.jobs.assembly.EngineHealth.State;
import dev.jobs.assembly.JobEngine;
import dev.jobs.engine.CapsuleConfig;
import dev.jobs.metrics.History;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each side sees the processes, running jobs and numbers of the other, and controls its processes. */
@NeedsSidekiq
class ProcessesIT {

    @AutoClose
    private static final InteropTestBed bed = new InteropTestBed("processes");

    private static final RubyApi api = bed.api();
    private static final RubyWorker ruby =
            bed.rubyWorker("worker", "-q", "ruby,2", "-q", "ruby-low,1", "-c", "3", "-g", "their tag");
    private static final JobEngine engine = bed.engine(
            JobHooks.none(),
            CapsuleConfig.of("default", 4, List.of("java,2", "java-low,1")),
            CapsuleConfig.of("extra", 2, List.of("extra")));

    /** A Java process as Ruby shows it, once it does. */
    private static Map<String, Object> awaitInRuby(JobEngine ours) {
        InteropTestBed.await("Ruby to show our process", () -> inRuby(ours) != null);
        return Objects.requireNonNull(inRuby(ours));
    }

    private static Map<String, Object> inRuby(JobEngine ours) {
        return api.objects("processes").stream()
                .filter(process -> ours.health().identity().equals(process.get("identity")))
                .findFirst()
                .orElse(null);
    }

    /** A Ruby process as Java shows it, once it does. */
    private static ProcessInfo awaitInJava(RubyWorker theirs) {
        InteropTestBed.await("our administration to show Ruby's process", () -> bed.admin.processes().all().stream()
                .anyMatch(process -> process.pid() == theirs.pid()));
        return bed.admin.processes().all().stream()
                .filter(process -> process.pid() == theirs.pid())
                .findFirst()
                .orElseThrow();
    }

    @Test
    @Tag("sidekiq-13.1")
    @Tag("sidekiq-13.2")
    @Tag("sidekiq-6")
    void rubyShowsOurProcess() throws IOException {
        Map<String, Object> shown = awaitInRuby(engine);
        double now = System.currentTimeMillis() / 1_000.0;
        assertThat(shown)
                .containsEntry("hostname", InetAddress.getLocalHost().getHostName())
                .containsEntry("pid", ProcessHandle.current().pid())
                .containsEntry("concurrency", 6L)
                .containsEntry("queues", List.of("java", "java-low", "extra"))
                .containsEntry("labels", List.of())
                .containsEntry("tag", InteropTestBed.TAG)
                .containsEntry("stopping", false)
                .containsEntry("embedded", false);
        assertThat((String) shown.get("version")).isNotEmpty();
        assertThat((Long) shown.get("rss")).isGreaterThan(10_000); // KiB
        assertThat((Long) shown.get("rtt_us")).isBetween(1L, 1_000_000L);
        assertThat((Double) shown.get("beat")).isBetween(now - 60, now + 1);
        assertThat((Double) shown.get("started_at")).isBetween(now - 600, now + 1);
        assertThat(shown.get("capsules"))
                .isEqualTo(Map.of(
                        "default",
                        Map.of("concurrency", 4L, "mode", "weighted", "weights", Map.of("java", 2L, "java-low", 1L)),
                        "extra",
                        Map.of("concurrency", 2L, "mode", "strict", "weights", Map.of("extra", 0L))));
        assertThat(shown.get("weights")).isEqualTo(List.of(Map.of("java", 2L, "java-low", 1L), Map.of("extra", 0L)));
    }

    @Test
    @Tag("sidekiq-13.1")
    @Tag("sidekiq-13.2")
    void javaShowsRubysProcess() throws IOException {
        ProcessInfo shown = awaitInJava(ruby);
        assertThat(shown.hostname()).isEqualTo(InetAddress.getLocalHost().getHostName());
        assertThat(shown.identity()).startsWith(shown.hostname() + ":" + ruby.pid() + ":");
        assertThat(shown.concurrency()).isEqualTo(3);
        assertThat(shown.queues()).containsExactlyInAnyOrder("ruby", "ruby-low");
        assertThat(shown.labels()).containsExactly("reliable");
        assertThat(shown.tag()).isEqualTo("their tag");
        assertThat(shown.quiet()).isFalse();
        assertThat(shown.embedded()).isFalse();
        assertThat(shown.leader()).isFalse();
        assertThat(shown.memory()).isGreaterThan(10_000_000);
        assertThat(shown.rtt()).isPositive();
        Instant now = Instant.now();
        assertThat(shown.beat()).isBetween(now.minusSeconds(60), now.plusSeconds(1));
        assertThat(shown.startedAt()).isBetween(now.minusSeconds(600), now.plusSeconds(1));
        if (bed.ruby.isAtLeast(8)) {
            assertThat(shown.version()).isEqualTo(bed.ruby.version());
            assertThat(shown.capsules())
                    .containsExactly(
                            new ProcessInfo.Capsule("default", 3, "weighted", Map.of("ruby", 2, "ruby-low", 1)));
        }
    }

    @Test
    @Tag("sidekiq-13.3")
    void rubyShowsWhatWeRun() throws IOException {
        Path file = bed.file("java-may-end");
        String jid = bed.client.queue("java").enqueue("Interop::Wait", file.toString());
        InteropTestBed.await("Ruby to see that we are busy", () -> Long.valueOf(1)
                .equals(awaitInRuby(engine).get("busy")));
        assertThat((Long) api.call("busy")).isPositive();
        List<Map<String, Object>> work = api.objects("work");
        if (bed.ruby.isAtLeast(7)) { // older versions read another key
            assertThat(work)
                    .filteredOn(each -> jid.equals(each.get("jid")))
                    .singleElement()
                    .satisfies(each -> {
                        assertThat(each)
                                .containsEntry("identity", engine.health().identity())
                                .containsEntry("queue", "java");
                        assertThat(System.currentTimeMillis() / 1_000 - (Long) each.get("run_at"))
                                .isBetween(0L, 60L);
                    });
        }
        Files.createFile(file);
        bed.awaitPerformed(Objects.requireNonNull(jid));
        InteropTestBed.await("Ruby to see that we are idle", () -> Long.valueOf(0)
                .equals(awaitInRuby(engine).get("busy")));
    }

    @Test
    @Tag("sidekiq-13.3")
    void javaShowsWhatRubyRuns() throws IOException {
        Path file = bed.file("ruby-may-end");
        String jid = api.enqueue("ruby", "Interop::Wait", file.toString());
        InteropTestBed.await(
                "our administration to see that Ruby is busy",
                () -> awaitInJava(ruby).busy() == 1);
        if (bed.ruby.isAtLeast(7)) { // older versions write another key
            WorkInfo work = bed.admin.processes().work(bed.admin.processes().all(), 10_000).stream()
                    .filter(each -> jid.equals(each.job().jid()))
                    .findFirst()
                    .orElseThrow();
            assertThat(work.process()).isEqualTo(awaitInJava(ruby).identity());
            assertThat(work.queue()).isEqualTo("ruby");
            Instant now = Instant.now();
            assertThat(work.runAt()).isBetween(now.minusSeconds(60), now.plusSeconds(1));
        }
        Files.createFile(file);
        ruby.awaitPerformed(jid);
    }

    @Test
    @Tag("sidekiq-13.5")
    @Tag("sidekiq-14")
    void rubyQuietsAndStopsOurProcess() {
        JobEngine ending = bed.engine("java-ending");
        String identity = awaitInRuby(ending).get("identity").toString();
        api.call("quiet", identity);
        InteropTestBed.await("our process to be quiet", () -> ending.health().state() == State.QUIET);
        InteropTestBed.await(
                "Ruby to see it", () -> Boolean.TRUE.equals(awaitInRuby(ending).get("stopping")));
        String left = bed.client.queue("java-ending").enqueue("Interop::Note", 1);
        api.call("stop", identity);
        InteropTestBed.await("our process to end", () -> ending.health().state() == State.STOPPED);
        assertThat(api.objects("processes")).noneMatch(process -> identity.equals(process.get("identity")));
        assertThat(api.jids("queue", "java-ending")).containsExactly(left);
    }

    @Test
    @Tag("sidekiq-13.5")
    @Tag("sidekiq-14")
    void javaQuietsAndStopsRubysProcess() {
        RubyWorker ending = bed.rubyWorker("ending", "-q", "ruby-ending", "-c", "1");
        String identity = awaitInJava(ending).identity();
        assertThat(bed.admin.processes().quiet(identity)).isTrue();
        InteropTestBed.await(
                "Ruby's process to be quiet", () -> awaitInJava(ending).quiet());
        String left = api.enqueue("ruby-ending", "Interop::Note", 1);
        assertThat(bed.admin.processes().stop(identity)).isTrue();
        assertThat(ending.awaitEnd(InteropTestBed.PATIENCE)).isTrue();
        assertThat(bed.admin.processes().all())
                .noneMatch(process -> process.identity().equals(identity));
        assertThat(bed.queued("ruby-ending", left)).hasSize(1);
    }

    @Test
    @Tag("sidekiq-15")
    void bothSidesCountAndReadTheSameNumbers() {
        Stats before = bed.admin.stats();
        for (int i = 0; i < 5; i++) {
            bed.client.queue("java").enqueue("Interop::Note", i);
            api.enqueue("ruby", "Interop::Note", i);
        }
        bed.client.queue("java").enqueue("Interop::Fail", 1);
        api.enqueue("ruby", "Interop::Fail", 1);
        await("both to have counted").atMost(InteropTestBed.PATIENCE).untilAsserted(() -> {
            Stats after = bed.admin.stats();
            assertThat(after.processed() - before.processed()).isGreaterThanOrEqualTo(12);
            assertThat(after.failed() - before.failed()).isEqualTo(2);
            Map<String, Object> theirs = api.object("stats");
            assertThat(theirs)
                    .containsEntry("processed", after.processed())
                    .containsEntry("failed", after.failed())
                    .containsEntry("enqueued", after.enqueued())
                    .containsEntry("scheduled_size", after.scheduled())
                    .containsEntry("retry_size", after.retries())
                    .containsEntry("dead_size", after.dead())
                    .containsEntry("processes_size", (long) after.processes())
                    .containsEntry("workers_size", after.busy());
            Map<String, Object> days = api.object("history", 3);
            History ours = bed.admin.metrics().history(3);
            assertThat(days)
                    .containsEntry("processed", byDay(ours, History.Day::processed))
                    .containsEntry("failed", byDay(ours, History.Day::failed));
        });
    }

    private static Map<String, Long> byDay(History history, Function<History.Day, Long> number) {
        return history.days().stream()
                .collect(Collectors.toMap(day -> day.date().toString(), number));
    }

    @Test
    @Tag("sidekiq-28")
    void rubyShowsWhichProcessLeads() {
        InteropTestBed.await(
                "Ruby to see our leader", () -> engine.health().identity().equals(api.call("leader")));
        assertThat(awaitInJava(ruby).leader()).isFalse();
    }

    @Test
    @NeedsSidekiq8
    @Tag("sidekiq-28")
    void rubyShowsWhichQueuesWePaused() {
        bed.client.queue("held").enqueue("Interop::Note", 1);
        bed.admin.queues().pause("held");
        assertThat(api.call("paused")).isEqualTo(List.of("held"));
        bed.admin.queues().resume("held");
        assertThat(api.call("paused")).isEqualTo(List.of());
    }

    @Test
    @Tag("sidekiq-20.1")
    void bothSidesMeasureTheSameQueues() {
        bed.client.queue("idle").enqueue("Interop::Note", 1);
        api.enqueue("idle", "Interop::Note", 2);
        assertThat(bed.admin.queues().find("idle")).get().satisfies(queue -> {
            assertThat(queue.size()).isEqualTo(2);
            assertThat(queue.latency()).isBetween(Duration.ZERO, Duration.ofSeconds(60));
        });
        api.enqueue("idle-too", "Interop::Note", 1);
        QueueInfo theirs = bed.admin.queues().find("idle-too").orElseThrow();
        assertThat(theirs.latency()).isBetween(Duration.ZERO, Duration.ofSeconds(60));
        Map<String, Object> queues = api.object("queues");
        assertThat(queues.keySet()).containsAll(List.of("idle", "idle-too"));
        Map<?, ?> idle = (Map<?, ?>) Objects.requireNonNull(queues.get("idle"));
        assertThat(idle.get("size")).isEqualTo(2L);
        if (bed.ruby.isAtLeast(8)) { // older versions take our milliseconds for seconds
            assertThat((Double) idle.get("latency")).isBetween(0.0, 60.0);
        }
    }
}
