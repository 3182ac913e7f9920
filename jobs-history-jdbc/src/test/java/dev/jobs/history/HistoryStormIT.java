package dev.jobs.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.batches.BatchJob;
import dev.jobs.batches.BatchPage;
import dev.jobs.batches.BatchStatus;
import dev.jobs.batches.Batches;
import dev.jobs.databases.ChildJvm;
import dev.jobs.databases.Database;
import dev.jobs.databases.NeedsPostgres;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.proof.LongTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Processes that run batches and write their history are killed at random moments, on PostgreSQL: what the history says
 * of each finished batch is what Redis says. {@code -Djobs.history.kills=50 -Djobs.history.batches=100
 * -Djobs.history.size=1000} sets the number of kills, of batches, and of the jobs of each.
 */
class HistoryStormIT {

    private static final int KILLS = Integer.getInteger("jobs.history.kills", 4);
    private static final int BATCHES = Integer.getInteger("jobs.history.batches", 8);
    private static final int SIZE = Integer.getInteger("jobs.history.size", 200);
    private static final int PROCESSES = 2;
    private static final int LONGEST_LIFE_MILLIS = 3_000;

    @Test
    @LongTest
    @NeedsPostgres
    @Timeout(value = 60, unit = TimeUnit.MINUTES) // for many kills
    void theHistoryEqualsRedis() throws Exception {
        try (Database database = Database.postgres();
                EmbeddedRedis redis = EmbeddedRedis.start()) {
            database.run("dev/jobs/history/postgresql/R__jobs_history_001.sql");
            ChildJvm.storm(KILLS, PROCESSES, seed -> runAndKill(database, redis, seed));
            try (ConfigurableApplicationContext last =
                    StormProcess.start(database.url(), Integer.toString(redis.port()))) {
                compare(last, new JdbcTemplate(database.source()));
            }
        }
    }

    private static void compare(ConfigurableApplicationContext app, JdbcTemplate jdbc) {
        Batches batches = app.getBean(Batches.class);
        StringRedisTemplate redis = app.getBean(StringRedisTemplate.class);
        Random random = new Random(KILLS);
        long behind = jdbc.queryForObject(
                "select count(*) from jobs_event where status in ('ENQUEUED', 'RETRYING')", Long.class);
        while (committed(batches, redis).size() < BATCHES) {
            StormProcess.create(app, random, SIZE);
        }
        List<BatchStatus> all = committed(batches, redis);
        JobHistory history = app.getBean(JobHistory.class);
        Awaitility.await()
                .atMost(Duration.ofMinutes(10))
                .pollInterval(Duration.ofMillis(200))
                .until(() -> all.stream().allMatch(batch -> history.task(batch.id())
                        .filter(HistoryTask::complete)
                        .isPresent()));
        long jobs = 0;
        int different = 0;
        for (BatchStatus batch : all) {
            List<String> expected = stored(batches, batch.id());
            List<String> found = recorded(history, batch.id());
            jobs += expected.size();
            different += expected.equals(found) ? 0 : 1;
            assertThat(found).isEqualTo(expected);
            assertThat(counters(history.task(batch.id()).orElseThrow()))
                    .isEqualTo(counters(batches.find(batch.id()).orElseThrow()));
        }
        long events = jdbc.queryForObject(
                "select count(*) from jobs_event e join jobs_task t on t.id = e.task_id where t.state <> 'FILLING'",
                Long.class);
        long withoutTimes = jdbc.queryForObject(
                "select count(*) from jobs_event e join jobs_task t on t.id = e.task_id"
                        + " where t.state <> 'FILLING' and e.ended_at is null",
                Long.class);
        System.out.printf(
                "{\"scenario\":\"history-storm\",\"kills\":%d,\"batches\":%d,\"jobs\":%d,\"behindAfterTheKills\":%d,"
                        + "\"rows\":%d,\"withoutTimes\":%d,\"different\":%d}%n",
                KILLS, all.size(), jobs, behind, events, withoutTimes, different);
        assertThat(events).isEqualTo(jobs);
        assertThat(jdbc.queryForObject(
                        "select count(*) from jobs_task where name = 'rolled back' and state <> 'FILLING'", Long.class))
                .isZero();
    }

    private static List<BatchStatus> committed(Batches batches, StringRedisTemplate redis) {
        Set<String> ids = redis.opsForZSet().range("jobs:batches", 0, -1);
        return batches.findAll(ids).values().stream()
                .filter(batch -> !batch.open())
                .toList();
    }

    private static List<Object> counters(BatchStatus batch) {
        return List.of(
                batch.state().name(),
                batch.total(),
                batch.succeeded(),
                batch.failed(),
                batch.dead(),
                batch.skipped(),
                batch.lost());
    }

    private static List<Object> counters(HistoryTask task) {
        return List.of(
                task.state().name(),
                task.total(),
                task.succeeded(),
                task.failed(),
                task.dead(),
                task.skipped(),
                task.lost());
    }

    private static List<String> stored(Batches batches, String id) {
        List<String> all = new ArrayList<>();
        for (BatchPage page = batches.jobs(id, Set.of(), -1, 1_000); ; ) {
            for (BatchJob job : page.jobs()) {
                all.add(line(job.index(), job.jid(), job.state(), job.messages(), job.result()));
            }
            if (!page.hasMore()) {
                return all;
            }
            page = batches.jobs(id, Set.of(), page.next(), 1_000);
        }
    }

    private static List<String> recorded(JobHistory history, String id) {
        List<String> all = new ArrayList<>();
        String after = null;
        do {
            HistoryPage<HistoryEvent> page = history.events(EventSearch.ofTask(id), after, 1_000);
            for (HistoryEvent job : page.items()) {
                assertThat(job.parameters()).isEqualTo("[" + job.index() + "]");
                all.add(line(job.index(), job.jid(), job.state(), job.messages(), job.result()));
            }
            after = page.next();
        } while (after != null);
        return all;
    }

    private static String line(Object... parts) {
        return List.of(java.util.Arrays.stream(parts).map(String::valueOf).toArray())
                .toString();
    }

    private static void runAndKill(Database database, EmbeddedRedis redis, int seed) {
        try (ChildJvm process = ChildJvm.start(
                StormProcess.class, database.url(), redis.port(), seed, Math.max(1, BATCHES / KILLS), SIZE)) {
            while (!process.readLine().equals(StormProcess.WORKS)) {
                // starts
            }
            process.kill(Duration.ofMillis(new Random(seed).nextInt(LONGEST_LIFE_MILLIS)));
        }
    }
}
