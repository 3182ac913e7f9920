package dev.jobs.shards.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.jobs.DeathHandler;
import dev.jobs.EnqueueMiddleware;
import dev.jobs.InvalidJobException;
import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobClient;
import dev.jobs.JobStoreException;
import dev.jobs.assembly.EngineHealth;
import dev.jobs.assembly.JobEngine;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.assembly.RedisJobStore;
import dev.jobs.batches.Batches;
import dev.jobs.client.JobStore;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.proof.LongTest;
import dev.jobs.recurring.RecurringJob;
import dev.jobs.redis.RedisConnections;
import dev.jobs.spring.autoconfigure.installations.OwnEngines;
import dev.jobs.spring.autoconfigure.redis.ClosedPorts;
import dev.jobs.testing.LogLines;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;

/** An application with two Redis servers and three shards. */
class SpringShardsIT {

    @AutoClose
    private final ClosedPorts ports = new ClosedPorts();

    @RegisterExtension
    private final LogLines lines = LogLines.of(DeclarationsElsewhere.class);

    private EmbeddedRedis redis;
    private EmbeddedRedis second;
    private ApplicationContextRunner runner;

    @BeforeEach
    void start() {
        redis = EmbeddedRedis.start();
        second = EmbeddedRedis.start();
        runner = ShardsContext.on(redis)
                .withBean(Shop.class)
                .withPropertyValues(
                        "spring.application.name=shop",
                        "spring.data.redis.timeout=1s",
                        "jobs.queues=default,orders,events,local",
                        "jobs.concurrency=4",
                        "jobs.shards.home.queues=default",
                        "jobs.shards.east.url=redis://localhost:" + second.port(),
                        "jobs.shards.east.queues=orders",
                        "jobs.shards.west.key-prefix=west:",
                        "jobs.shards.west.queues=local",
                        "jobs.spread-queues.events.by=jid");
    }

    @AfterEach
    void stop() {
        redis.close();
        second.close();
    }

    private ApplicationContextRunner withoutWorker() {
        return runner.withPropertyValues("jobs.worker.enabled=false");
    }

    @Test
    void aJobIsStoredInTheShardOfItsQueue() {
        withoutWorker().run(context -> {
            JobClient jobs = context.getBean(JobClient.class);
            jobs.enqueue(Shop::sell, "book");
            jobs.enqueue(Shop::order, "pen");
            jobs.queue("local").enqueue(Shop::sell, "ink");
            jobs.queue("events")
                    .enqueueAll(
                            Shop::sell,
                            IntStream.range(0, 300).mapToObj(i -> "e" + i).toList());

            assertThat(keys(redis)).contains("queue:default", "west:queue:local", "queue:events", "west:queue:events");
            assertThat(keys(redis)).doesNotContain("queue:orders", "queue:local");
            assertThat(keys(second)).contains("queue:orders", "queue:events").doesNotContain("queue:default");
            assertThat(shards(context).all().stream().mapToLong(shard -> shard.admin()
                            .queues()
                            .find("events")
                            .orElseThrow()
                            .size()))
                    .hasSize(3)
                    .allMatch(size -> size > 50)
                    .satisfies(sizes -> assertThat(
                                    sizes.stream().mapToLong(Long::longValue).sum())
                            .isEqualTo(300));
            assertThatExceptionOfType(InvalidJobException.class)
                    .isThrownBy(() -> jobs.queue("lost").enqueue(Shop::sell, "cup"))
                    .withMessageContaining("'lost' is in none of the shards [home, east, west]");
        });
    }

    @Test
    void aWorkerServesAllShards() {
        runner.run(context -> {
            Shop shop = context.getBean(Shop.class);
            JobClient jobs = context.getBean(JobClient.class);
            List<String> queues = List.of("default", "orders", "local", "events");
            for (int i = 0; i < 80; i++) {
                jobs.queue(queues.get(i % 4)).enqueue(Shop::sell, "s" + i);
            }

            eventually(() -> assertThat(shop.sold).hasSize(80));

            assertThat(context.getBean(OwnEngines.class).byInstallation()).containsOnlyKeys("home", "east", "west");
            assertThat(context).hasSingleBean(JobEngine.class).hasSingleBean(RedisConnections.class);
            assertThat(context.getBean(JobEngine.class))
                    .isSameAs(context.getBean(OwnEngines.class).byInstallation().get("home"));
            for (JobShards.Shard shard : shards(context).all()) {
                eventually(() -> assertThat(shard.admin().books()).satisfies(books -> {
                    assertThat(books.inFlight()).isZero();
                    assertThat(books.claimed()).isPositive();
                    assertThat(books.conservationError()).isZero();
                }));
            }
        });
    }

