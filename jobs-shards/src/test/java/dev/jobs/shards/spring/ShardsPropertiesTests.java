package dev.jobs.shards.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.jobs.Job;
import dev.jobs.JobDefinitionException;
import dev.jobs.JobRegistry;
import dev.jobs.assembly.EngineConfig;
import dev.jobs.limits.Limit;
import dev.jobs.shards.ShardMap;
import dev.jobs.shards.ShardMap.SpreadBy;
import dev.jobs.unique.Unique;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

class ShardsPropertiesTests {

    private static final String[] THREE = {
        "jobs.queues=default,orders,events",
        "jobs.shards.home.queues=default,mail",
        "jobs.shards.east.url=redis://:secret@localhost:2/3",
        "jobs.shards.east.queues=orders",
        "jobs.shards.west.key-prefix=west:",
        "jobs.spread-queues.events.by=jid",
        "jobs.spread-queues.tenants.by=key",
        "jobs.spread-queues.tenants.shards=east,west",
    };

    private final ApplicationContextRunner runner = ShardsContext.withoutStart();
    private final ApplicationContextRunner sharded = runner.withPropertyValues(THREE);

    @Test
    void shardsAndTheirQueuesAreBound() {
        sharded.run(context -> {
            JobShards shards = context.getBean(JobShards.class);
            ShardMap map = shards.map();

            assertThat(map.shards()).containsExactly("home", "east", "west");
            assertThat(map.of("orders")).containsExactly("east");
            assertThat(map.of("mail")).containsExactly("home");
            assertThat(map.of("events")).containsExactly("home", "east", "west");
            assertThat(map.spread("tenants").by()).isEqualTo(SpreadBy.KEY);
            assertThat(map.of("tenants")).containsExactly("east", "west");
            assertThat(shards.all())
                    .extracting(JobShards.Shard::name, JobShards.Shard::address)
                    .containsExactly(
                            org.assertj.core.groups.Tuple.tuple("home", "localhost:1, database 0"),
                            org.assertj.core.groups.Tuple.tuple("east", "localhost:2, database 3"),
                            org.assertj.core.groups.Tuple.tuple("west", "localhost:1, database 0"));
        });
    }

    @Test
    void withoutShardsThereIsTheHomeShardAlone() {
        runner.run(context -> {
            JobShards shards = context.getBean(JobShards.class);

            assertThat(shards.all()).singleElement().satisfies(home -> {
                assertThat(home.name()).isEqualTo("home");
                assertThat(home.client()).isSameAs(context.getBean(dev.jobs.JobClient.class));
                assertThat(home.admin()).isSameAs(context.getBean(dev.jobs.assembly.JobsAdmin.class));
            });
            assertThat(shards.map().of("anything")).containsExactly("home");
        });
    }

    @Test
    void theHomeShardMayHaveAnotherName() {
        runner.withPropertyValues(
                        "jobs.home-shard=eu", "jobs.shards.eu.queues=default", "jobs.shards.us.url=redis://localhost:2")
                .run(context -> assertThat(
                                context.getBean(JobShards.class).map().shards())
                        .containsExactly("eu", "us"));
    }

    @Test
    void clusterShardsAreNumberedAndPlaceQueuesByName() {
        runner.withPropertyValues("jobs.cluster-shards=4", "jobs.key-prefix={shop}:")
                .run(context -> {
                    ShardMap map = context.getBean(JobShards.class).map();

                    assertThat(map.shards()).containsExactly("home", "s2", "s3", "s4");
                    assertThat(Stream.of("a", "b", "c", "d", "e", "f", "g", "h")
                                    .map(map::of)
                                    .distinct())
                            .hasSizeGreaterThan(1);
                });
    }

