package dev.jobs.versions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.processes.ProcessRegistry;
import dev.jobs.processes.ProcessRegistry.Work;
import dev.jobs.processes.PublishedJobs;
import dev.jobs.processes.PublishedJobs.Shape;
import dev.jobs.processes.SharedReading;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisConnections;
import dev.jobs.testing.RedisFixture;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a worker learns of the jobs that others know, on a clock that the test sets. */
class OtherWorkersIT {

    private static final String KEY = "jobs:workers:1";
    private static final Shape OWN = new Shape(1, "a");
    private static final Shape NEW = new Shape(2, "b");

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    private final RedisConnections connections = redis.connections("");

    @AutoClose
    private final RedisConnection connection = connections.open("test");

    private final AtomicLong nanos = new AtomicLong();
    private final ProcessRegistry registry = new ProcessRegistry(connection, connections.keys());
    private final OtherWorkers one = workers();
    private final OtherWorkers other = workers();

    private OtherWorkers workers() {
        return new OtherWorkers(registry, SharedReading.ofWorkers(connection, connections.keys()), nanos::get);
    }

    private void publish(String identity, String queue, Shape shape) {
        registry.publish(
                identity,
                Map.of(
                        "info",
                        "{\"queues\":[\"" + queue + "\"]}",
                        ProcessRegistry.SHAPES,
                        new PublishedJobs(Map.of("Pay", shape)).text()),
                new Work(true, List.of(), Map.of()));
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
        for (String field : List.of("at", "turn")) {
            if (redis.texts().hexists(KEY, field)) {
                redis.texts().hincrby(KEY, field, -time.toMillis());
            }
        }
    }

    private static boolean knows(OtherWorkers workers) {
        return workers.knowAnother("mail", "Pay", OWN);
    }

    @Test
    void whatOneReadTheOthersKnow() {
        publish("old", "mail", OWN);
        publish("elsewhere", "low", NEW);
        assertThat(knows(one)).isFalse();
        publish("new", "mail", NEW);
        assertThat(knows(other)).as("it was read a moment ago").isFalse();

        pass(Duration.ofSeconds(3));
        assertThat(knows(other)).isTrue();
        long lists = redis.calls("sscan");
        assertThat(knows(one)).isTrue();
        assertThat(redis.calls("sscan")).isEqualTo(lists);
        assertThat(one.knowAnother("low", "Pay", OWN)).isTrue();
        assertThat(one.knowAnother("low", "Pay", NEW)).isFalse();
        assertThat(one.knowAnother("mail", "Other", null)).isFalse();
    }

    @Test
    void whoFindsNoneThatIsUsableReadsForItself() {
        publish("new", "mail", NEW);
        redis.texts().hset(KEY, Map.of("turn", Long.toString(Long.MAX_VALUE / 1_000)));
        assertThat(knows(one)).isTrue();

        redis.texts().del(KEY);
        redis.texts().set(KEY, "text");
        assertThat(knows(other)).isTrue();

        redis.texts().del(KEY);
        redis.texts().hset(KEY, Map.of("reading", "{\"workers\":1}", "at", "1"));
        assertThat(knows(workers())).isTrue();
    }

    /** As in a deployment, when workers of the old version take jobs of the new one. */
    @ParameterizedTest
    @ValueSource(ints = {30, 300})
    void howeverManyWorkersAskEachCostsTheSame(int processes) {
        long withOne = commands(1);
        redis.flush();
        assertThat(commands(processes) / processes).isLessThanOrEqualTo(withOne * 12 / 10);
    }

    private long commands(int processes) {
        IntStream.range(0, processes).forEach(i -> publish("p" + i, "mail", i % 2 == 0 ? NEW : OWN));
        List<OtherWorkers> all =
                IntStream.range(0, processes).mapToObj(i -> workers()).toList();
        all.forEach(each -> assertThat(knows(each)).isTrue());
        long before = redis.stat("stats", "total_commands_processed:(\\d+)");
        for (int i = 0; i < 3; i++) {
            pass(Duration.ofSeconds(3));
            all.forEach(each -> assertThat(knows(each)).isTrue());
        }
        return redis.stat("stats", "total_commands_processed:(\\d+)") - before;
    }
}
