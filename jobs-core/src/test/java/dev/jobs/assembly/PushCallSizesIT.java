package dev.jobs.assembly;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.Job;
import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.client.ClientConfig;
import dev.jobs.engine.MeasuredCalls;
import dev.jobs.redis.CallBounds;
import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.RedisKeys;
import dev.jobs.testing.RedisFixture;
import dev.jobs.transactions.OutboxPushes;
import dev.jobs.transactions.OutboxPushes.Relayed;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Calls that store new jobs carry a thousand jobs at most, and no more bytes of them than a call may or a single one.
 * Here that is little; {@link MegabytePushCallSizesIT} has the limits of applications.
 */
class PushCallSizesIT {

    private static final int LARGE = 20;
    private static final int MANY = 2_500;

    /** Most keys and arguments of a call besides those of its jobs. */
    private static final int FEW = 20;

    /** One for each class, of which there are two. */
    @AutoClose
    static RedisFixture redis;

    private MeasuredCalls calls;
    private RedisConnections connections;
    private RedisJobClient client;

    static final class Jobs {

        @Job("tell")
        void tell(String text) {}
    }

    @BeforeAll
    static void start() {
        redis = RedisFixture.start();
    }

    @BeforeEach
    void open() {
        redis.flush();
        calls = new MeasuredCalls(redis, bounds());
        connections = calls.connections(new RedisKeys(""));
        client = new RedisJobClient(
                connections,
                JobRegistry.of(new Jobs()),
                JobHooks.none(),
                ClientConfig.defaults(),
                Clock.systemUTC(),
                new SecureRandom());
    }

    @AfterEach
    void close() {
        client.close();
        calls.close();
        redis.flush();
    }

    CallBounds bounds() {
        return MeasuredCalls.SMALL;
    }

    private List<List<Object>> jobs(int count, String text) {
        return IntStream.range(0, count).mapToObj(i -> List.<Object>of(text)).toList();
    }

    /** Nearly as large as a client takes with the limits of applications. */
    private String large() {
        return "x".repeat(bounds().bytes() - bounds().bytes() / 20);
    }

    @Test
    void ofJobsForQueues() {
        client.enqueueAll("tell", jobs(LARGE, large()));
        client.enqueueAll("tell", jobs(MANY, ""));

        assertThat(redis.texts().llen("queue:default")).isEqualTo(LARGE + MANY);
        calls.assertSmall("push");
        assertThat(calls.of("push").words()).isLessThan(2 * 1_000 + FEW);
    }

    @Test
    void ofScheduledJobs() {
        client.in(Duration.ofHours(1)).enqueueAll("tell", jobs(LARGE, large()));
        client.in(Duration.ofHours(1)).enqueueAll("tell", jobs(MANY, ""));

        assertThat(redis.texts().zcard("schedule")).isEqualTo(LARGE + MANY);
        calls.assertSmall("schedule");
        assertThat(calls.of("schedule").words()).isLessThan(2 * 1_000 + FEW);
    }

    /** Its slices are as large as the table's, which are bounded where they are read. */
    @Test
    void ofASliceOfAnOutbox() {
        try (OutboxPushes pushes = new OutboxPushes(connections)) {
            byte[] small = "{}".getBytes(UTF_8);
            pushes.store(
                    "lane",
                    1,
                    IntStream.range(0, OutboxPushes.SLICE)
                            .mapToObj(i -> new Relayed("q" + i % 10, null, small))
                            .toList());
            pushes.store("lane", 2, List.of(new Relayed("q", null, large().getBytes(UTF_8))));
        }
        calls.assertSmall("outbox");
        assertThat(calls.of("outbox").words()).isLessThan(3 * OutboxPushes.SLICE + 2 * 10 + FEW);
    }
}
