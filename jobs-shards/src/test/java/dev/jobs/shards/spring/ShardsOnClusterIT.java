package dev.jobs.shards.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.proof.LongTest;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Shards that the library makes on a cluster of two nodes. */
class ShardsOnClusterIT {

    private static EmbeddedRedis first;
    private static EmbeddedRedis second;

    @BeforeAll
    static void start() {
        first = EmbeddedRedis.start("--cluster-enabled", "yes");
        second = EmbeddedRedis.start("--cluster-enabled", "yes");
        try (RedisClient client = RedisClient.create();
                StatefulRedisConnection<String, String> one = client.connect(RedisURI.create(first.uri()));
                StatefulRedisConnection<String, String> two = client.connect(RedisURI.create(second.uri()))) {
            one.sync()
                    .clusterAddSlots(IntStream.range(0, SlotHash.SLOT_COUNT / 2).toArray());
            two.sync()
                    .clusterAddSlots(IntStream.range(SlotHash.SLOT_COUNT / 2, SlotHash.SLOT_COUNT)
                            .toArray());
            two.sync().clusterSetConfigEpoch(2);
            one.sync().clusterMeet(second.host(), second.port());
            await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
                assertThat(one.sync().clusterInfo())
                        .contains("cluster_state:ok")
                        .contains("cluster_known_nodes:2");
                assertThat(two.sync().clusterInfo())
                        .contains("cluster_state:ok")
                        .contains("cluster_known_nodes:2");
            });
        }
    }

    @AfterAll
    static void stop() {
        first.close();
        second.close();
    }

    @LongTest
    @Test
    void eachNodeHasTheSameNumberOfShardsAndAWorkerServesAll() {
        List<String> queues = IntStream.range(0, 24).mapToObj(i -> "q" + i).toList();
        ShardsContext.withoutRedis()
                .withBean(Shop.class)
                .withPropertyValues(
                        "spring.data.redis.cluster.nodes=" + first.host() + ":" + first.port(),
                        "jobs.key-prefix={shop}:",
                        "jobs.cluster-shards=4",
                        "jobs.queues=" + String.join(",", queues))
                .run(context -> {
                    JobClient jobs = context.getBean(JobClient.class);
                    queues.forEach(queue -> jobs.queue(queue).enqueue(Shop::sell, queue));

                    await().atMost(Duration.ofSeconds(60))
                            .untilAsserted(() -> assertThat(context.getBean(Shop.class).sold)
                                    .containsExactlyInAnyOrderElementsOf(queues));

                    List<JobShards.Shard> all = context.getBean(JobShards.class).all();
                    assertThat(all).hasSize(4);
                    assertThat(all.stream().map(JobShards.Shard::node))
                            .containsExactlyInAnyOrder(node(first), node(first), node(second), node(second));
                    assertThat(all).allSatisfy(shard -> await().untilAsserted(() -> {
                        assertThat(shard.admin().books().claimed()).isPositive();
                        assertThat(shard.admin().books().conservationError()).isZero();
                    }));
                });
    }

    private static String node(EmbeddedRedis redis) {
        return redis.host() + ":" + redis.port();
    }

    static class Shop {

        final List<String> sold = new CopyOnWriteArrayList<>();

        @Job
        void sell(String what) {
            sold.add(what);
        }
    }
}
