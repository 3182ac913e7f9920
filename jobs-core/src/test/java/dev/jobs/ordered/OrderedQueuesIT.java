package dev.jobs.ordered;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jobs.InvalidJobException;
import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobContext;
import dev.jobs.JobDefinitionException;
import dev.jobs.JobRegistry;
import dev.jobs.Payload;
import dev.jobs.RetryPolicy;
import dev.jobs.assembly.EngineConfig;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.JobEngine;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.client.ClientConfig;
import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.RedisKeys;
import dev.jobs.testing.RedisFixture;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Clients and engines with ordered queues. */
class OrderedQueuesIT {

    private static final OrderRules RULES =
            new OrderRules(Map.of("imports", OrderRule.fair(), "mail", OrderRule.priority(Duration.ofMinutes(1))));

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    private final RedisConnections connections = redis.connections(new RedisKeys("", RULES), Duration.ofSeconds(5));
    private final Jobs jobs = new Jobs();
    private final JobRegistry registry = JobRegistry.of(jobs);
    private EngineTestBed bed;
    private RedisJobClient client;

    static final class Jobs {
        final List<String> ran = new CopyOnWriteArrayList<>();
        final CountDownLatch gate = new CountDownLatch(1);

        @Job(value = "Import", queue = "imports", key = "{tenant}")
        void run(String tenant, int number) {
            ran.add(tenant + number);
        }

        @Job(value = "Mail", queue = "mail", priority = -1)
        void mail(String to) {
            ran.add(to);
        }

        @Job(value = "Gate", queue = "imports")
        void gate() throws InterruptedException {
            gate.await();
        }

        @Job(value = "Again", queue = "imports", key = "t-{0}")
        void again(String id, JobContext job) {
            ran.add(id);
            if (job.attempt() == 1) {
                throw new IllegalStateException("again");
            }
        }
    }

    @BeforeEach
    void open() {
        redis.flush();
        bed = new EngineTestBed(redis, connections);
        client = new RedisJobClient(
                connections, registry, bed.hooks(), ClientConfig.defaults(), Clock.systemUTC(), new SecureRandom());
    }

    @AfterEach
    void close() {
        jobs.gate.countDown();
        bed.close();
        client.close();
    }

