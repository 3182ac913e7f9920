package dev.jobs.dashboard.assembly;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.dashboard.Figures;
import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.dashboard.RunningDashboard.Reply;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.springframework.data.redis.core.RedisCallback;

/** A request of each route of the dashboard, for what {@link Volume} has filled it with. */
final class EveryRoute {

    static final String[] PROPERTIES = {
        "jobs.worker.enabled=false",
        "jobs.dashboard.access=local",
        "jobs.history.enabled=true",
        "jobs.ordered-queues.ordered=fair",
        "spring.data.redis.timeout=60s"
    };

    /** Size, type and next job of each queue, and a little. */
    static final long COMMANDS_OF_A_PAGE = 6L * Volume.QUEUES;

    static final long COMMANDS_OF_A_STEP = 100_000;

    private final RunningDashboard dashboard;
    private final Figures figures;

    EveryRoute(RunningDashboard dashboard, Figures figures) {
        this.dashboard = dashboard;
        this.figures = figures;
    }

    /** What pages read. Each route is here, or among the {@link #acts actions}. */
    static Stream<String> pages() {
        return Stream.of(
                "/api/session",
                "/api/overview?days=180",
                "/api/queues",
                "/api/queues?from=4900&size=100",
                "/api/queues?sort=size&size=100",
                "/api/queues?sort=latency",
                "/api/queues?text=tenant-49",
                "/api/queue?name=large1",
                "/api/queue?name=ordered",
                "/api/jobs?place=queue&queue=default",
                "/api/jobs?place=queue&queue=default&from=500000",
                "/api/jobs?place=queue&queue=default&order=newest&text=nowhere",
                "/api/jobs?place=queue&queue=default&from=999975&size=100",
                "/api/jobs?place=queue&queue=ordered&from=50000&size=100",
                "/api/jobs?place=scheduled&from=50000",
                "/api/jobs?place=retries&from=99900",
                "/api/jobs?place=retries&size=100",
                "/api/jobs?place=retries&text=nowhere",
                "/api/jobs?place=retries&order=turned&from=50000&since=4000000000100&until=4000000000800",
                "/api/jobs?place=retries&error=nowhere",
                "/api/jobs?place=dead&from=99990",
                "/api/count?place=retries&cause=E1",
                "/api/count?place=queue&queue=default&text=x",
                "/api/failures",
                "/api/failures?place=dead",
                "/api/find?jid=nowhere",
                "/api/find?jid=d50000",
                "/api/job?place=running&process=worker-7d9f8b6c5d-1:1:0123456789ab&thread=t1",
                "/api/job?place=ended&jid=q1",
                "/api/progress?jid=q1",
                "/api/retry?name=Jobs.sell&failures=3&retry=false&time=60",
                "/api/last-word?name=Jobs.sell",
                "/api/trash?from=8990",
                "/api/known",
                "/api/known/job?name=Jobs.sell",
                "/api/metrics?hours=72",
                "/api/metric?hours=72&job=Job1",
                "/api/metric?hours=72&queue=queue1",
                "/api/executions?hours=24",
                "/api/recurring",
                "/api/recurring/changes",
                "/api/recurring/history?name=nightly-1",
                "/api/recurring/one?name=nightly-1",
                "/api/recurring/slots?schedule=0+5+*+*+*",
                "/api/batches",
                "/api/batches?from=2990",
                "/api/batches?text=nothing",
                "/api/batch?id=" + Volume.BATCH,
                "/api/batch/field?id=" + Volume.BATCH,
                "/api/batch/failures?id=" + Volume.BATCH,
                "/api/batch/jobs?id=" + Volume.BATCH + "&state=lost",
                "/api/batch/wait?id=" + Volume.BATCH,
                "/api/history/tasks?tag=seller:3",
                "/api/history/task?id=h77",
                "/api/history/jobs?states=failed",
                "/api/history/jobs?task=h77&order=ended",
                "/api/history/jobs?text=nothing",
                "/api/history/job?jid=e99999",
                "/api/busy",
                "/api/busy?text=nowhere",
                "/api/busy?from=1475&processes=275",
                "/api/stack?process=worker-7d9f8b6c5d-1:1:0123456789ab&thread=t1",
                "/api/limits",
                "/api/limit?name=erp",
                "/api/limit/key?name=erp&key=shop+5",
                "/api/limiters",
                "/api/limiters?name=api-1",
                "/api/locks",
                "/api/locks?job=Jobs.sell&key=x");
    }

