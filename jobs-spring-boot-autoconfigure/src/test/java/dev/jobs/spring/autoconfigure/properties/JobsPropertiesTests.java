package dev.jobs.spring.autoconfigure.properties;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.PayloadTimes;
import dev.jobs.assembly.EngineConfig;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.batches.BatchRetention;
import dev.jobs.client.ClientConfig;
import dev.jobs.ends.TimeoutConfig;
import dev.jobs.engine.CapsuleConfig;
import dev.jobs.limiters.LimiterConfig;
import dev.jobs.limits.LimitConfig;
import dev.jobs.limits.LimitNumbers;
import dev.jobs.limits.LimitRate;
import dev.jobs.ordered.OrderRule;
import dev.jobs.ordered.OrderRules;
import dev.jobs.recurring.RecurringConfig;
import dev.jobs.redis.RedisConnections;
import dev.jobs.spring.autoconfigure.JobsContext;
import dev.jobs.spring.autoconfigure.checks.WrongPropertiesException;
import dev.jobs.spring.autoconfigure.checks.WrongPropertiesException.Wrong;
import dev.jobs.store.DeadSetBounds;
import java.lang.reflect.Field;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.convert.DurationUnit;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.env.MapPropertySource;

class JobsPropertiesTests {

    private final ApplicationContextRunner runner = JobsContext.withoutStart();

    @Test
    @Tag("sidekiq-32")
    void theDefaultsAreThoseOfTheCore() {
        runner.run(context -> {
            assertThat(context.getBean(EngineConfig.class)).isEqualTo(EngineConfig.of(10, "default"));
            assertThat(context.getBean(ClientConfig.class)).isEqualTo(ClientConfig.defaults());
            assertThat(context.getBean(RedisConnections.class).keys().prefix()).isEmpty();
        });
    }

    static Stream<Arguments> properties() {
        return Stream.of(
                engine("jobs.concurrency=3", config -> config.capsules().get(0).concurrency(), 3),
                engine(
                        "jobs.queues=critical,default",
                        config -> config.capsules().get(0).queues(),
                        List.of("critical", "default")),
                engine("jobs.shutdown-timeout=5s", EngineConfig::shutdownTimeout, Duration.ofSeconds(5)),
                engine("jobs.shutdown-timeout=30", EngineConfig::shutdownTimeout, Duration.ofSeconds(30)),
                engine("jobs.lease=8s", EngineConfig::lease, Duration.ofSeconds(8)),
                engine("jobs.poll-interval=2s", EngineConfig::pollInterval, Duration.ofSeconds(2)),
                engine("jobs.retry.max-attempts=7", EngineConfig::maxAttempts, 7),
                engine("jobs.dead.max-jobs=500", EngineConfig::dead, new DeadSetBounds(500, Duration.ofDays(180))),
                engine("jobs.dead.retention=30d", EngineConfig::dead, new DeadSetBounds(10_000, Duration.ofDays(30))),
                engine("jobs.poison.max-recoveries=5", EngineConfig::maxRecoveries, 5),
                engine("jobs.unknown-jobs.wait-for=30", EngineConfig::unknownJobWait, Duration.ofSeconds(30)),
                engine("jobs.iteration.max-runtime=5m", EngineConfig::maxIterationRuntime, Duration.ofMinutes(5)),
                engine("jobs.iteration.max-runtime=", EngineConfig::maxIterationRuntime, null),
                engine(
                        "jobs.timeout.default=5m",
                        EngineConfig::timeouts,
                        new TimeoutConfig(Duration.ofMinutes(5), Duration.ofSeconds(10))),
                engine(
                        "jobs.limits.erp.concurrency=4",
                        EngineConfig::limits,
                        new LimitConfig(Map.of("erp", LimitNumbers.atOnce(4)))),
                engine(
                        "jobs.queue-limits.mail.concurrency=20",
                        EngineConfig::limits,
                        new LimitConfig(Map.of(), Map.of("mail", 20))),
                engine("jobs.timeout.default=", EngineConfig::timeouts, TimeoutConfig.defaults()),
                engine("jobs.timeout.grace=3", EngineConfig::timeouts, new TimeoutConfig(null, Duration.ofSeconds(3))),
                engine(
                        "jobs.limiters.reschedules=5",
                        EngineConfig::limiters,
                        new LimiterConfig(5, Set.of(), Duration.ofMinutes(1))),
                engine(
                        "jobs.limiters.errors=java.io.IOException,a.B$C",
                        EngineConfig::limiters,
                        new LimiterConfig(20, Set.of("java.io.IOException", "a.B$C"), Duration.ofMinutes(1))),
                engine(
                        "jobs.limiters.error-delay=30",
                        EngineConfig::limiters,
                        new LimiterConfig(20, Set.of(), Duration.ofSeconds(30))),
                engine("jobs.recurring.enabled=false", recurring(RecurringConfig::enabled), false),
                engine("jobs.recurring.namespace=mine", recurring(RecurringConfig::namespace), "mine"),
                engine("jobs.recurring.grace=5m", recurring(RecurringConfig::grace), Duration.ofMinutes(5)),
                engine("jobs.recurring.application=blue", recurring(RecurringConfig::application), "blue"),
                engine("spring.application.name=shop", recurring(RecurringConfig::application), "shop"),
                engine("jobs.worker.tag=blue", EngineConfig::tag, "blue"),
                engine("jobs.deploy-label=v1.2 é", EngineConfig::deployLabel, "v1.2 é"),
                engine("jobs.sidekiq.float-seconds=true", EngineConfig::times, PayloadTimes.FLOAT_SECONDS),
                engine("spring.application.name=shop", EngineConfig::tag, "shop"),
                engine("jobs.batches.retention=2h", batches(BatchRetention::plain), Duration.ofHours(2)),
                engine("jobs.batches.retention-with-dead=3d", batches(BatchRetention::withDead), Duration.ofDays(3)));
    }