    private static Payload first(String queue) {
        return Payload.parse(
                redis.texts().zrange("jobs:order:" + queue, 0, 0).get(0).getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void twoTenantsTakeTurns() {
        bed.config = EngineConfig.of(1, "imports");
        client.enqueue("Gate");
        bed.start(registry);
        await().until(() -> bed.books().inFlight() == 1);
        for (int i = 0; i < 300; i++) {
            client.enqueue("Import", "a", i);
        }
        client.enqueueAll(
                "Import", IntStream.range(0, 10).mapToObj(i -> List.of("b", i)).toList());
        jobs.gate.countDown();
        await().until(() -> jobs.ran.size() == 310);

        List<String> start = new ArrayList<>(jobs.ran.subList(0, 23));
        assertThat(start).contains("b0", "b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8", "b9");
        assertThat(start.stream().filter(each -> each.startsWith("b")).toList()).isSorted();
        await().until(() -> redis.texts().exists("jobs:order:imports", "jobs:tags:imports") == 0
                && bed.books().inFlight() == 0);
        assertThat(bed.books().conservationError()).isZero();
    }

    /** Redis serves nobody else while it sorts them. */
    @Test
    void aBulkCallPushesAHundredAtATime() {
        client.enqueue("Import", "a", 0);
        long before = redis.stat("commandstats", "cmdstat_evalsha:calls=(\\d+)");

        client.enqueueAll(
                "Import",
                IntStream.rangeClosed(1, 450)
                        .mapToObj(i -> List.<Object>of("a", i))
                        .toList());

        assertThat(redis.stat("commandstats", "cmdstat_evalsha:calls=(\\d+)") - before)
                .isEqualTo(5);
        assertThat(redis.texts().zrange("jobs:order:imports", 0, -1))
                .extracting(stored ->
                        Payload.parse(stored.getBytes(StandardCharsets.UTF_8)).get("args"))
                .isEqualTo(IntStream.rangeClosed(0, 450)
                        .mapToObj(i -> List.<Object>of("a", (long) i))
                        .toList());
    }

    @Test
    void anIdleWorkerIsWokenByEachJob() {
        bed.config = EngineConfig.of(5, "imports");
        JobEngine engine = bed.start(registry);
        await().until(() -> engine.health().doorbell());
        for (int i = 0; i < 50; i++) {
            client.enqueue("Import", "a", i);
            int expected = i + 1;
            await().pollInterval(Duration.ofMillis(1)).until(() -> jobs.ran.size() == expected);
        }
        assertThat(redis.texts().info("clients")).contains("blocked_clients:0\r\n");
    }

    @Test
    void aRetriedJobIsOrderedAgainByItsKey() {
        bed.config = EngineConfig.of(2, "imports");
        bed.random(() -> 0L); // no jitter
        bed.policies.add((job, count, failure) -> RetryPolicy.Decision.retryIn(Duration.ofSeconds(1)));
        client.enqueue("Again", "x");
        assertThat(first("imports").text("order_key")).isEqualTo("t-x");
        bed.start(registry);
        await().until(() -> jobs.ran.size() == 2);
        await().until(() -> redis.texts().exists("jobs:order:imports", "jobs:tags:imports") == 0
                && bed.books().inFlight() == 0);
    }

    @Test
    void whatACallSaysOverridesTheAnnotation() {
        client.key("mine").enqueue("Import", "a", 1);
        assertThat(first("imports").text("order_key")).isEqualTo("mine");
        redis.flush();
        client.enqueue("Mail", "someone");
        assertThat(first("mail").integer("priority")).isEqualTo(-1);
        client.priority(3).enqueue("Mail", "someone else");
        assertThat(first("mail").integer("priority")).isEqualTo(3);
        assertThat(JobCall.named("Mail", "x").key("k").priority(2).apply(client))
                .isNotNull();
    }

    @Test
    void otherQueuesIgnoreKeyAndPriority() {
        client.queue("other").key("k").priority(5).enqueue("Mail", "x");
        assertThat(redis.texts().llen("queue:other")).isEqualTo(1);
        assertThat(redis.texts().keys("jobs:order:*")).isEmpty();
    }

    @Test
    void refusesKeysAndPrioritiesThatCannotBe() {
        assertThatThrownBy(() -> client.key("a\nb"))
                .isInstanceOf(InvalidJobException.class)
                .hasMessage("'key' must be text of at most 200 characters, without control characters but was 'a?b'");
        assertThatThrownBy(() -> client.key("x".repeat(201))).isInstanceOf(InvalidJobException.class);
        assertThatThrownBy(() -> client.priority(101))
                .isInstanceOf(InvalidJobException.class)
                .hasMessage("'priority' must be a whole number from -100 to 100 but was 101");
        assertThatThrownBy(() -> client.with("priority", 1.5).enqueue("Mail", "x"))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("its 'priority' must be");
        assertThatThrownBy(() -> client.enqueue("Import", "a\tb", 1))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("its 'order_key' must be");
        assertThat(redis.texts().keys("*")).isEmpty();
    }

    static final class WrongKey {
        @Job(key = "{nobody}")
        void run(String somebody) {}
    }

    static final class WrongPriority {
        @Job(priority = -101)
        void run() {}
    }

    @Test
    void refusesAnnotationsThatCannotWork() {
        assertThatThrownBy(() -> JobRegistry.of(new WrongKey()))
                .isInstanceOf(JobDefinitionException.class)
                .hasMessageContaining("its key '{nobody}' names 'nobody'");
        assertThatThrownBy(() -> JobRegistry.of(new WrongPriority()))
                .isInstanceOf(JobDefinitionException.class)
                .hasMessageContaining("its priority is -101");
        assertThatThrownBy(() -> OrderRule.priority(Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'step' must be more than 0");
        assertThatThrownBy(() -> OrderRule.fair(Map.of("k", 0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'weights' must be 1 to 100 but that of 'k' was 0");
    }
}
