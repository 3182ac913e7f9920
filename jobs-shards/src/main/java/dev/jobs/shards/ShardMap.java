package dev.jobs.shards;

import dev.jobs.InvalidJobException;
import dev.jobs.JobClient;
import dev.jobs.JobDefinitionException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which shard holds the jobs of each queue. A shard is a whole installation with a Redis or a key prefix of its own;
 * one of them is <em>home</em>, where everything lives that belongs to no queue, such as batches and limiters.
 *
 * <p>A queue lives in one shard, or is spread over several: then each job goes to one of them by its id, or by its key
 * ({@link JobClient#key}), so that jobs of one key stay in one shard.
 *
 * <p>Every process that shares the shards needs the same map. Immutable.
 */
public final class ShardMap {

    /** What decides where a job of a spread queue goes. */
    public enum SpreadBy {
        /** The job's id: jobs are spread evenly. */
        JID,
        /** The job's key: jobs of one key stay together. Jobs without a key count as one key. */
        KEY
    }

    /**
     * A queue that lives in several shards.
     *
     * @param shards names of shards, at least two, in any order
     * @param failover whether a job that its shard certainly did not store goes to another one; only by jid, since jobs
     *     of a key stay together
     */
    public record Spread(SpreadBy by, Set<String> shards, boolean failover) {

        public Spread {
            shards = Set.copyOf(shards);
        }

        /** Without failover: a job whose shard is away is refused. */
        public Spread(SpreadBy by, Set<String> shards) {
            this(by, shards, false);
        }
    }

    private final List<String> shards;
    private final Set<String> names;
    private final Map<String, String> queues;
    private final Map<String, Spread> spread;
    private final boolean placesOthers;

    private ShardMap(
            List<String> shards, Map<String, String> queues, Map<String, Spread> spread, boolean placesOthers) {
        this.shards = shards;
        this.names = Set.copyOf(shards);
        this.queues = queues;
        this.spread = spread;
        this.placesOthers = placesOthers;
    }

    /**
     * A map in which every queue is named.
     *
     * @param home where everything lives that belongs to no queue
     * @param queues the queues that live in each shard
     * @param spread queues that live in several shards
     * @throws JobDefinitionException if home isn't there, if a queue lives in two shards or is spread as well, or if a
     *     spread queue names a shard that isn't there, or fewer than two, or is spread by key with failover
     */
    public static ShardMap of(String home, Map<String, ? extends Set<String>> queues, Map<String, Spread> spread) {
        return of(home, queues, spread, false);
    }

    /**
     * A map that gives each queue it doesn't name a shard, by the queue's name.
     *
     * @param home where everything lives that belongs to no queue
     * @param queues the queues that are named for each shard
     * @param spread queues that live in several shards
     * @throws JobDefinitionException as {@link #of}
     */
    public static ShardMap placingOthers(
            String home, Map<String, ? extends Set<String>> queues, Map<String, Spread> spread) {
        return of(home, queues, spread, true);
    }

    private static ShardMap of(
            String home, Map<String, ? extends Set<String>> queues, Map<String, Spread> spread, boolean placesOthers) {
        if (!queues.containsKey(home)) {
            throw new JobDefinitionException(
                    "The home shard '" + home + "' is not among the shards " + List.copyOf(queues.keySet()),
                    "Name one of them, or give the home shard its queues, which may be none.");
        }
        Map<String, String> placed = new LinkedHashMap<>();
        queues.forEach((shard, names) -> names.forEach(queue -> {
            String other = placed.put(queue, shard);
            if (other != null) {
                throw new JobDefinitionException(
                        "Queue '" + queue + "' lives in the shards '" + other + "' and '" + shard + "'",
                        "Name it in one of them, or make it a spread queue.");
            }
        }));
        spread.forEach((queue, each) -> {
            String other = placed.get(queue);
            if (other != null) {
                throw new JobDefinitionException(
                        "Queue '" + queue + "' is spread, and lives in shard '" + other + "' as well",
                        "Name it in one place.");
            }
            if (each.shards().size() < 2 || !queues.keySet().containsAll(each.shards())) {
                throw new JobDefinitionException(
                        "Queue '" + queue + "' is spread over the shards " + each.shards() + ", and there are "
                                + List.copyOf(queues.keySet()),
                        "Name at least two of them.");
            }
            if (each.failover() && each.by() == SpreadBy.KEY) {
                throw new JobDefinitionException(
                        "Queue '" + queue
                                + "' is spread by key with failover, but jobs of a key in two shards have no order",
                        "Spread it by jid, or turn failover off.");
            }
        });
        List<String> shards = new ArrayList<>(queues.keySet());
        shards.remove(home);
        shards.add(0, home);
        return new ShardMap(List.copyOf(shards), Map.copyOf(placed), Map.copyOf(spread), placesOthers);
    }

    /** The names of all shards, home first, then the others in the order in which they were given. */
    public List<String> shards() {
        return shards;
    }

    /** The shard where everything lives that belongs to no queue. */
    public String home() {
        return shards.get(0);
    }

    /** Whether there is a place for jobs of this queue. */
    public boolean isKnown(String queue) {
        return placesOthers || queues.containsKey(queue) || spread.containsKey(queue);
    }

    /** Whether the queue lives in several shards. */
    public boolean isSpread(String queue) {
        return spread.containsKey(queue);
    }

    /** How a queue is spread; null if it isn't. */
    public @Nullable Spread spread(String queue) {
        return spread.get(queue);
    }

    /**
     * The shards that hold jobs of a queue: one, or those over which it is spread, in the order of {@link #shards()}.
     *
     * @throws InvalidJobException if the queue is in no shard
     */
    public List<String> of(String queue) {
        Spread each = spread.get(queue);
        if (each == null) {
            return List.of(only(queue));
        }
        List<String> found = new ArrayList<>(shards);
        found.retainAll(each.shards());
        return found;
    }

    /**
     * The shard of one job.
     *
     * @param jid the job's id
     * @param key the job's key; null or empty if it has none
     * @throws InvalidJobException if the queue is in no shard
     */
    public String of(String queue, String jid, @Nullable String key) {
        Spread each = spread.get(queue);
        if (each == null) {
            return only(queue);
        }
        return chosen(each.by() == SpreadBy.JID ? jid : key == null ? "" : key, each.shards());
    }

    /**
     * The shards over which a queue is spread by jid, for one job: first its own, as {@link #of(String, String,
     * String)} says, then those that take it over, one after the other.
     */
    public List<String> order(Spread each, String jid) {
        List<String> order = new ArrayList<>(each.shards());
        order.sort(Comparator.comparingLong((String shard) -> hash(shard + '\n' + jid))
                .reversed()
                .thenComparing(shards::indexOf));
        return order;
    }

    /** Where the jobs of a queue are, for messages. */
    public String whereIs(String queue) {
        if (!isKnown(queue)) {
            return "in none of the shards " + shards;
        }
        return isSpread(queue)
                ? "spread over the shards " + of(queue)
                : "in shard '" + of(queue).get(0) + "'";
    }

    /** The queues among these that a shard holds jobs of, in their order. */
    public List<String> queuesIn(String shard, List<String> names) {
        return names.stream()
                .filter(queue -> isKnown(queue) && of(queue).contains(shard))
                .toList();
    }

    private String only(String queue) {
        String shard = queues.get(queue);
        if (shard != null) {
            return shard;
        }
        if (!placesOthers) {
            throw new InvalidJobException("Queue '" + queue + "' is in none of the shards " + shards
                    + ". Add it to the queues of one of them");
        }
        return chosen(queue, names);
    }

    /**
     * The shard with the highest weight for this text, so that another shard takes over only its own part: rendezvous
     * hashing, Thaler and Ravishankar 1998.
     */
    private String chosen(String text, Set<String> among) {
        String best = "";
        long most = Long.MIN_VALUE;
        for (String shard : shards) {
            if (among.contains(shard)) {
                long weight = hash(shard + '\n' + text);
                if (best.isEmpty() || weight > most) {
                    best = shard;
                    most = weight;
                }
            }
        }
        return best;
    }

    /** FNV-1a over the UTF-8 bytes, and MurmurHash3's finalizer, since the former mixes the last bytes too little. */
    private static long hash(String text) {
        long hash = 0xcbf29ce484222325L;
        for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (each & 0xff)) * 0x100000001b3L;
        }
        hash = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
        hash = (hash ^ (hash >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return hash ^ (hash >>> 33);
    }
}