    private static <T> Function<EngineConfig, T> recurring(Function<RecurringConfig, T> part) {
        return config -> part.apply(config.recurring());
    }

    private static <T> Function<EngineConfig, T> batches(Function<BatchRetention, T> part) {
        return config -> part.apply(config.batches());
    }

    private static <T> Arguments engine(String property, Function<EngineConfig, T> actual, T expected) {
        return Arguments.of(property, actual, expected);
    }

    @ParameterizedTest
    @MethodSource("properties")
    void eachPropertyOfTheEngineCounts(String property, Function<EngineConfig, Object> actual, Object expected) {
        runner.withPropertyValues(property).run(context -> assertThat(actual.apply(context.getBean(EngineConfig.class)))
                .isEqualTo(expected));
    }

    @Test
    void sizeAndPrefixAndTheTimeOfResultsCount() {
        runner.withPropertyValues("jobs.max-payload=2MB", "jobs.key-prefix=shop:", "jobs.results.keep=5m")
                .run(context -> {
                    assertThat(context.getBean(ClientConfig.class).keepResult()).isEqualTo(Duration.ofMinutes(5));
                    assertThat(context.getBean(ClientConfig.class).maxPayload()).isEqualTo(2 << 20);
                    assertThat(context.getBean(RedisConnections.class).keys().prefix())
                            .isEqualTo("shop:");
                });
    }

    @Test
    @Tag("sidekiq-5")
    void theFormOfTimesCountsForClientAndAdministrationToo() {
        runner.withPropertyValues("jobs.sidekiq.float-seconds=true").run(context -> {
            assertThat(context.getBean(ClientConfig.class).times()).isEqualTo(PayloadTimes.FLOAT_SECONDS);
            assertThat(context.getBean(JobsAdmin.class))
                    .extracting("sets.moves.times")
                    .isEqualTo(PayloadTimes.FLOAT_SECONDS);
        });
    }

