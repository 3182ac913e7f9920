package dev.jobs.spring.autoconfigure.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobContext;
import dev.jobs.JobFailedException;
import dev.jobs.JobInterruptedException;
import dev.jobs.JobListener;
import dev.jobs.Masked;
import dev.jobs.Payload;
import dev.jobs.RetryPolicy;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.spring.autoconfigure.JobsContext;
import dev.jobs.spring.observation.DefaultJobEnqueueConvention;
import dev.jobs.spring.observation.DefaultJobPerformConvention;
import dev.jobs.spring.observation.JobEnqueueContext;
import dev.jobs.spring.observation.JobPerformContext;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.core.StringRedisTemplate;

/** What observations of jobs are called, and what they know. */
class ObservationsIT {

    private final TestObservationRegistry observations = TestObservationRegistry.create();
    private final List<Observation.Context> stopped = new CopyOnWriteArrayList<>();
    private EmbeddedRedis redis;
    private ApplicationContextRunner runner;

    @BeforeEach
    void start() {
        observations.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public void onStop(Observation.Context context) {
                stopped.add(context);
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
        redis = EmbeddedRedis.start();
        runner = on(observations);
    }

    @AfterEach
    void stop() {
        redis.close();
    }

    private ApplicationContextRunner on(ObservationRegistry registry) {
        return JobsContext.on(redis)
                .withConfiguration(AutoConfigurations.of(JobsObservationAutoConfiguration.class))
                .withBean(ObservationRegistry.class, () -> registry)
                .withBean(
                        RetryPolicy.class,
                        () -> (job, count, failure) -> failure instanceof IllegalArgumentException
                                ? RetryPolicy.Decision.discard()
                                : failure instanceof UnsupportedOperationException
                                        ? RetryPolicy.Decision.kill()
                                        : RetryPolicy.Decision.retryIn(Duration.ofHours(1)))
                .withBean(Shop.class);
    }

    private List<Observation.Context> awaitPerformed(int count) {
        await().atMost(Duration.ofSeconds(60)).until(() -> performed().size() == count);
        return performed();
    }

    private List<Observation.Context> performed() {
        return stopped.stream().filter(JobPerformContext.class::isInstance).toList();
    }

    private static String key(Observation.Context context, String name) {
        return Objects.requireNonNull(context.getLowCardinalityKeyValue(name)).getValue();
    }

    private static @Nullable String outcome(Observation.Context context) {
        return key(context, "job") + " " + key(context, "outcome")
                + (context.getError() == null
                        ? ""
                        : " " + context.getError().getClass().getSimpleName());
    }

    @Test
    void aCallAndAnExecutionAreObservedByTheseNames() {
        runner.run(context -> {
            String jid = context.getBean(JobClient.class).enqueue(Shop::sell, "book");
            awaitPerformed(1);

            TestObservationRegistryAssert.assertThat(observations)
                    .hasObservationWithNameEqualTo("jobs.enqueue")
                    .that()
                    .hasBeenStopped()
                    .hasContextualNameEqualTo("enqueue Shop.sell")
                    .hasOnlyKeys(
                            "job",
                            "queue",
                            "jid",
                            "messaging.message.id",
                            "messaging.system",
                            "messaging.operation.name",
                            "messaging.operation.type",
                            "messaging.destination.name")
                    .hasLowCardinalityKeyValue("job", "Shop.sell")
                    .hasLowCardinalityKeyValue("queue", "default")
                    .hasHighCardinalityKeyValue("jid", jid)
                    .hasHighCardinalityKeyValue("messaging.operation.type", "send");
            TestObservationRegistryAssert.assertThat(observations)
                    .hasObservationWithNameEqualTo("jobs.perform")
                    .that()
                    .hasBeenStopped()
                    .hasContextualNameEqualTo("perform Shop.sell")
                    .hasOnlyKeys(
                            "job",
                            "queue",
                            "outcome",
                            "jid",
                            "attempt",
                            "recoveries",
                            "messaging.message.id",
                            "messaging.system",
                            "messaging.operation.name",
                            "messaging.operation.type",
                            "messaging.destination.name")
                    .hasLowCardinalityKeyValue("job", "Shop.sell")
                    .hasLowCardinalityKeyValue("queue", "default")
                    .hasLowCardinalityKeyValue("outcome", "done")
                    .hasHighCardinalityKeyValue("jid", jid)
                    .hasHighCardinalityKeyValue("attempt", "1")
                    .hasHighCardinalityKeyValue("messaging.operation.type", "process");
        });
    }

    @Test
    void anExecutionKnowsHowItEnded() {
        runner.run(context -> {
            JobClient jobs = context.getBean(JobClient.class);
            jobs.enqueue(Shop::sell, "book");
            jobs.enqueue(Shop::fail, "again");
            jobs.enqueue(Shop::die);
            jobs.enqueue(Shop::discard);
            jobs.enqueue(Shop::refuse);
            jobs.retry(5).enqueue("Nobody's");
            context.getBean(StringRedisTemplate.class)
                    .opsForList()
                    .leftPush(
                            "queue:default",
                            "{\"class\":\"Shop.sell\",\"args\":[1,2],\"jid\":\"j7\",\"retry\":true,\"jobs_waits_since\":1}");
            Supplier<Stream<String>> outcomes = () ->
                    performed().stream().map(ObservationsIT::outcome).distinct(); // one is postponed again and again
            await().atMost(Duration.ofSeconds(60)).until(() -> outcomes.get().count() == 7);

            assertThat(outcomes.get())
                    .containsExactlyInAnyOrder(
                            "Shop.sell done",
                            "Shop.fail retried IllegalStateException",
                            "Shop.die dead UnsupportedOperationException",
                            "Shop.discard discarded IllegalArgumentException",
                            "Shop.refuse failed JobFailedException",
                            "unknown postponed",
                            "Shop.sell retried ArgumentException");
        });
    }

    @Test
    void anInterruptedExecutionIsFollowedByAnother() {
        runner.run(context -> {
            context.getBean(JobClient.class).enqueue(Shop::pause);
            awaitPerformed(2);

            // The first observation ends after its job went back, and so perhaps after the second one.
            assertThat(performed().stream().map(ObservationsIT::outcome))
                    .containsExactlyInAnyOrder("Shop.pause interrupted", "Shop.pause done");
        });
    }

    @Test
    void whatAWorkerHandsBackIsNoFailure() {
        runner.withPropertyValues("jobs.shutdown-timeout=0s").run(context -> {
            context.getBean(JobClient.class).enqueue(Shop::hold);
            Shop shop = context.getBean(Shop.class);
            await().atMost(Duration.ofSeconds(60)).until(() -> shop.running.contains("hold"));
        });

        assertThat(awaitPerformed(1).stream().map(ObservationsIT::outcome)).containsExactly("Shop.hold handed_back");
    }

    @Test
    void theJobRunsInsideItsObservationAndListenersHearOfItsEndThere() {
        List<String> current = new CopyOnWriteArrayList<>();
        runner.withBean(JobListener.class, () -> new JobListener() {
                    @Override
                    public void finished(JobContext job, Ending ending, Duration took, @Nullable Throwable failure) {
                        current.add("finished in " + name(observations.getCurrentObservation()));
                    }
                })
                .withBean("inside", dev.jobs.JobMiddleware.class, () -> (job, next) -> {
                    current.add("performed in " + name(observations.getCurrentObservation()));
                    next.proceed();
                })
                .run(context -> {
                    context.getBean(JobClient.class).enqueue(Shop::sell, "book");
                    awaitPerformed(1);
                });

        assertThat(current).containsExactly("performed in jobs.perform", "finished in jobs.perform");
        TestObservationRegistryAssert.assertThat(observations).doesNotHaveAnyRemainingCurrentObservation();
    }

    private static @Nullable String name(@Nullable Observation observation) {
        return observation == null ? null : observation.getContext().getName();
    }

    @Test
    void aRefusedCallIsAFailedObservation() {
        runner.withPropertyValues("jobs.max-payload=1000B").run(context -> {
            JobClient jobs = context.getBean(JobClient.class);
            Throwable refused = catchThrowable(() -> jobs.enqueue(Shop::sell, "b".repeat(2_000)));

            assertThat(stopped).hasSize(1);
            assertThat(stopped.get(0).getError()).isSameAs(refused).isNotNull();
        });
    }

    @Test
    void maskedArgumentsAreHiddenInTheErrorOfAnExecution() {
        runner.run(context -> {
            context.getBean(JobClient.class).enqueue(Shop::pay, "4111-1111-1111");
            Throwable shown = awaitPerformed(1).get(0).getError();

            assertThat(shown)
                    .hasMessage("java.lang.IllegalStateException: No such card: •••")
                    .hasNoCause();
        });
    }

    @Test
    void beansRenameObservationsAndKeys() {
        runner.withBean(DefaultJobEnqueueConvention.class, () -> new DefaultJobEnqueueConvention() {
                    @Override
                    public String getName() {
                        return "shop.send";
                    }

                    @Override
                    public KeyValues getLowCardinalityKeyValues(JobEnqueueContext context) {
                        return KeyValues.of("work", context.job());
                    }
                })
                .withBean(DefaultJobPerformConvention.class, () -> new DefaultJobPerformConvention() {
                    @Override
                    public String getName() {
                        return "shop.work";
                    }

                    @Override
                    public KeyValues getHighCardinalityKeyValues(JobPerformContext context) {
                        return KeyValues.of(
                                "argument",
                                String.valueOf(
                                        context.execution().payload().args().get(0)));
                    }
                })
                .run(context -> {
                    context.getBean(JobClient.class).enqueue(Shop::sell, "book");
                    awaitPerformed(1);
                });

        TestObservationRegistryAssert.assertThat(observations)
                .hasNumberOfObservationsEqualTo(2)
                .hasObservationWithNameEqualTo("shop.send")
                .that()
                .hasLowCardinalityKeyValue("work", "Shop.sell")
                .doesNotHaveLowCardinalityKeyValueWithKey("job");
        TestObservationRegistryAssert.assertThat(observations)
                .hasObservationWithNameEqualTo("shop.work")
                .that()
                .hasHighCardinalityKeyValue("argument", "book");
    }

    @Test
    void namesFromOutsideCantFillAMeterRegistry() {
        runner.withPropertyValues("jobs.worker.enabled=false").run(context -> {
            JobClient jobs = context.getBean(JobClient.class);
            for (int i = 0; i < 250; i++) {
                jobs.queue("q" + i).enqueue("job" + i);
            }

            Set<String> queues =
                    stopped.stream().map(each -> key(each, "queue")).collect(Collectors.toSet());
            Set<String> names = stopped.stream().map(each -> key(each, "job")).collect(Collectors.toSet());
            assertThat(queues).hasSize(201).contains("q0", "q199", "other");
            assertThat(names).hasSize(201).contains("job0", "job199", "other");
        });
    }

    @Test
    void withoutHandlersThereIsNoFieldAndNoObservation() {
        on(ObservationRegistry.create())
                .withPropertyValues("jobs.worker.enabled=false")
                .run(context -> {
                    assertThat(context.getBean(EnqueueObservations.class).begin(null))
                            .isSameAs(dev.jobs.EnqueueCall.NONE);
                    context.getBean(JobClient.class).enqueue(Shop::sell, "book");
                    String stored = context.getBean(StringRedisTemplate.class)
                            .opsForList()
                            .index("queue:default", 0);
                    assertThat(Payload.parse(stored.getBytes(StandardCharsets.UTF_8))
                                    .names())
                            .containsExactly("retry", "queue", "class", "args", "jid", "created_at", "enqueued_at");
                });
    }

    @Test
    void anObservationThatIsTurnedOffLeavesNothing() {
        observations.observationConfig().observationPredicate((name, context) -> !name.startsWith("jobs."));
        runner.run(context -> {
            context.getBean(JobClient.class).enqueue(Shop::sell, "book");
            Shop shop = context.getBean(Shop.class);
            await().atMost(Duration.ofSeconds(60)).until(() -> shop.running.contains("sell"));
        });

        TestObservationRegistryAssert.assertThat(observations).doesNotHaveAnyObservation();
    }

    @Test
    void withoutARegistryNothingObserves() {
        JobsContext.withoutWorker()
                .withConfiguration(AutoConfigurations.of(JobsObservationAutoConfiguration.class))
                .run(context -> assertThat(context).doesNotHaveBean(JobsObservationAutoConfiguration.class));
    }

    static class Shop {

        final Set<String> running = ConcurrentHashMap.newKeySet();

        @Job
        void sell(String product) {
            running.add("sell");
        }

        @Job
        void fail(String product) {
            throw new IllegalStateException("not now");
        }

        @Job
        void die() {
            throw new UnsupportedOperationException("never");
        }

        @Job
        void discard() {
            throw new IllegalArgumentException("not worth it");
        }

        @Job
        void refuse() {
            throw new JobFailedException("sold out");
        }

        @Job
        void pause() {
            if (running.add("pause")) {
                throw new JobInterruptedException("later");
            }
        }

        @Job
        void hold() throws InterruptedException {
            running.add("hold");
            new java.util.concurrent.CountDownLatch(1).await();
        }

        @Job
        void pay(@Masked String card) {
            throw new IllegalStateException("No such card: " + card);
        }
    }
}
