package dev.jobs.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.databases.Database;
import dev.jobs.embeddedredis.EmbeddedRedis;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Processes that enqueue and relay are killed at random moments, on PostgreSQL: what was committed is in Redis, once,
 * and nothing else. {@code -Djobs.outbox.kills=500} sets the number of kills.
 */
class OutboxStormIT {

    private static final int KILLS = Integer.getInteger("jobs.outbox.kills", 4);
    private static final int PROCESSES = 2;
    private static final int MOST_TRANSACTIONS = 100;

    @Test
    @Timeout(value = 60, unit = TimeUnit.MINUTES) // for many kills
    void whatWasCommittedIsInRedisOnce() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(PROCESSES);
        try (Database database = Database.postgres();
                EmbeddedRedis redis = EmbeddedRedis.start()) {
            OutboxContract.createTables(database);
            AtomicInteger seeds = new AtomicInteger();
            AtomicInteger rolledBack = new AtomicInteger();
            List<Future<?>> killers = new ArrayList<>();
            for (int i = 0; i < PROCESSES; i++) {
                killers.add(threads.submit(() -> {
                    for (int seed = seeds.incrementAndGet(); seed <= KILLS; seed = seeds.incrementAndGet()) {
                        rolledBack.addAndGet(runAndKill(database, redis, seed));
                    }
                }));
            }
            for (Future<?> killer : killers) {
                await(killer);
            }
            long left = new OutboxTable(database.source(), 1).backlog().jobs();
            try (ConfigurableApplicationContext last =
                    StormProcess.start(database.url(), Integer.toString(redis.port()))) {
                OutboxTable table = last.getBean(OutboxTable.class);
                Awaitility.await()
                        .atMost(Duration.ofMinutes(2))
                        .until(() -> table.backlog().jobs() == 0);
                List<String> stored = stored(last.getBean(StringRedisTemplate.class));
                List<String> committed =
                        new JdbcTemplate(database.source()).queryForList("select id from orders", String.class);
                System.out.printf(
                        "{\"scenario\":\"outbox-storm\",\"kills\":%d,\"committed\":%d,\"stored\":%d,\"left\":%d,\"rolledBack\":%d}%n",
                        KILLS, committed.size(), stored.size(), left, rolledBack.get());
                assertThat(committed).hasSizeGreaterThan(KILLS);
                assertThat(stored).doesNotHaveDuplicates();
                assertThat(new HashSet<>(stored)).isEqualTo(new HashSet<>(committed));
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static List<String> stored(StringRedisTemplate redis) {
        List<String> jids = new ArrayList<>(redis.opsForList().range("queue:default", 0, -1));
        jids.addAll(redis.opsForList().range("queue:low", 0, -1));
        jids.replaceAll(payload -> payload.replaceAll(".*\"jid\":\"(\\w+)\".*", "$1"));
        return jids;
    }

    private static boolean endsATransaction(String line) {
        return line.equals(StormProcess.COMMITTED) || line.equals(StormProcess.ROLLED_BACK);
    }

    private static void await(Future<?> killer) throws InterruptedException {
        try {
            killer.get();
        } catch (ExecutionException e) {
            throw new AssertionError(e.getCause());
        }
    }

    /** Returns how many transactions the process rolled back. */
    private static int runAndKill(Database database, EmbeddedRedis redis, int seed) {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx128m",
                "-cp",
                System.getProperty("java.class.path"),
                "-Dlogging.level.root=warn",
                StormProcess.class.getName(),
                database.url(),
                Integer.toString(redis.port()),
                Integer.toString(seed));
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            try (BufferedReader output =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                List<String> said = new ArrayList<>();
                Random random = new Random(seed);
                for (int left = 1 + random.nextInt(MOST_TRANSACTIONS); left > 0; ) {
                    String line = output.readLine();
                    assertThat(line).as("the process said\n%s", said).isNotNull();
                    said.add(line);
                    left -= endsATransaction(line) ? 1 : 0;
                }
                assertThat(process.waitFor(random.nextInt(20_000), TimeUnit.MICROSECONDS))
                        .as("whether the process ended by itself; it said\n%s", said)
                        .isFalse();
                process.toHandle().destroyForcibly(); // unlike that of the process, leaves its output open
                output.lines().forEach(said::add);
                return Collections.frequency(said, StormProcess.ROLLED_BACK);
            } finally {
                process.destroyForcibly().waitFor();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