    @Test
    void aLabelThatCanNotBeOneIsRefused() {
        for (String wrong : List.of("a\nb", "x".repeat(201))) {
            runner.withPropertyValues("jobs.deploy-label=" + wrong)
                    .run(context -> assertThat(context.getStartupFailure())
                            .rootCause()
                            .isInstanceOf(WrongPropertiesException.class));
        }
        runner.withPropertyValues("jobs.deploy-label=")
                .run(context -> assertThat(context.getBean(EngineConfig.class).deployLabel())
                        .isEmpty());
    }

    @Test
    void weightsCanBeListed() {
        runner.withPropertyValues("jobs.queues[0]=critical,3", "jobs.queues[1]=default,1")
                .run(context -> assertThat(context.getBean(EngineConfig.class)
                                .capsules()
                                .get(0)
                                .weights())
                        .containsEntry("critical", 3)
                        .containsEntry("default", 1));
    }

    @Test
    void capsulesHaveNamesAndTakeTheMainConcurrencyIfTheySayNone() {
        runner.withPropertyValues(
                        "jobs.concurrency=7",
                        "jobs.capsules.reports.concurrency=1",
                        "jobs.capsules.reports.queues=reports",
                        "jobs.capsules.mail.queues=mail")
                .run(context -> assertThat(context.getBean(EngineConfig.class).capsules())
                        .containsExactlyInAnyOrder(
                                CapsuleConfig.of("default", 7, List.of("default")),
                                CapsuleConfig.of("reports", 1, List.of("reports")),
                                CapsuleConfig.of("mail", 7, List.of("mail"))));
    }

    @Test
    void queuesAreOrderedByAWordOrMore() {
        runner.withPropertyValues(
                        "jobs.ordered-queues.imports=fair",
                        "jobs.ordered-queues.mail.by=priority",
                        "jobs.ordered-queues.mail.step=30",
                        "jobs.ordered-queues.exports.by=FAIR",
                        "jobs.ordered-queues.exports.weights[tenant-7]=3",
                        "jobs.ordered-queues.[a.b]=none")
                .run(context -> assertThat(
                                context.getBean(RedisConnections.class).keys().sorted())
                        .isEqualTo(new OrderRules(Map.of(
                                "imports", OrderRule.fair(),
                                "mail", OrderRule.priority(Duration.ofSeconds(30)),
                                "exports", OrderRule.fair(Map.of("tenant-7", 3)),
                                "a.b", OrderRule.none()))));
        runner.run(context -> assertThat(
                        context.getBean(RedisConnections.class).keys().sorted())
                .isEqualTo(OrderRules.NONE));
    }

