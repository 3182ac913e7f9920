package dev.jobs.shards.spring;

import dev.jobs.JobClient;
import dev.jobs.assembly.JobEngine;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.batches.BatchAccess;
import dev.jobs.batches.Batches;
import dev.jobs.engine.ThreadPools;
import dev.jobs.limiters.Limiters;
import dev.jobs.recurring.LocalQueues;
import dev.jobs.recurring.RecurringJobs;
import dev.jobs.shards.OneShard;
import dev.jobs.shards.ShardMap;
import dev.jobs.shards.spring.JobShards.Shard;
import dev.jobs.shards.spring.SideBySide.Patience;
import dev.jobs.spring.autoconfigure.installations.EngineParts;
import dev.jobs.spring.autoconfigure.installations.OwnEngines;
import dev.jobs.spring.autoconfigure.installations.OwnInstallations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.DisposableBean;

/**
 * The shards of this application, for what the library itself does with them: the application may replace the bean
 * {@link JobShards}. What the home shard has besides its client are beans. Thread-safe.
 */
final class ApplicationShards implements OwnInstallations, DisposableBean {

    /** A first answer needs a connection and several commands, also on a busy machine with a short timeout. */
    private static final Duration LEAST_DEADLINE = Duration.ofSeconds(10);

    private static final int COMMAND_TIMEOUTS = 3;

    private final ShardLayout layout;
    private final List<SuppliedShard> shards;
    private final JobShards forApplication;
    private final Map<String, ShardTools> tools;
    private final Duration deadline;
    private final SideBySide sideBySide;
    private final SideBySide health;
    private final ThreadPools pools = new ThreadPools();

    private ApplicationShards(
            ShardLayout layout,
            List<SuppliedShard> all,
            JobShards forApplication,
            Map<String, ShardTools> tools,
            Duration commandTimeout) {
        this.layout = layout;
        this.shards = List.copyOf(all);
        this.forApplication = forApplication;
        this.tools = tools;
        this.deadline = deadline(commandTimeout);
        this.sideBySide = new SideBySide("jobs-shards-", Patience.of(deadline));
        this.health = new SideBySide("jobs-shards-health-", Patience.of(deadline));
    }

    /**
     * The home shard alone, which the application finds under the name of each of its shards.
     *
     * @param named the shards that it names
     * @param connections null if they are the application's own
     */
    static ApplicationShards alone(
            ShardMap named, String keyPrefix, @Nullable ShardConnections connections, BeanFactory beans) {
        List<SuppliedShard> all = named.shards().stream()
                .map(name -> home(name, connections, beans, null))
                .toList();
        return new ApplicationShards(
                ShardLayout.alone(named.home(), keyPrefix),
                all.subList(0, 1),
                new MappedShards(named, List.copyOf(all)),
                Map.of(),
                Duration.ZERO);
    }

    /** @param opening makes what a shard has */
    static ApplicationShards of(
            ShardLayout layout, ShardConnections connections, BeanFactory beans, Function<String, ShardTools> opening) {
        List<SuppliedShard> all = new ArrayList<>();
        Map<String, ShardTools> tools = new LinkedHashMap<>();
        for (String name : layout.map().shards()) {
            ShardTools each = opening.apply(name);
            tools.put(name, each);
            all.add(
                    all.isEmpty()
                            ? home(name, connections, beans, each)
                            : new SuppliedShard(
                                    name,
                                    connections.address(name),
                                    () -> connections.node(name),
                                    each::admin,
                                    each::client,
                                    each::batches,
                                    each::recurring,
                                    each::limiters));
        }
        return new ApplicationShards(
                layout,
                all,
                new MappedShards(layout.map(), List.copyOf(all)),
                tools,
                connections.of(layout.map().home()).timeout());
    }

    /** Has the beans of the application, but for the client if that stores jobs in other shards, too. */
    private static SuppliedShard home(
            String name, @Nullable ShardConnections connections, BeanFactory beans, @Nullable ShardTools tools) {
        return new SuppliedShard(
                name,
                connections == null ? "the application's Redis" : connections.address(name),
                () -> connections == null ? null : connections.node(name),
                () -> beans.getBean(JobsAdmin.class),
                () -> tools == null ? beans.getBean(JobClient.class) : tools.client(),
                () -> beans.getBean(Batches.class),
                () -> beans.getBean(RecurringJobs.class),
                () -> beans.getBean(Limiters.class));
    }

    private static Duration deadline(Duration commandTimeout) {
        Duration several = commandTimeout.multipliedBy(COMMAND_TIMEOUTS);
        return several.compareTo(LEAST_DEADLINE) > 0 ? several : LEAST_DEADLINE;
    }

    List<SuppliedShard> all() {
        return shards;
    }

    @Override
    public Map<String, JobsAdmin> admins() {
        Map<String, JobsAdmin> admins = new LinkedHashMap<>();
        shards.forEach(each -> admins.put(each.name(), each.admin()));
        return admins;
    }

    @Override
    public String home() {
        return layout.map().home();
    }

    @Override
    public Map<String, String> tags(String name) {
        return layout.isSharded() ? Map.of("shard", name) : Map.of();
    }

