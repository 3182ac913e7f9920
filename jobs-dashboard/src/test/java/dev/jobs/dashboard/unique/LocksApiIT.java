package dev.jobs.dashboard.unique;

import static dev.jobs.dashboard.RunningDashboard.encoded;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobClient;
import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.dashboard.RunningDashboard.Reply;
import dev.jobs.dashboard.TestApplication;
import dev.jobs.embeddedredis.EmbeddedRedis;
import java.time.Duration;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Requests and actions of the page about locks, without a worker. */
@ExtendWith(OutputCaptureExtension.class)
class LocksApiIT {

    @AutoClose
    static final EmbeddedRedis server = EmbeddedRedis.start();

    @AutoClose
    static final RunningDashboard dashboard = RunningDashboard.start(
            server, "/jobs", TestApplication.class, "jobs.worker.enabled=false", "jobs.dashboard.access=local");

    private final StringRedisTemplate redis = dashboard.redis();
    private final JobClient jobs = dashboard.bean(JobClient.class);

    @BeforeEach
    void empty() {
        redis.execute((RedisCallback<Void>) connection -> {
            connection.serverCommands().flushAll();
            return null;
        });
    }

    private String hold(String key, Duration delay) {
        return String.valueOf(jobs.in(delay).unique(key).enqueue("Shops.sync", key));
    }

    @Test
    void listsTheLocksThatEndSoonestFirst() {
        String later = hold("shop:2", Duration.ofDays(3));
        String sooner = hold("shop:1", Duration.ofMinutes(5));

        Reply list = dashboard.get("/api/locks");

        assertThat(list.at("/partial").asBoolean()).isFalse();
        assertThat(list.at("/items")).hasSize(2);
        assertThat(list.at("/items/0/holder").asString()).isEqualTo(sooner);
        assertThat(list.at("/items/1/holder").asString()).isEqualTo(later);
        assertThat(redis.hasKey("unique:" + list.at("/items/0/digest").asString()))
                .isTrue();
        assertThat(list.at("/items/0/left").asLong()).isPositive();
    }

    @Test
    void aLockWithoutAnEndComesLast() {
        hold("shop:1", Duration.ofMinutes(5));
        redis.opsForValue().set("unique:ruby", "0123456789abcdef01234567");

        Reply list = dashboard.get("/api/locks");

        assertThat(list.at("/items/1/digest").asString()).isEqualTo("ruby");
        assertThat(list.at("/items/1/left").isNull()).isTrue();
    }

    @Test
    void saysThatThereAreMoreThanItShows() {
        IntStream.range(0, 201).forEach(i -> hold("shop:" + i, Duration.ofMinutes(5)));

        Reply list = dashboard.get("/api/locks");

        assertThat(list.at("/items")).hasSize(200);
        assertThat(list.at("/partial").asBoolean()).isTrue();
    }

    @Test
    void findsTheLockOfAKey() {
        hold("shop:1", Duration.ofMinutes(5));
        String second = hold("shop:2", Duration.ofMinutes(5));

        assertThat(dashboard
                        .get("/api/locks?job=Shops.sync&key=shop:2")
                        .at("/items/0/holder")
                        .asString())
                .isEqualTo(second);
        assertThat(dashboard.get("/api/locks?job=Shops.sync&key=shop:3").at("/items"))
                .isEmpty();
        assertThat(dashboard.get("/api/locks?job=" + encoded("x".repeat(501))).status())
                .isEqualTo(400);
    }

    @Test
    void releasesALockOnlyFromItsHolderAndLogsWhoDidIt(CapturedOutput output) {
        String holder = hold("shop:1", Duration.ofMinutes(5));
        String digest = dashboard.get("/api/locks").at("/items/0/digest").asString();

        Reply another = dashboard.post("/api/lock/release", Map.of("digest", digest, "holder", "somebody"));
        assertThat(another.at("/changed").asBoolean()).isFalse();
        assertThat(redis.hasKey("unique:" + digest)).isTrue();

        Reply its = dashboard.post("/api/lock/release", Map.of("digest", digest, "holder", holder));
        assertThat(its.at("/changed").asBoolean()).isTrue();
        assertThat(redis.hasKey("unique:" + digest)).isFalse();
        assertThat(output)
                .contains("127.0.0.1: release lock " + digest + " of job " + holder + " [1]")
                .contains("of job somebody [0]");
    }
}