    @Test
    void aShardMayHaveAConnectionFactoryForItAlone() {
        ApplicationContextRunner named = runner.withPropertyValues(
                "jobs.shards.home.queues=default", "jobs.shards.east.connection-factory=east");

        named.run(
                context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(JobDefinitionException.class)
                        .hasMessageContaining(
                                "jobs.shards.east.connection-factory is 'east', and there is no LettuceConnectionFactory bean"));
        named.withBean(
                        "east",
                        LettuceConnectionFactory.class,
                        () -> new LettuceConnectionFactory(new RedisStandaloneConfiguration("redis-east", 7)),
                        definition -> definition.setAutowireCandidate(false))
                .run(context -> assertThat(
                                context.getBean(JobShards.class).get("east").address())
                        .isEqualTo("redis-east:7, database 0"));
    }

    static Stream<Arguments> wrong() {
        String[] two = {"jobs.shards.home.queues=default", "jobs.shards.east.url=redis://localhost:2"};
        return Stream.of(
                wrong("jobs.shards[east].url must be there", "jobs.shards.east.queues=default"),
                wrong("jobs.shards[east].url must be an address", "jobs.shards.east.url=localhost"),
                wrong(
                        "jobs.shards[east].url must be empty beside connection-factory",
                        "jobs.shards.east.url=redis://localhost:2",
                        "jobs.shards.east.connection-factory=east"),
                wrong("jobs.shards[east].username must be empty", "jobs.shards.east.password=secret"),
                wrong("jobs.shards[EAST] must be 1 to 40 lower-case", "jobs.shards[EAST].key-prefix=x:"),
                wrong(
                        "jobs.shards[home].queues must be the only property of the home shard",
                        "jobs.shards.home.key-prefix=x:",
                        "jobs.shards.east.key-prefix=y:"),
                wrong("jobs.shards must name another shard", "jobs.shards.home.queues=default"),
                wrong("jobs.shards[home].queues must be names of queues", "jobs.shards.home.queues[0]=a b", two[1]),
                wrong("jobs.shards[home].queues must name each queue once", "jobs.shards.home.queues=a,a", two[1]),
                wrong("jobs.cluster-shards must be 1, 2, 4", "jobs.cluster-shards=3"),
                wrong("jobs.cluster-shards must be 1, 2, 4", "jobs.cluster-shards=512"),
                wrong("jobs.cluster-shards must not be there beside jobs.shards", "jobs.cluster-shards=2", two[1]),
                wrong(
                        "jobs.home-shard must not be s with a number beside jobs.cluster-shards",
                        "jobs.cluster-shards=2",
                        "jobs.home-shard=s2"),
                wrong("jobs.key-prefix is 'shop:'", "jobs.cluster-shards=2", "jobs.key-prefix=shop:"),
                wrong("jobs.spread-queues[e].by must be jid or key", two[1], "jobs.spread-queues.e.shards=home,east"),
                wrong(
                        "jobs.spread-queues[e].shards must be at least two of the shards [home, east]",
                        two[1],
                        "jobs.spread-queues.e.by=jid",
                        "jobs.spread-queues.e.shards=home,north"),
                wrong("jobs.spread-queues[e].shards must be at least two", "jobs.spread-queues.e.by=jid"),
                wrong(
                        "spread by key with failover",
                        two[0],
                        two[1],
                        "jobs.spread-queues.e.by=key",
                        "jobs.spread-queues.e.failover=true"),
                wrong(
                        "jobs.moving-queues[m].from must be one of the shards",
                        two[1],
                        "jobs.moving-queues.m.from=north"),
                wrong(
                        "jobs.moving-queues says that the queue 'default' moves from the shard 'home', and it lives in [home]",
                        two[0],
                        two[1],
                        "jobs.moving-queues.default.from=home"),
                wrong("lives in no shard", two[0], two[1], "jobs.moving-queues.m.from=home"),
                wrong(
                        "Queue 'default' lives in the shards 'home' and 'east'",
                        two[0],
                        two[1],
                        "jobs.shards.east.queues=default"),
                wrong(
                        "Queue 'default' is spread, and lives in shard 'home'",
                        two[0],
                        two[1],
                        "jobs.spread-queues.default.by=jid"),
                wrong(
                        "The shards 'home' and 'east' have the same keys: both are on the application's Redis with the prefix ''",
                        two[0],
                        "jobs.shards.east.key-prefix="),
                wrong(
                        "The shards 'home' and 'east' have the same keys: both are on localhost:1, database 0",
                        two[0],
                        "jobs.shards.east.url=redis://localhost:1"),
                wrong(
                        "The queue 'mail' in jobs.queues is in none of the shards [home, east]",
                        two[0],
                        two[1],
                        "jobs.queues=default,mail"),
                wrong(
                        "The queue 'mail' in jobs.capsules.m.queues is in none of the shards",
                        two[0],
                        two[1],
                        "jobs.capsules.m.queues[0]=mail,3"),
                wrong(
                        "The queue 'mail' in jobs.queue-limits is in none",
                        two[0],
                        two[1],
                        "jobs.queue-limits.mail.concurrency=3"),
                wrong(
                        "jobs.queue-limits has a limit for the queue 'events', which is spread over the shards [home, east]",
                        two[0],
                        two[1],
                        "jobs.spread-queues.events.by=jid",
                        "jobs.queue-limits.events.concurrency=3"),
                wrong(
                        "jobs.transactions is 'outbox', and there are the shards [home, east]",
                        two[0],
                        two[1],
                        "jobs.transactions=outbox"),
                wrong(
                        "the property jobs.shards.east.key-prefix is 'east:': without a hash tag",
                        two[0],
                        "jobs.key-prefix={shop}:",
                        "spring.data.redis.cluster.nodes=localhost:1",
                        "jobs.shards.east.key-prefix=east:"));
    }