    /** Those that the application names, as it sees them if it doesn't replace them. */
    JobShards forApplication() {
        return forApplication;
    }

    /**
     * Asks several at the same time, so that those that are away cost one command timeout together, and one that hangs
     * holds up no other; a single one on the thread of the caller.
     *
     * @param asked what is asked in each, by name
     * @param late makes the answer of one that gave none within three command timeouts, or still owes one to a caller
     *     who waited for so long, from its name and that time
     * @return the answers in the same order
     */
    <S, T> Map<String, T> ask(
            Map<String, ? extends S> asked,
            Function<? super S, ? extends T> question,
            BiFunction<String, Duration, T> late) {
        return ask(sideBySide, asked, question, late);
    }

    /** The same for their health, on threads that no long operation keeps busy: that one runs is no illness. */
    <S, T> Map<String, T> askForHealth(
            Map<String, ? extends S> asked,
            Function<? super S, ? extends T> question,
            BiFunction<String, Duration, T> late) {
        return ask(health, asked, question, late);
    }

    private <S, T> Map<String, T> ask(
            SideBySide asking,
            Map<String, ? extends S> asked,
            Function<? super S, ? extends T> question,
            BiFunction<String, Duration, T> late) {
        Map<String, T> answers = new LinkedHashMap<>();
        if (asked.size() == 1) {
            asked.forEach((name, each) -> answers.put(name, question.apply(each)));
            return answers;
        }
        asking.<S, T>ask(asked, question).forEach((name, outcome) -> {
            T answer = outcome.value();
            if (answer == null && !(outcome.failure() instanceof SideBySide.NoAnswer)) {
                throw outcome.failure() instanceof RuntimeException failure
                        ? failure
                        : new IllegalStateException(outcome.failure());
            }
            answers.put(name, answer == null ? late.apply(name, deadline) : answer);
        });
        return answers;
    }

    @Override
    public LocalQueues queuesOfHome() {
        return layout.isSharded() ? new OneShard(layout.map(), home()) : LocalQueues.ALL;
    }

    @Override
    public LocalQueues queuesOfHomeAndLeaving() {
        return layout.isSharded() ? layout.shard(home()) : LocalQueues.ALL;
    }

    ShardLayout layout() {
        return layout;
    }

    /** @throws IllegalArgumentException if there is only the home shard */
    private ShardTools tools(String shard) {
        ShardTools found = tools.get(shard);
        if (found == null) {
            throw new IllegalArgumentException(shard);
        }
        return found;
    }

    /** That of the first shard that has jobs of this worker. */
    @Override
    public JobEngine engine(EngineParts parts) {
        if (!layout.isSharded()) {
            return parts.engine();
        }
        ShardConfig configs = new ShardConfig(parts.config(), layout, parts.registry());
        return engine(configs.served().get(0), configs, parts);
    }

    /** One for each shard that has jobs of this worker. */
    @Override
    public OwnEngines engines(JobEngine first, EngineParts parts) {
        ShardConfig configs = new ShardConfig(parts.config(), layout, parts.registry());
        Map<String, JobEngine> engines = new LinkedHashMap<>();
        for (String shard : configs.served()) {
            engines.put(shard, engines.isEmpty() ? first : engine(shard, configs, parts));
        }
        return new OwnEngines(engines);
    }

    /** @param parts with the batches of the home shard, if it is that */
    private JobEngine engine(String shard, ShardConfig configs, EngineParts parts) {
        ShardTools itsTools = tools(shard);
        return new JobEngine(
                configs.of(shard),
                itsTools.connections(),
                parts.registry(),
                shard.equals(home()) ? parts.hooks() : parts.hooks().withTool(BatchAccess.class, itsTools.batches()),
                parts.environment(),
                itsTools.current(),
                pools);
    }

    @Override
    public Stream<RedisJobClient> clients() {
        return tools.values().stream().map(ShardTools::client);
    }

    @Override
    public void destroy() {
        sideBySide.close();
        health.close();
        tools.values().forEach(ShardTools::close);
    }

    private record MappedShards(ShardMap map, List<Shard> all) implements JobShards {

        @Override
        public Shard get(String name) {
            return all.stream()
                    .filter(each -> each.name().equals(name))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException(
                            "There is no shard '" + name + "': the shards are " + map.shards()));
        }
    }

    record SuppliedShard(
            String name,
            String address,
            Supplier<@Nullable String> itsNode,
            Supplier<JobsAdmin> itsAdmin,
            Supplier<? extends JobClient> itsClient,
            Supplier<? extends Batches> itsBatches,
            Supplier<? extends RecurringJobs> itsRecurring,
            Supplier<? extends Limiters> itsLimiters)
            implements Shard {

        @Override
        public @Nullable String node() {
            return itsNode.get();
        }

        @Override
        public JobsAdmin admin() {
            return itsAdmin.get();
        }

        @Override
        public JobClient client() {
            return itsClient.get();
        }

        @Override
        public Batches batches() {
            return itsBatches.get();
        }

        @Override
        public RecurringJobs recurring() {
            return itsRecurring.get();
        }

        @Override
        public Limiters limiters() {
            return itsLimiters.get();
        }
    }
}
