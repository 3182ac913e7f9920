package dev.jobs.spring.autoconfigure.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.spring.autoconfigure.JobsContext;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

class RedisClusterIT {

    private static EmbeddedRedis redis;

    @BeforeAll
    static void start() {
        redis = EmbeddedRedis.start("--cluster-enabled", "yes");
        try (RedisClient client = RedisClient.create(redis.uri());
                StatefulRedisConnection<String, String> connection = client.connect()) {
            int[] hashSlots = java.util.stream.IntStream.range(0, 16_384).toArray();
            connection.sync().clusterAddSlots(hashSlots);
            await().untilAsserted(
                            () -> assertThat(connection.sync().clusterInfo()).contains("cluster_state:ok"));
        }
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @Test
    void jobsRunOnAClusterUnderOneHashTag() {
        JobsContext.withoutRedis()
                .withBean(Shop.class)
                .withPropertyValues(
                        "spring.data.redis.cluster.nodes=" + redis.host() + ":" + redis.port(),
                        "jobs.key-prefix={shop}:")
                .run(context -> {
                    JobClient jobs = context.getBean(JobClient.class);
                    jobs.enqueue(Shop::sell, "book");
                    jobs.in(Duration.ofMillis(50)).enqueue(Shop::sell, "pen");

                    await().atMost(Duration.ofSeconds(30))
                            .untilAsserted(() -> assertThat(context.getBean(Shop.class).sold)
                                    .containsExactlyInAnyOrder("book", "pen"));
                    JobsAdmin admin = context.getBean(JobsAdmin.class);
                    await().untilAsserted(
                                    () -> assertThat(admin.stats().processed()).isEqualTo(2));
                    assertThat(admin.stats().books().conservationError()).isZero();
                    await().untilAsserted(
                                    () -> assertThat(admin.processes().all()).hasSize(1));
                });
    }

    /** As before a checkpoint, which fails while a connection is open. */
    @Test
    void aStoppedContextHasNoConnection() {
        JobsContext.withoutRedis()
                .withBean(Shop.class)
                .withPropertyValues(
                        "spring.data.redis.cluster.nodes=" + redis.host() + ":" + redis.port(),
                        "jobs.key-prefix={paused}:")
                .run(context -> {
                    JobClient jobs = context.getBean(JobClient.class);
                    jobs.enqueue(Shop::sell, "book");
                    ConfigurableApplicationContext lifecycle = context.getSourceApplicationContext();

                    lifecycle.stop();

                    await().untilAsserted(() -> assertThat(connections()).doesNotContain(" name=jobs"));
                    lifecycle.start();
                    jobs.enqueue(Shop::sell, "pen");
                    await().atMost(Duration.ofSeconds(30))
                            .untilAsserted(() ->
                                    assertThat(context.getBean(Shop.class).sold).contains("pen"));
                });
    }

    private static String connections() {
        try (RedisClient client = RedisClient.create(redis.uri());
                StatefulRedisConnection<String, String> connection = client.connect()) {
            return connection.sync().clientList();
        }
    }

    static class Shop {

        final List<String> sold = new CopyOnWriteArrayList<>();

        @Job
        void sell(String what) {
            sold.add(what);
        }
    }
}
