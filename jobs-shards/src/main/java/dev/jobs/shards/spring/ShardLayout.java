package dev.jobs.shards.spring;

import dev.jobs.JobDefinition;
import dev.jobs.JobDefinitionException;
import dev.jobs.shards.OneShard;
import dev.jobs.shards.ShardMap;
import dev.jobs.shards.ShardMap.Spread;
import dev.jobs.shards.spring.ShardsProperties.MovingQueue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Where the shards are and what lives in each.
 *
 * @param prefixes of the keys of each shard, home first
 * @param moving the shard where a queue was, by the name of the queue
 */
record ShardLayout(ShardMap map, Map<String, String> prefixes, Map<String, String> moving) {

    /** The home shard alone, with all queues. */
    static ShardLayout alone(String home, String keyPrefix) {
        return new ShardLayout(
                ShardMap.placingOthers(home, Map.of(home, Set.of()), Map.of()), Map.of(home, keyPrefix), Map.of());
    }

    /**
     * @param keyPrefix of the home shard
     * @throws JobDefinitionException if a queue is in two shards, or two shards have one location
     */
    static ShardLayout of(ShardsProperties properties, String keyPrefix) {
        if (!properties.isSharded()) {
            return alone(properties.homeShard(), keyPrefix);
        }
        List<String> names = properties.names();
        Map<String, Spread> spread = new HashMap<>();
        properties
                .spreadQueues()
                .forEach((queue, each) -> spread.put(
                        queue,
                        new Spread(
                                Objects.requireNonNull(each.by()),
                                each.shards().isEmpty() ? Set.copyOf(names) : Set.copyOf(each.shards()),
                                each.failover())));
        Map<String, String> prefixes = new LinkedHashMap<>();
        ShardMap map;
        if (properties.clusterShards() > 1) {
            List<String> made = ClusterPrefixes.of(keyPrefix, properties.clusterShards());
            for (int i = 0; i < names.size(); i++) {
                prefixes.put(names.get(i), made.get(i));
            }
            map = ShardMap.placingOthers(properties.homeShard(), properties.queues(), spread);
        } else {
            names.forEach(name -> prefixes.put(name, prefix(name, properties, keyPrefix)));
            map = ShardMap.of(properties.homeShard(), properties.queues(), spread);
            checkOnApplicationsRedis(properties, prefixes);
        }
        Map<String, String> moving = new HashMap<>();
        properties.movingQueues().forEach((queue, each) -> moving.put(queue, checked(map, queue, each)));
        return new ShardLayout(map, prefixes, Map.copyOf(moving));
    }

    private static String prefix(String name, ShardsProperties properties, String home) {
        ShardsProperties.Shard shard = properties.shards().get(name);
        return shard == null ? home : shard.prefix(home);
    }

    private static void checkOnApplicationsRedis(ShardsProperties properties, Map<String, String> prefixes) {
        Map<String, String> byPrefix = new HashMap<>();
        prefixes.forEach((name, prefix) -> {
            ShardsProperties.Shard shard = properties.shards().get(name);
            if (shard == null || shard.isOnApplicationsRedis()) {
                checkIsOther(byPrefix.put(prefix, name), name, "the application's Redis", prefix);
            }
        });
    }

    /**
     * @param other the shard that has the same location; null if none has
     * @param address of its Redis
     * @throws JobDefinitionException if there is one
     */
    static void checkIsOther(@Nullable String other, String name, String address, String prefix) {
        if (other != null) {
            throw new JobDefinitionException(
                    "The shards '" + other + "' and '" + name + "' have the same keys: both are on " + address
                            + " with the prefix '" + prefix + "'",
                    "Set jobs.shards." + name + ".key-prefix to another one, or its url to another Redis.");
        }
    }

    private static String checked(ShardMap map, String queue, MovingQueue moving) {
        if (!map.isKnown(queue) || map.of(queue).contains(moving.from())) {
            throw new JobDefinitionException(
                    "jobs.moving-queues says that the queue '" + queue + "' moves from the shard '" + moving.from()
                            + "', and it lives "
                            + (map.isKnown(queue) ? "in " + map.of(queue) : "in no shard"),
                    "Name the queue in the shard to which it moves, and where it was in jobs.moving-queues[" + queue
                            + "].from.");
        }
        return moving.from();
    }

    boolean isSharded() {
        return prefixes.size() > 1;
    }

    /** The queues among these that a worker serves in a shard, in their order. */
    List<String> served(String shard, List<String> names) {
        List<String> queues = new ArrayList<>(names);
        List<String> living = map.queuesIn(shard, names);
        queues.removeIf(queue -> !living.contains(queue) && !shard.equals(moving.get(queue)));
        return queues;
    }

    /** The shards that may have jobs of a queue; the last is that where it was if it moves. None if it is nowhere. */
    List<String> having(String queue) {
        if (!map.isKnown(queue)) {
            return List.of();
        }
        List<String> shards = new ArrayList<>(map.of(queue));
        String from = moving.get(queue);
        if (from != null) {
            shards.add(from);
        }
        return shards;
    }

    /** A shard, for what lives there as a whole and goes on while queues leave it. */
    OneShard shard(String name) {
        return new OneShard(
                map,
                name,
                moving.entrySet().stream()
                        .filter(each -> each.getValue().equals(name))
                        .map(Map.Entry::getKey)
                        .collect(Collectors.toSet()));
    }

    static String queueOf(JobDefinition job) {
        return String.valueOf(job.options().get("queue"));
    }
}