    /** What people do, in an order in which each finds what it is about. */
    static Stream<Act> acts() {
        String process = "worker-7d9f8b6c5d-299:1:0123456789ab";
        Map<String, Object> one = Map.of("place", "queue", "queue", "default");
        return Stream.of(
                new Act("queue/pause", Map.of("queue", "tenant-1")),
                new Act("queue/resume", Map.of("queue", "tenant-1")),
                new Act("queue/clear", Map.of("queue", "tenant-2", "undo", "volume-1")),
                new Act("undo", Map.of("batch", "volume-1")),
                new Act(
                        "jobs/delete",
                        Map.of("place", "retries", "matching", Map.of("cause", "E2"), "undo", "volume-2")),
                new Act(
                        "jobs/delete",
                        "/api/jobs?place=queue&queue=default&size=1&from=500",
                        with(one, "undo", "volume-3")),
                new Act("jobs/kill", "/api/jobs?place=scheduled&size=1&from=50", Map.of("place", "scheduled")),
                new Act(
                        "jobs/reschedule",
                        "/api/jobs?place=scheduled&size=1&from=51",
                        Map.of("place", "scheduled", "at", 5_000_000_000_000L)),
                new Act("jobs/run", "/api/jobs?place=scheduled&size=1&from=52", Map.of("place", "scheduled")),
                new Act(
                        "jobs/move",
                        "/api/jobs?place=queue&queue=default&size=1&from=900",
                        with(one, "to", "tenant-3")),
                new Act(
                        "jobs/move",
                        Map.of("place", "queue", "queue", "tenant-4", "to", "tenant-3", "matching", Map.of())),
                new Act(
                        "jobs/again",
                        "/api/jobs?place=scheduled&size=1&from=53",
                        Map.of("place", "scheduled", "arguments", List.of("\"y\""), "check", true)),
                new Act("enqueue", Map.of("job", "Jobs.sell", "arguments", List.of("\"x\""), "to", "tenant-5")),
                new Act("enqueue/undo", Map.of("jid", "t6", "queue", "tenant-6")),
                new Act("trash/restore", Map.of("ids", List.of("0123456789"))),
                new Act("process/quiet", Map.of("identity", process)),
                new Act("process/stop", Map.of("identity", process)),
                new Act("processes/quiet", Map.of()),
                new Act("processes/stop", Map.of()),
                new Act("running/cancel", Map.of("jid", "w1-1")),
                new Act("stack", Map.of("process", process, "thread", "t1")),
                new Act("recurring/pause", Map.of("name", "nightly-1")),
                new Act("recurring/resume", Map.of("name", "nightly-1")),
                new Act("recurring/run", Map.of("name", "nightly-1")),
                new Act(
                        "recurring/save",
                        "/api/recurring/one?name=nightly-1",
                        Map.of("name", "nightly-1", "schedule", "0 5 * * *", "arguments", List.of("\"x\""))),
                new Act("recurring/delete", Map.of("name", "nightly-2")),
                new Act("recurring/undo", Map.of("name", "nightly-2", "undo", "0", "version", "0")),
                new Act("limit/set", Map.of("name", "limit-1", "concurrency", 7)),
                new Act("limit/rate", Map.of("name", "limit-1", "rate", 7, "per", 1_000)),
                new Act("limit/reset", Map.of("name", "limit-1")),
                new Act("limiter/resize", Map.of("kind", "window", "name", "api-1", "size", 7)),
                new Act("limiter/reset", Map.of("kind", "window", "name", "api-1")),
                new Act("lock/release", Map.of("digest", "0".repeat(42) + "1", "holder", "q1")),
                new Act("batch/retry", Map.of("id", Volume.BATCH)),
                new Act("batch/close", Map.of("id", "0000000000000001")),
                new Act("batch/cancel", Map.of("id", "0000000000000002")),
                new Act("batch/audit", Map.of("id", "0000000000000003")),
                new Act("trash/empty", Map.of()));
    }

    private static Map<String, Object> with(Map<String, Object> all, String name, Object value) {
        Map<String, Object> more = new LinkedHashMap<>(all);
        more.put(name, value);
        return more;
    }

    /**
     * An action.
     *
     * @param about a list whose first job it is about, or what is changed; empty if its body says all
     */
    record Act(String path, String about, Map<String, Object> body) {

        Act(String path, Map<String, Object> body) {
            this(path, "", body);
        }
    }

    /** Does all of them, and returns what was refused. */
    List<String> actOnAll(long mostCommands) {
        List<String> refused = new ArrayList<>();
        acts().forEach(act -> {
            Map<String, Object> body = act.about().isEmpty() ? act.body() : body(act);
            Reply reply = bounded(
                    "POST " + act.path() + " " + act.body(),
                    () -> dashboard.post("/api/" + act.path(), body),
                    mostCommands);

            if (reply.status() != 200) {
                refused.add(act + ": " + reply.text());
            }
        });
        return refused;
    }

    private Map<String, Object> body(Act act) {
        return switch (act.path()) {
            case "jobs/again" -> with(act.body(), "key", onlyKey(act.about()));
            case "recurring/save" ->
                with(
                        act.body(),
                        "version",
                        dashboard.get(act.about()).at("/version").asString());
            default -> with(act.body(), "keys", List.of(onlyKey(act.about())));
        };
    }

    /** Steps of actions on very many jobs may make more calls than a page does. */
    Reply bounded(String what, Supplier<Reply> call, long mostCommands) {
        long bytes = sent("total_net_output_bytes");
        long commands = sent("total_commands_processed");
        long start = System.nanoTime();
        Reply reply = call.get();
        double millis = millis(start);
        bytes = sent("total_net_output_bytes") - bytes;
        commands = sent("total_commands_processed") - commands;
        figures.add(what, millis, reply.raw().body().length, bytes, commands);
        assertThat(bytes).as("bytes from Redis").isLessThan(mostCommands * 250);
        assertThat(commands).as("commands to Redis").isLessThan(mostCommands);
        return reply;
    }

    private static double millis(long since) {
        return (System.nanoTime() - since) / 1_000_000.0;
    }

    /** The key of the first job of a list. A slow machine ends a longer one early, but never before its first job. */
    String onlyKey(String path) {
        Reply list = dashboard.get(path);
        assertThat(list.at("/items").size()).as(list.text()).isEqualTo(1);
        return list.at("/items/0/key").asString();
    }

    /** A counter of Redis. */
    long sent(String counter) {
        Properties stats = dashboard.redis().execute((RedisCallback<Properties>)
                connection -> connection.serverCommands().info("stats"));
        return Long.parseLong(stats.getProperty(counter));
    }
}