    private static Arguments wrong(String message, String... properties) {
        return arguments(message, properties);
    }

    @ParameterizedTest
    @MethodSource("wrong")
    void mistakesKeepTheApplicationFromStarting(String message, String[] properties) {
        runner.withPropertyValues(properties).run(context -> {
            assertThat(context).as(String.join(" ", properties)).hasFailed();
            assertThat(context.getStartupFailure())
                    .rootCause()
                    .hasMessageContaining(message)
                    .hasMessageNotContaining("secret");
        });
    }

    @Test
    void aMisspeltPropertyOfAShardEndsTheStart() {
        sharded.withPropertyValues("jobs.shards.east.pasword=secret").run(context -> assertThat(context)
                .getFailure()
                .hasMessageContaining("jobs.shards.east.pasword")
                .hasMessageContaining("there is no such property; did you mean jobs.shards.east.password?")
                .hasMessageNotContaining("secret"));
    }

    @Test
    void aPropertyOfAShardMayHaveAnIndexOrBeAVariable() {
        runner.withPropertyValues("jobs.shards.home.queues[0]=default", "jobs.shards.east.queues[0]=orders")
                .withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .replace(
                                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                                new SystemEnvironmentPropertySource(
                                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                                        Map.of("JOBS_SHARDS_EAST_KEY_PREFIX", "east:"))))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(JobShards.class).map().of("orders"))
                            .containsExactly("east");
                });
    }

    @Test
    void aJobWhoseQueueIsInNoShardIsRefused() {
        refused(
                InNoShard.class,
                "The queue 'lost' of the @Job method " + InNoShard.class.getName() + ".run is in none");
    }

    @Test
    void aScheduleWhoseQueueIsInNoShardIsRefused() {
        ApplicationContextRunner evening = sharded.withPropertyValues(
                "jobs.recurring.schedules.evening.job=HardWorker",
                "jobs.recurring.schedules.evening.cron=@daily",
                "jobs.recurring.schedules.evening.queue=lost");

        evening.run(context -> assertThat(context)
                .getFailure()
                .isInstanceOf(JobDefinitionException.class)
                .hasMessageContaining("The queue 'lost' of the recurring job evening"
                        + " (jobs.recurring.schedules[evening]) is in none of the shards [home, east, west]"));
        evening.withPropertyValues("jobs.recurring.schedules.evening.cron=-")
                .run(context -> assertThat(context).hasNotFailed());
        evening.withPropertyValues("jobs.enabled=false")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void aUniqueJobOfASpreadQueueIsRefused() {
        refused(UniqueInSeveral.class, ".run is unique, and its queue 'events' is spread over the shards");
    }

    @Test
    void aLimitedJobOfASpreadQueueIsRefused() {
        refused(LimitedInSeveral.class, ".run has a limit on how many run at once, and its queue 'events' is spread");
    }

    @Test
    void aLimitOfJobsInTwoShardsIsRefused() {
        refused(LimitInTwo.class, "The limit 'erp' is that of ");
    }

    @Test
    void aJobWhoseRetriesAreInAnotherShardIsRefused() {
        refused(
                RetriedElsewhere.class,
                "and its retryQueue 'mail' is in shard 'home': a failed job stays in its shard");
    }

    /** What the workers of others serve is no matter of this process. */
    @Test
    void withoutAWorkerItsQueuesAreNotChecked() {
        ApplicationContextRunner east =
                runner.withPropertyValues("jobs.shards.home.queues=mail", "jobs.shards.east.url=redis://localhost:2");

        east.run(context -> assertThat(context).hasFailed());
        east.withPropertyValues("jobs.worker.enabled=false")
                .run(context -> assertThat(context).hasNotFailed());
        east.withPropertyValues("jobs.enabled=false")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void anApplicationMayHaveJobShardsOfItsOwn() {
        JobShards own = new OwnShards(ShardMap.of("one", Map.of("one", Set.of()), Map.of()));
        sharded.withBean("own", JobShards.class, () -> own)
                .run(context -> assertThat(context.getBean(JobShards.class)).isSameAs(own));
    }

    /** What leaves a shard goes on there, and is saved and limited where it is declared. */
    @Test
    void aShardHoldsTheQueuesThatLeaveIt() {
        sharded.withPropertyValues(
                        "jobs.moving-queues.orders.from=home",
                        "jobs.limits.erp.concurrency=3",
                        "jobs.queues=default,orders")
                .withBean(LimitInOne.class)
                .run(context -> {
                    ApplicationShards shards = context.getBean(ApplicationShards.class);
                    ShardLayout layout = shards.layout();
                    ShardConfig configs = new ShardConfig(
                            context.getBean(EngineConfig.class), layout, context.getBean(JobRegistry.class));

                    assertThat(layout.shard("home").holds("orders")).isTrue();
                    assertThat(layout.shard("home").declares("orders")).isFalse();
                    assertThat(layout.shard("west").holds("orders")).isFalse();
                    assertThat(shards.queuesOfHome().holds("orders")).isFalse();
                    assertThat(configs.of("home").limits().limits()).containsKey("erp");
                    assertThat(configs.of("home").recurring().queues().holds("orders"))
                            .isTrue();
                });
    }

    private void refused(Class<?> bean, String message) {
        sharded.withBean(bean).run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .isInstanceOf(JobDefinitionException.class)
                .hasMessageContaining(message));
    }

    static class InNoShard {

        @Job(queue = "lost")
        void run() {}
    }

    private record OwnShards(ShardMap map) implements JobShards {

        @Override
        public List<Shard> all() {
            return List.of();
        }

        @Override
        public Shard get(String name) {
            throw new IllegalArgumentException(name);
        }
    }

    static class RetriedElsewhere {

        @Job(queue = "orders", retryQueue = "mail")
        void run() {}
    }

    static class LimitInOne {

        @Job(queue = "orders")
        @Limit(name = "erp", concurrency = 2)
        void order() {}
    }

    static class UniqueInSeveral {

        @Job(queue = "events")
        @Unique
        void run() {}
    }

    static class LimitedInSeveral {

        @Job(queue = "events", concurrency = 2)
        void run() {}
    }

    static class LimitInTwo {

        @Job(queue = "orders")
        @Limit(name = "erp", concurrency = 2)
        void order() {}

        @Job(queue = "mail")
        @Limit(name = "erp", concurrency = 2)
        void mail() {}
    }
}