    @Test
    void anOrderThatCannotBeIsRefusedWithItsNameAndValue() {
        runner.withPropertyValues(
                        "jobs.ordered-queues.imports=fairly",
                        "jobs.ordered-queues.mail.step=0s",
                        "jobs.ordered-queues.exports.by=fair",
                        "jobs.ordered-queues.exports.weights.a=101")
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .isInstanceOf(WrongPropertiesException.class)
                        .extracting(Throwable::getMessage)
                        .asString()
                        .contains("jobs.ordered-queues[imports].by", "fairly", "must be one of fair, priority, none")
                        .contains("jobs.ordered-queues[mail].by", "jobs.ordered-queues[mail].step", "must be 1ms to 1d")
                        .contains("jobs.ordered-queues[exports].weights[a]", "101", "must be 1 to 100"));
    }

    @Test
    void anOrderThatWouldBeIgnoredInPartIsRefused() {
        runner.withPropertyValues(
                        "jobs.ordered-queues.imports.by=fair",
                        "jobs.ordered-queues.imports.step=30",
                        "jobs.ordered-queues.mail.by=Priority",
                        "jobs.ordered-queues.mail.weights.tenant-7=3",
                        "jobs.ordered-queues.[no queue]=fair")
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .isInstanceOf(WrongPropertiesException.class)
                        .extracting(Throwable::getMessage)
                        .asString()
                        .contains("jobs.ordered-queues[imports].step", "PT30S", "must be missing: only priority")
                        .contains("jobs.ordered-queues[mail].weights", "tenant-7", "must be missing: only the keys")
                        .contains("jobs.ordered-queues[no queue]", "must be the name of a queue"));
        // the jobs that still wait in order may keep what they had
        runner.withPropertyValues(
                        "jobs.ordered-queues.imports.by=none", "jobs.ordered-queues.imports.weights.tenant-7=3")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void everyTimeWithoutAUnitIsInSeconds() {
        List<RecordComponent> times = times(JobsProperties.class).toList();
        assertThat(times).hasSizeGreaterThan(5).allSatisfy(time -> {
            DurationUnit unit = field(time).getAnnotation(DurationUnit.class);
            assertThat(unit).as("the unit of %s", time.getName()).isNotNull();
            assertThat(unit.value()).isEqualTo(ChronoUnit.SECONDS);
        });
    }

    private static Stream<RecordComponent> times(Class<?> properties) {
        return Arrays.stream(properties.getRecordComponents())
                .flatMap(each -> each.getType().isRecord() ? times(each.getType()) : Stream.of(each))
                .filter(each -> each.getType() == Duration.class);
    }

    private static Field field(RecordComponent component) {
        try {
            return component.getDeclaringRecord().getDeclaredField(component.getName());
        } catch (NoSuchFieldException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "concurrency, 0, 1, 10000, 10001",
        "shutdown-timeout, -1ms, 0s, 1h, 3601s",
        "lease, 1999ms, 2s, 10m, 601s",
        "retry.max-attempts, -1, 0, 1000, 1001",
        "dead.max-jobs, 0, 1, 2000000000, -1",
        "dead.retention, 999ms, 1s, 3650d, -1s",
        "poll-interval, 99ms, 100ms, 10m, 601s",
        "max-payload, 999B, 1000B, 500000000B, 500000001B",
        "poison.max-recoveries, 0, 1, 100, 101",
        "iteration.max-runtime, 0ms, 1ms, 365d, 366d",
        "timeout.default, 0ms, 1ms, 365d, 366d",
        "timeout.grace, -1ms, 0s, 1h, 61m",
        "limiters.reschedules, -1, 0, 1000, 1001",
        "limiters.error-delay, 0ms, 1ms, 1d, 25h",
        "results.keep, 999ms, 1s, 30d, 31d",
        "recurring.grace, 999ms, 1s, 12h, 43201s",
        "batches.retention, 59s, 1m, 3650d, 3651d",
        "batches.retention-with-dead, 59s, 1m, 3650d, 3651d",
        "batches.stuck-after, 999ms, 1s, 365d, 366d",
        "batches.max-streams, -1, 0, 10000, 10001",
        "capsules.a.concurrency, 0, 1, 10000, 10001"
    })
    void eachRangeIsThatOfTheCore(String property, String below, String least, String most, String above) {
        ApplicationContextRunner withCapsule = runner.withPropertyValues("jobs.capsules.a.queues=a");
        for (String wrong : List.of(below, above)) {
            withCapsule.withPropertyValues("jobs." + property + "=" + wrong).run(context -> assertThat(
                            context.getStartupFailure())
                    .as(property + "=" + wrong)
                    .rootCause()
                    .isInstanceOf(WrongPropertiesException.class));
        }
        for (String right : List.of(least, most)) {
            withCapsule.withPropertyValues("jobs." + property + "=" + right).run(context -> assertThat(context)
                    .as(property + "=" + right)
                    .hasNotFailed());
        }
    }

    @Test
    void aLimitHasAConcurrencyOrARateOrBoth() {
        runner.withPropertyValues(
                        "jobs.limits.api.rate=100",
                        "jobs.limits.api.per=20",
                        "jobs.limits.erp.concurrency=4",
                        "jobs.limits.erp.rate=100",
                        "jobs.limits.erp.per=1m",
                        "jobs.limits.erp.burst=5")
                .run(context -> assertThat(
                                context.getBean(EngineConfig.class).limits().limits())
                        .containsOnly(
                                Map.entry("api", new LimitNumbers(null, LimitRate.of(100, Duration.ofSeconds(20)))),
                                Map.entry("erp", new LimitNumbers(4, new LimitRate(100, Duration.ofMinutes(1), 5)))));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "concurrency=0 | concurrency | must be 1 to 1000000",
                "concurrency=1000001 | concurrency | must be 1 to 1000000",
                "rate=0,per=1s | rate | must be 1 to 1000000",
                "rate=1 | per | must be there exactly if there is a rate",
                "concurrency=1,per=1s | per | must be there exactly if there is a rate",
                "rate=1,per=0 | per | must be 1ms to 365d",
                "rate=1,per=366d | per | must be 1ms to 365d",
                "rate=1,per=1s,burst=0 | burst | must be 1 to 1000000",
                "concurrency=1,burst=1 | burst | must only be there with a rate",
                "rate=1,per=365d,burst=101 | burst | must be there again within 100 years at that rate",
                "burst=1000001,rate=1,per=1s | burst | must be 1 to 1000000"
            })
    void aLimitThatCanNotWorkIsRefused(String values, String property, String rule) {
        runner.withPropertyValues(Arrays.stream(values.split(","))
                        .map("jobs.limits.erp."::concat)
                        .toArray(String[]::new))
                .run(context -> assertThat(NestedExceptionUtils.getMostSpecificCause(context.getStartupFailure()))
                        .isInstanceOfSatisfying(
                                WrongPropertiesException.class,
                                wrong -> assertThat(wrong.all()).singleElement().satisfies(each -> {
                                    assertThat(each.property()).isEqualTo("jobs.limits[erp]." + property);
                                    assertThat(each.rule()).isEqualTo(rule);
                                })));
    }

    @Test
    void allWrongValuesAreReportedAtOnce() {
        runner.withPropertyValues("jobs.concurrency=0", "jobs.lease=1s", "jobs.max-payload=1B", "jobs.queues=")
                .run(context -> assertThat(NestedExceptionUtils.getMostSpecificCause(context.getStartupFailure()))
                        .isInstanceOfSatisfying(WrongPropertiesException.class, wrong -> assertThat(wrong.all())
                                .extracting(Wrong::property)
                                .containsExactlyInAnyOrder(
                                        "jobs.concurrency", "jobs.lease", "jobs.max-payload", "jobs.queues")));
    }

    @Test
    void whatIsNoNameOfAClassIsRefused() {
        runner.withPropertyValues("jobs.limiters.errors=java.io.IOException,429")
                .run(context -> assertThat(NestedExceptionUtils.getMostSpecificCause(context.getStartupFailure()))
                        .isInstanceOfSatisfying(WrongPropertiesException.class, wrong -> assertThat(wrong.all())
                                .extracting(Wrong::property)
                                .containsExactly("jobs.limiters.errors[1]")));
    }

    @ParameterizedTest
    @CsvSource({"mdc-keys, a", "accessors, b"})
    void keysOfTheContextAreFewAndShort(String property, String key) {
        for (String wrong : List.of((key + ",").repeat(21), key.repeat(101), "a\u0007b", key + ",a\u0007b")) {
            runner.withPropertyValues("jobs.context." + property + "=" + wrong)
                    .run(context -> assertThat(context.getStartupFailure())
                            .rootCause()
                            .isInstanceOf(WrongPropertiesException.class)
                            .hasMessageContaining("jobs.context." + property));
        }
        runner.withPropertyValues("jobs.context." + property + "=" + (key + ",").repeat(19) + key.repeat(100))
                .run(context -> assertThat(context).hasNotFailed());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "*"})
    void aNamespaceIsAName(String namespace) {
        runner.withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new MapPropertySource("given", Map.of("jobs.recurring.namespace", namespace))))
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessage("jobs.recurring.namespace must be a name but was '" + namespace + "'"));
    }
}
