package dev.jobs.shards.spring;

import dev.jobs.Internal;
import dev.jobs.JobDefinition;
import dev.jobs.shards.ShardMap.SpreadBy;
import dev.jobs.spring.autoconfigure.checks.PropertyRules;
import dev.jobs.spring.autoconfigure.redis.InstallationRedis;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties that spread one application's jobs over several shards. The same in every application that shares
 * them.
 *
 * @param homeShard Name of the shard on the application's own Redis under "jobs.key-prefix", where everything lives
 *     that belongs to no queue, such as batches and limiters.
 * @param shards Shards besides the home shard, by name, and the queues of each one. That of the home shard has only
 *     queues.
 * @param clusterShards Number of shards on one Redis Cluster, the home shard included: 2, 4, 8 and so on up to 256.
 *     Their key prefixes are made from "jobs.key-prefix" so that they are spread over the hash slots of the cluster,
 *     and each queue gets a shard by its name. 1 for the home shard alone. Not beside "jobs.shards".
 * @param spreadQueues Queues that live in several shards, by name.
 * @param movingQueues Queues that are being moved to the shard in which they are named, by name.
 */
@ConfigurationProperties("jobs")
@Internal
public record ShardsProperties(
        @DefaultValue("home") String homeShard,
        @DefaultValue Map<String, Shard> shards,
        @DefaultValue("1") int clusterShards,
        @DefaultValue Map<String, SpreadQueue> spreadQueues,
        @DefaultValue Map<String, MovingQueue> movingQueues) {

    private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?");
    private static final Pattern CLUSTER_NAME = Pattern.compile("s[0-9]+");
    private static final String NAME_FORM = "must be 1 to 40 lower-case letters, digits and hyphens, as in eu-west";
    private static final int MOST_CLUSTER_SHARDS = 256;

    /** @throws IllegalArgumentException if values can't be used; it names all of them */
    public ShardsProperties {
        PropertyRules rules = PropertyRules.of("jobs")
                .check("home-shard", homeShard, NAME.matcher(homeShard).matches(), NAME_FORM)
                .check(
                        "cluster-shards",
                        clusterShards,
                        clusterShards >= 1
                                && clusterShards <= MOST_CLUSTER_SHARDS
                                && Integer.bitCount(clusterShards) == 1,
                        "must be 1, 2, 4, 8, 16, 32, 64, 128 or 256, so that a change leaves every shard where it is")
                .check(
                        "cluster-shards",
                        clusterShards,
                        clusterShards == 1 || shards.isEmpty(),
                        "must not be there beside jobs.shards");
        rules.check(
                "home-shard",
                homeShard,
                clusterShards == 1 || !CLUSTER_NAME.matcher(homeShard).matches(),
                "must not be s with a number beside jobs.cluster-shards, whose other shards have such names");
        shards.forEach((name, shard) -> check(name, shard, homeShard, rules));
        rules.check(
                "shards",
                shards.keySet(),
                shards.isEmpty() || !shards.keySet().equals(Set.of(homeShard)),
                "must name another shard beside the home shard");
        Set<String> names = names(homeShard, shards, clusterShards);
        spreadQueues.forEach((queue, each) -> each.check(queue, names, rules));
        movingQueues.forEach((queue, each) -> each.check(queue, names, rules));
        rules.enforce();
    }

    private static void check(String name, Shard shard, String home, PropertyRules rules) {
        String prefix = "shards[" + name + "].";
        rules.check("shards[" + name + "]", name, NAME.matcher(name).matches(), NAME_FORM);
        if (name.equals(home)) {
            shard.checkIsHome(prefix, rules);
        } else {
            shard.check(prefix, rules);
        }
        checkQueues(prefix + "queues", shard.queues(), rules);
    }

    private static void checkQueues(String property, List<String> queues, PropertyRules rules) {
        queues.forEach(queue -> checkQueue(property, queue, rules));
        rules.check(property, queues, new LinkedHashSet<>(queues).size() == queues.size(), "must name each queue once");
    }

    private static void checkQueue(String property, String queue, PropertyRules rules) {
        rules.check(
                property,
                queue,
                JobDefinition.QUEUE_NAME.matcher(queue).matches(),
                "must be names of queues: 1 to 128 letters, digits or characters of _.:-");
    }

    private static Set<String> names(String home, Map<String, Shard> shards, int clusterShards) {
        Set<String> names = new LinkedHashSet<>(List.of(home));
        names.addAll(shards.keySet());
        for (int i = 2; i <= Math.min(clusterShards, MOST_CLUSTER_SHARDS); i++) {
            names.add("s" + i);
        }
        return names;
    }

    /** The names of all shards, home first. */
    List<String> names() {
        return new ArrayList<>(names(homeShard, shards, clusterShards));
    }

    /** Whether there is another shard than home. */
    boolean isSharded() {
        return names().size() > 1;
    }

    /** The queues that are named for each shard, home first. */
    Map<String, Set<String>> queues() {
        Map<String, Set<String>> queues = new LinkedHashMap<>();
        for (String name : names()) {
            Shard shard = shards.get(name);
            queues.put(name, shard == null ? Set.of() : new LinkedHashSet<>(shard.queues()));
        }
        return queues;
    }

    /**
     * A shard: a whole installation of Jobs. Without a URL and a connection factory it is on the application's Redis.
     *
     * @param url Where its Redis is, such as "rediss://redis-2.example.org:6379/0": redis, with TLS rediss,
     *     redis-sentinel or redis-socket. User name and password may be in it.
     * @param username User name, if it isn't in the URL.
     * @param password Password, if it isn't in the URL.
     * @param connectionFactory Name of a LettuceConnectionFactory bean instead of a URL, such as for a cluster.
     * @param keyPrefix Prefix of all its keys. Defaults to "jobs.key-prefix", and has to be another one for a shard on
     *     the application's Redis.
     * @param queues Queues that live in this shard.
     */
    public record Shard(
            @DefaultValue("") String url,
            @DefaultValue("") String username,
            @DefaultValue("") String password,
            @DefaultValue("") String connectionFactory,
            @Nullable String keyPrefix,
            @DefaultValue List<String> queues) {

        private void check(String prefix, PropertyRules rules) {
            if (isOnApplicationsRedis()) {
                rules.checkSecret(
                                prefix + "username",
                                username.isEmpty() && password.isEmpty(),
                                "must be empty without a url, as must password")
                        .check(
                                prefix + "url",
                                url,
                                keyPrefix != null,
                                "must be there, or a connection-factory, or a key-prefix of its own on the application's Redis");
            } else {
                redis("").check(prefix, rules);
            }
        }

        private void checkIsHome(String prefix, PropertyRules rules) {
            rules.checkSecret(
                    prefix + "queues",
                    isOnApplicationsRedis() && username.isEmpty() && password.isEmpty() && keyPrefix == null,
                    "must be the only property of the home shard: spring.data.redis and jobs.key-prefix say where it is");
        }

        boolean isOnApplicationsRedis() {
            return url.isEmpty() && connectionFactory.isEmpty();
        }

        /** @param home the prefix of the home shard's keys */
        String prefix(String home) {
            return Objects.requireNonNullElse(keyPrefix, home);
        }

        InstallationRedis redis(String home) {
            return new InstallationRedis(
                    url, username, password, connectionFactory, prefix(home), "default", Map.of(), false);
        }

        /** Without the password. */
        @Override
        public String toString() {
            return queues.toString();
        }
    }

    /**
     * A queue that lives in several shards.
     *
     * @param by What decides where a job goes: jid, for any shard; key, so that jobs of one key stay together.
     * @param shards Names of the shards, at least two. All of them by default.
     * @param failover Whether a job whose shard is away goes to another one, if it is certain that the first did not
     *     store it. Only by jid.
     */
    public record SpreadQueue(
            @Nullable SpreadBy by,
            @DefaultValue List<String> shards,
            @DefaultValue("false") boolean failover) {

        private void check(String queue, Set<String> names, PropertyRules rules) {
            String prefix = "spread-queues[" + queue + "].";
            checkQueue("spread-queues", queue, rules);
            rules.check(prefix + "by", by, by != null, "must be jid or key")
                    .check(
                            prefix + "shards",
                            shards,
                            names.containsAll(shards)
                                    && (shards.isEmpty()
                                                    ? names.size()
                                                    : Set.copyOf(shards).size())
                                            >= 2,
                            "must be at least two of the shards " + names);
        }
    }

    /**
     * A queue that is being moved.
     *
     * @param from Name of the shard where it was. Workers serve it there, too.
     */
    public record MovingQueue(@DefaultValue("") String from) {

        private void check(String queue, Set<String> names, PropertyRules rules) {
            checkQueue("moving-queues", queue, rules);
            rules.check(
                    "moving-queues[" + queue + "].from",
                    from,
                    names.size() > 1 && names.contains(from),
                    "must be one of the shards " + names + ", of which there must be several");
        }
    }
}
