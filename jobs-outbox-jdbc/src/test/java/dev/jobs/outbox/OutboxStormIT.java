package dev.jobs.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.databases.ChildJvm;
import dev.jobs.databases.Database;
import dev.jobs.databases.NeedsPostgres;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.proof.LongTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Processes that enqueue and relay are killed at random moments: what was committed is in Redis, once, and nothing
 * else. {@code -Djobs.outbox.kills=500} sets the number of kills on PostgreSQL.
 */
class OutboxStormIT {

    private static final int KILLS = Integer.getInteger("jobs.outbox.kills", 4);
    private static final int PROCESSES = 2;
    private static final int MOST_TRANSACTIONS = 100;

    @LongTest
    @Test
    void whatWasCommittedBeforeAKillIsInRedisOnce() throws Exception {
        whatWasCommittedIsInRedisOnce(Database::h2Server, 1);
    }

    @Test
    @LongTest
    @NeedsPostgres
    @Timeout(value = 60, unit = TimeUnit.MINUTES) // for many kills
    void whatWasCommittedAmongManyKillsIsInRedisOnce() throws Exception {
        whatWasCommittedIsInRedisOnce(Database::postgres, KILLS);
    }

    private static void whatWasCommittedIsInRedisOnce(Supplier<Database> start, int kills) throws Exception {
        try (Database database = start.get();
                EmbeddedRedis redis = EmbeddedRedis.start()) {
            OutboxContract.createTables(database);
            AtomicInteger rolledBack = new AtomicInteger();
            ChildJvm.storm(
                    kills, PROCESSES, seed -> rolledBack.addAndGet(runAndKill(database, redis, new Random(seed))));
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
                        kills, committed.size(), stored.size(), left, rolledBack.get());
                assertThat(committed).hasSizeGreaterThan(kills);
                assertThat(stored).doesNotHaveDuplicates();
                assertThat(new HashSet<>(stored)).isEqualTo(new HashSet<>(committed));
            }
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

    /** Returns how many transactions the process rolled back. */
    private static int runAndKill(Database database, EmbeddedRedis redis, Random random) {
        try (ChildJvm process = ChildJvm.start(StormProcess.class, database.url(), redis.port(), random.nextInt())) {
            for (int left = 1 + random.nextInt(MOST_TRANSACTIONS); left > 0; ) {
                left -= endsATransaction(process.readLine()) ? 1 : 0;
            }
            List<String> said = process.kill(Duration.ofNanos(random.nextInt(20_000_000)));
            return Collections.frequency(said, StormProcess.ROLLED_BACK);
        }
    }
}
