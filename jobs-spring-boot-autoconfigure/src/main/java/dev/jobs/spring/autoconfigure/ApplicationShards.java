package dev.jobs.spring.autoconfigure;

import dev.jobs.Internal;
import dev.jobs.JobClient;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.batches.Batches;
import dev.jobs.client.LocalQueues;
import dev.jobs.engine.PlacePool;
import dev.jobs.limiters.Limiters;
import dev.jobs.recurring.RecurringJobs;
import dev.jobs.shards.OneShard;
import dev.jobs.shards.ShardMap;
import dev.jobs.spring.JobShards;
import dev.jobs.spring.JobShards.Shard;
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
@Internal
public final class ApplicationShards implements DisposableBean {

    /** A first answer needs a connection and several commands, also on a busy machine with a short timeout. */
    private static final Duration LEAST_DEADLINE = Duration.ofSeconds(10);

    private static final int COMMAND_TIMEOUTS = 3;

    private final ShardLayout layout;
    private final List<Shard> shards;
    private final Map<String, ShardTools> tools;
    private final SideBySide sideBySide;
    private final SideBySide health;
    private final PlacePool places = new PlacePool();

    private ApplicationShards(
            ShardLayout layout, List<Shard> all, Map<String, ShardTools> tools, Duration commandTimeout) {
        this.layout = layout;
        this.shards = List.copyOf(all);
        this.tools = tools;
        Duration deadline = deadline(commandTimeout);
        this.sideBySide = new SideBySide("jobs-shards-", deadline);
        this.health = new SideBySide("jobs-shards-health-", deadline);
    }

    /**
     * The home shard alone.
     *
     * @param connections null if they are the application's own
     */
    static ApplicationShards alone(ShardLayout layout, @Nullable ShardConnections connections, BeanFactory beans) {
        return new ApplicationShards(
                layout, List.of(home(layout.map().home(), connections, beans, null)), Map.of(), Duration.ZERO);
    }

    /** @param opening makes what a shard has */
    static ApplicationShards of(
            ShardLayout layout, ShardConnections connections, BeanFactory beans, Function<String, ShardTools> opening) {
        List<Shard> all = new ArrayList<>();
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
                layout, all, tools, connections.of(layout.map().home()).timeout());
    }

    /** Has the beans of the application, but for the client if that stores jobs in other shards, too. */
    private static Shard home(
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

    /** All of them, home first. */
    public List<Shard> all() {
        return shards;
    }

    /** The name of the home shard. */
    public String home() {
        return layout.map().home();
    }

    /** Whether there is another one. */
    public boolean areSeveral() {
        return shards.size() > 1;
    }

    /** The queues among these that a worker serves in a shard, in their order. */
    public List<String> served(String shard, List<String> queues) {
        return layout.served(shard, queues);
    }

    /** The shards that may have jobs of a queue, home first, and where it was if it moves; none if it is nowhere. */
    public List<String> having(String queue) {
        return layout.having(queue);
    }

    /** All of them, as the application sees them if it doesn't replace them. */
    JobShards forApplication() {
        return new MappedShards(layout.map(), shards);
    }

    /**
     * Asks several shards at the same time, so that those that are away cost one command timeout together, and one that
     * hangs holds up no other; a single one on the thread of the caller.
     *
     * @param asked what is asked in each shard, by name
     * @param late makes the answer of a shard that gave none within three command timeouts, or still owes one to a
     *     caller who waited for so long, from its name and that time
     * @return the answers in the same order
     */
    public <S, T> Map<String, T> ask(
            Map<String, ? extends S> asked,
            Function<? super S, ? extends T> question,
            BiFunction<String, Duration, T> late) {
        return sideBySide.ask(asked, question, late);
    }

    /** The same for their health, on threads that no long operation keeps busy: that one runs is no illness. */
    public <S, T> Map<String, T> askForHealth(
            Map<String, ? extends S> asked,
            Function<? super S, ? extends T> question,
            BiFunction<String, Duration, T> late) {
        return health.ask(asked, question, late);
    }

    /** The queues of the home shard, for what is saved there as a whole. */
    LocalQueues queuesOfHome() {
        return layout.isSharded() ? new OneShard(layout.map(), home()) : LocalQueues.ALL;
    }

    /** The same for what goes on while queues leave it. */
    LocalQueues queuesOfHomeAndLeaving() {
        return layout.isSharded() ? layout.shard(home()) : LocalQueues.ALL;
    }

    ShardLayout layout() {
        return layout;
    }

    /** @throws IllegalArgumentException if there is only the home shard */
    ShardTools tools(String shard) {
        ShardTools found = tools.get(shard);
        if (found == null) {
            throw new IllegalArgumentException(shard);
        }
        return found;
    }

    /** Where the engines of this worker run their jobs. */
    PlacePool places() {
        return places;
    }

    /** The clients that are no beans. */
    Stream<RedisJobClient> clients() {
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

    private record SuppliedShard(
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