    @LongTest
    @Test
    void jobsOfAllShardsTogetherTakeNoMoreThreadsThanTheWorkerHas() {
        runner.run(context -> {
            Shop shop = context.getBean(Shop.class);
            JobClient jobs = context.getBean(JobClient.class);
            for (String queue : List.of("default", "orders", "local")) {
                for (int i = 0; i < 4; i++) {
                    jobs.queue(queue).enqueue(Shop::hold);
                }
            }

            await().during(Duration.ofSeconds(1))
                    .atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(shop.held).hasValue(4));
            shop.release.countDown();
            eventually(() -> assertThat(shop.held).hasValue(12));
        });
    }

    @Test
    void aWorkerHasAnEngineOnlyForShardsOfItsQueues() {
        runner.withPropertyValues("jobs.queues=orders").run(context -> {
            assertThat(context.getBean(OwnEngines.class).byInstallation()).containsOnlyKeys("east");
            JobEngine engine = context.getBean(JobEngine.class);
            eventually(() -> assertThat(engine.health().alive()).isTrue());
            eventually(() -> assertThat(keys(second)).contains("processes"));
            assertThat(keys(redis)).doesNotContain("processes", "west:processes");
        });
    }

    @Test
    void aQueueThatMovesIsServedInBothShards() {
        runner.withPropertyValues("jobs.moving-queues.orders.from=home").run(context -> {
            shards(context).get("home").client().queue("orders").enqueue(Shop::sell, "old");
            context.getBean(JobClient.class).queue("orders").enqueue(Shop::sell, "new");

            eventually(() -> assertThat(context.getBean(Shop.class).sold).containsExactlyInAnyOrder("old", "new"));
            assertThat(shards(context).get("home").admin().books().claimed()).isEqualTo(1);
        });
    }

    @Test
    void oneShardThatIsAwayAtTheStartKeepsNothingFromWorking() {
        int port = second.port();
        ports.close(second);
        runner.run(context -> {
            assertThat(context).hasNotFailed();
            JobClient jobs = context.getBean(JobClient.class);
            jobs.enqueue(Shop::sell, "book");
            jobs.queue("local").enqueue(Shop::sell, "ink");

            eventually(() -> assertThat(context.getBean(Shop.class).sold).containsExactlyInAnyOrder("book", "ink"));
            assertThatExceptionOfType(JobStoreException.class)
                    .isThrownBy(() -> jobs.enqueue(Shop::order, "pen"))
                    .withMessageContaining("shard 'east'")
                    .withMessageContaining("localhost:" + port + ", database 0")
                    .withMessageContaining("jobs.shards.east.url");
        });
    }

    @Test
    void anotherShardMakesJobsAsTheClientDoes() {
        AtomicInteger seen = new AtomicInteger();
        List<String> died = new CopyOnWriteArrayList<>();
        runner.withBean("count", EnqueueMiddleware.class, () -> (payload, next) -> {
                    seen.incrementAndGet();
                    return next.proceed(payload.with("seen", true));
                })
                .withBean("died", DeathHandler.class, () -> (payload, failure) -> died.add(payload.jobName()))
                .run(context -> {
                    JobShards.Shard east = shards(context).get("east");
                    east.batches().create("orders", batch -> batch.add(JobCall.of(Shop::order, "pen")));
                    east.client().queue("orders").retry(0).enqueue(Shop::fail);

                    eventually(
                            () -> assertThat(context.getBean(Shop.class).sold).containsExactly("pen"));
                    eventually(() -> assertThat(died).containsExactly("Shop.fail"));
                    assertThat(seen).hasValue(2);
                    assertThat(keys(second)).anyMatch(key -> key.startsWith("jobs:batch:"));
                    assertThat(keys(redis)).noneMatch(key -> key.startsWith("jobs:batch:"));
                    assertThatExceptionOfType(InvalidJobException.class)
                            .isThrownBy(() -> context.getBean(Batches.class)
                                    .create("home", batch -> batch.add(JobCall.of(Shop::order, "ink"))))
                            .withMessageContaining("shard 'home'");
                });
    }

    @Test
    void recurringJobsAreDeclaredInTheShardOfTheirQueue() {
        String schedule = "jobs.recurring.schedules.evening";
        runner.withBean(Nightly.class)
                .withPropertyValues(
                        schedule + ".job=Nightly.home", schedule + ".cron=@daily", schedule + ".queue=orders")
                .run(context -> {
                    eventually(() -> assertThat(
                                    shards(context).get("east").recurring().list())
                            .extracting(RecurringJob::name)
                            .containsExactly("Nightly.orders", "evening"));
                    eventually(() -> assertThat(
                                    shards(context).get("home").recurring().list())
                            .extracting(RecurringJob::name)
                            .containsExactly("Nightly.home"));
                    assertThat(shards(context).get("west").recurring().list()).isEmpty();
                });
    }

    @Test
    void recurringJobsAreDeclaredInShardsThatTheWorkerDoesNotServe() {
        runner.withBean(Nightly.class).withPropertyValues("jobs.queues=local").run(context -> {
            eventually(() -> assertThat(recurring(context, "home")).containsExactly("Nightly.home"));
            eventually(() -> assertThat(recurring(context, "east")).containsExactly("Nightly.orders"));
            eventually(() -> assertThat(declaring())
                    .as("a thread that has done its work")
                    .isEmpty());

            assertThat(context.getBean(OwnEngines.class).byInstallation()).containsOnlyKeys("west");
            assertThat(keys(second)).doesNotContain("processes");
            eventually(() -> assertThat(clients(redis) + clients(second)).doesNotContain(" name=jobs-declarations"));
        });
    }

    @Test
    void aRecurringJobIsRemovedWhereItsQueueWas() {
        ApplicationContextRunner evening = runner.withPropertyValues(
                "jobs.recurring.schedules.evening.job=Shop.hold",
                "jobs.recurring.schedules.evening.cron=@daily",
                "jobs.recurring.schedules.late.job=Shop.fail");
        evening.withPropertyValues(
                        "jobs.recurring.schedules.late.cron=@daily", "jobs.recurring.schedules.evening.queue=orders")
                .run(context ->
                        eventually(() -> assertThat(recurring(context, "east")).containsExactly("evening", "late")));

        evening.withPropertyValues(
                        "jobs.recurring.schedules.late.cron=-",
                        "jobs.recurring.schedules.evening.queue=default",
                        "jobs.queues=default")
                .run(context -> {
                    eventually(() -> assertThat(recurring(context, "home")).containsExactly("evening"));
                    eventually(() -> assertThat(recurring(context, "east")).isEmpty());
                });
    }

    @Test
    void aShardThatIsAwayGetsItsRecurringJobsWhenItIsBack() {
        ports.close(second);
        runner.withBean(Nightly.class).withPropertyValues("jobs.queues=default").run(context -> {
            eventually(() -> assertThat(recurring(context, "home")).containsExactly("Nightly.home"));
            eventually(() ->
                    assertThat(lines.messages()).singleElement().asString().contains("shard 'east'"));
            ports.close();
            second = EmbeddedRedis.builder().port(second.port()).start();

            eventually(() -> assertThat(recurring(context, "east")).containsExactly("Nightly.orders"));
            eventually(() -> assertThat(declaring()).isEmpty());
        });
    }

    @Test
    void nothingGoesOnWithAShardThatIsAwayAfterTheEnd() {
        ports.close(second);
        runner.withBean(Nightly.class).withPropertyValues("jobs.queues=default").run(context -> assertThat(declaring())
                .isNotEmpty());

        assertThat(declaring()).isEmpty();
    }

    @Test
    void aWorkerWithoutRecurringJobsDeclaresNone() {
        runner.withBean(Nightly.class)
                .withPropertyValues("jobs.queues=default", "jobs.recurring.enabled=false")
                .run(context -> {
                    context.getBean(JobClient.class).enqueue(Shop::sell, "book");
                    eventually(
                            () -> assertThat(context.getBean(Shop.class).sold).containsExactly("book"));
                    assertThat(recurring(context, "home")).isEmpty();
                    assertThat(recurring(context, "east")).isEmpty();
                    assertThat(declaring()).isEmpty();
                });
    }

    @Test
    void theEnginesStopSideBySideWhileTheConnectionsAreOpen() throws Exception {
        CountDownLatch done = new CountDownLatch(1);
        runner.withPropertyValues("jobs.shutdown-timeout=20s").run(context -> {
            Shop shop = context.getBean(Shop.class);
            JobClient jobs = context.getBean(JobClient.class);
            jobs.enqueue(Shop::hold);
            jobs.queue("orders").enqueue(Shop::hold);
            eventually(() -> assertThat(shop.held).hasValue(2));
            assertThat(clients(redis)).contains(" name=jobs");
            assertThat(clients(second)).contains(" name=jobs");
            ConfigurableApplicationContext lifecycle = context.getSourceApplicationContext();
            Thread stopping = new Thread(() -> {
                lifecycle.stop();
                done.countDown();
            });

            stopping.start();

            eventually(() -> assertThat(
                            context.getBean(OwnEngines.class).byInstallation().values())
                    .extracting(engine -> engine.health().state())
                    .filteredOn(state -> state == EngineHealth.State.STOPPING)
                    .hasSize(2));
            shop.release.countDown();
            done.await();
            assertThat(context.getBean(OwnEngines.class).byInstallation().values())
                    .allMatch(engine -> engine.health().state() == EngineHealth.State.STOPPED);
            assertThat(clients(redis)).doesNotContain(" name=jobs");
            assertThat(clients(second)).doesNotContain(" name=jobs");

            lifecycle.start();
            jobs.enqueue(Shop::order, "again");
            eventually(() -> assertThat(shop.sold).contains("again"));
            assertThat(shards(context).get("east").admin().books().conservationError())
                    .isZero();
        });
        assertThat(clients(second)).doesNotContain(" name=jobs");
    }

    @Test
    void turnedOffJobsStillGoToTheirShards() {
        runner.withPropertyValues("jobs.enabled=false").run(context -> {
            assertThat(clients(second)).doesNotContain(" name=jobs");

            context.getBean(JobClient.class).enqueue(Shop::order, "pen");
            context.getBean(JobClient.class).enqueue(Shop::sell, "book");

            assertThat(keys(second)).contains("queue:orders");
            assertThat(keys(redis)).contains("queue:default").doesNotContain("queue:orders");
            assertThat(clients(second)).as("opened by the first use").contains(" name=jobs");
        });
        assertThat(clients(second)).doesNotContain(" name=jobs");
    }

    /** Nothing more than what there was. */
    @Test
    void withoutShardsThereIsOneEngineOnOneRedis() {
        ShardsContext.on(redis).withBean(Shop.class).run(context -> {
            context.getBean(JobClient.class).enqueue(Shop::sell, "book");
            eventually(() -> assertThat(context.getBean(Shop.class).sold).containsExactly("book"));

            assertThat(context.getBean(OwnEngines.class).byInstallation().values())
                    .containsExactly(context.getBean(JobEngine.class));
            assertThat(context.getBeansOfType(JobShards.Shard.class)).isEmpty();
            assertThat(shards(context).all()).hasSize(1);
            assertThat(shards(context).get("home").client()).isSameAs(context.getBean(JobClient.class));
            assertThat(shards(context).get("home").admin()).isSameAs(context.getBean(JobsAdmin.class));
            assertThat(context.getBean(JobStore.class)).isInstanceOf(RedisJobStore.class);
        });
    }

    private static JobShards shards(AssertableApplicationContext context) {
        return context.getBean(JobShards.class);
    }

    private static List<String> recurring(AssertableApplicationContext context, String shard) {
        return shards(context).get(shard).recurring().list().stream()
                .map(RecurringJob::name)
                .toList();
    }

    private static List<String> declaring() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter("jobs-declarations"::equals)
                .toList();
    }

    private static void eventually(ThrowingRunnable assertion) {
        await().atMost(Duration.ofSeconds(60)).untilAsserted(assertion);
    }

    private static List<String> keys(EmbeddedRedis of) {
        try (RedisClient client = RedisClient.create(of.uri());
                StatefulRedisConnection<String, String> connection = client.connect()) {
            return connection.sync().keys("*");
        }
    }

    private static String clients(EmbeddedRedis of) {
        try (RedisClient client = RedisClient.create(of.uri());
                StatefulRedisConnection<String, String> connection = client.connect()) {
            return connection.sync().clientList();
        }
    }

    static class Shop {

        final List<String> sold = new CopyOnWriteArrayList<>();
        final AtomicInteger held = new AtomicInteger();
        final CountDownLatch release = new CountDownLatch(1);

        @Job
        void sell(String what) {
            sold.add(what);
        }

        @Job(queue = "orders")
        void order(String what) {
            sell(what);
        }

        @Job(queue = "orders")
        void fail() {
            throw new IllegalStateException("no");
        }

        @Job
        void hold() throws InterruptedException {
            held.incrementAndGet();
            release.await();
        }
    }

    static class Nightly {

        @Job(queue = "orders", cron = "0 3 * * *")
        void orders() {}

        @Job(cron = "0 4 * * *")
        void home() {}
    }
}
