package dev.jobs.shards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.InvalidJobException;
import dev.jobs.JobDefinitionException;
import dev.jobs.shards.ShardMap.Spread;
import dev.jobs.shards.ShardMap.SpreadBy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ShardMapTests {

    private static final Map<String, Set<String>> QUEUES = new LinkedHashMap<>();

    static {
        QUEUES.put("home", Set.of("default", "mail"));
        QUEUES.put("east", Set.of("orders"));
        QUEUES.put("west", Set.of());
    }

    private final ShardMap map = ShardMap.of(
            "home",
            QUEUES,
            Map.of(
                    "events", new Spread(SpreadBy.JID, Set.of("west", "home", "east")),
                    "tenants", new Spread(SpreadBy.KEY, Set.of("west", "east"))));

    @Test
    void aQueueLivesInTheShardThatNamesIt() {
        assertThat(map.shards()).containsExactly("home", "east", "west");
        assertThat(map.home()).isEqualTo("home");
        assertThat(map.of("orders", "j1", "k")).isEqualTo("east");
        assertThat(map.of("mail")).containsExactly("home");
        assertThat(map.of("events")).containsExactly("home", "east", "west");
        assertThat(map.queuesIn("east", List.of("tenants", "default", "events", "orders", "unknown")))
                .containsExactly("tenants", "events", "orders");
    }

    @Test
    void homeAndWhatIsDeclaredDoNotDependOnTheOrderOfTheShards() {
        Map<String, Spread> spread = Map.of("q", new Spread(SpreadBy.JID, Set.of("a", "c")));
        for (ShardMap each : List.of(
                ShardMap.of("b", shards("a", "b", "c"), spread), ShardMap.of("b", shards("c", "b", "a"), spread))) {
            assertThat(each.home()).isEqualTo("b");
            assertThat(each.shards()).startsWith("b").hasSize(3);
            assertThat(new OneShard(each, "a").declares("q")).isTrue();
            assertThat(new OneShard(each, "c").declares("q")).isFalse();
        }
        assertThatThrownBy(() -> ShardMap.of("d", shards("a", "b"), Map.of()))
                .isInstanceOf(JobDefinitionException.class)
                .hasMessageContaining("The home shard 'd' is not among the shards [a, b]");
    }

    @Test
    void aQueueInNoShardIsRefused() {
        assertThat(map.isKnown("slow")).isFalse();
        assertThatThrownBy(() -> map.of("slow", "j1", null))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("Queue 'slow' is in none of the shards [home, east, west]");
    }

    @Test
    void jobsAreSpreadEvenly() {
        Map<String, Long> counts = counts(30_000, i -> map.of("events", "j" + i, "one key"));

        assertThat(counts.keySet()).containsExactlyInAnyOrder("home", "east", "west");
        assertThat(counts.values()).allSatisfy(count -> assertThat(count).isBetween(9_600L, 10_400L));
    }

    @Test
    void jobsOfAKeyStayTogether() {
        assertThat(counts(1_000, i -> map.of("tenants", "j" + i, "shop-7"))).hasSize(1);
        assertThat(map.of("tenants", "j1", null)).isEqualTo(map.of("tenants", "j2", ""));
        assertThat(counts(2_000, i -> map.of("tenants", "j", "shop-" + i)))
                .hasSize(2)
                .allSatisfy((shard, count) -> assertThat(count).isBetween(900L, 1_100L));
    }

    @Test
    void anotherShardTakesOnlyItsOwnPart() {
        ShardMap two = ShardMap.placingOthers("a", shards("a", "b"), Map.of());
        ShardMap three = ShardMap.placingOthers("a", shards("a", "b", "c"), Map.of());

        List<String> moved = IntStream.range(0, 3_000)
                .mapToObj(i -> "queue-" + i)
                .filter(queue -> !two.of(queue).equals(three.of(queue)))
                .toList();

        assertThat(moved).hasSizeBetween(900, 1_100).allSatisfy(queue -> assertThat(three.of(queue))
                .containsExactly("c"));
    }

    /** Other processes and later versions have to find the same shard. */
    @Test
    void thePlacesAreThoseOfEveryVersion() {
        assertThat(List.of("j1", "j2", "j3", "ä"))
                .extracting(jid -> map.of("events", jid, null))
                .containsExactly("east", "west", "east", "home");
    }

    @Test
    void contradictionsAreRefused() {
        assertThatThrownBy(() -> ShardMap.of("a", Map.of("a", Set.of("q"), "b", Set.of("q")), Map.of()))
                .isInstanceOf(JobDefinitionException.class)
                .hasMessageContaining("Queue 'q' lives in the shards");
        assertThatThrownBy(() -> ShardMap.of(
                        "a",
                        Map.of("a", Set.of("q"), "b", Set.of()),
                        Map.of("q", new Spread(SpreadBy.JID, Set.of("a", "b")))))
                .isInstanceOf(JobDefinitionException.class)
                .hasMessageContaining("is spread, and lives in shard 'a' as well");
        assertThatThrownBy(() ->
                        ShardMap.of("a", shards("a", "b"), Map.of("q", new Spread(SpreadBy.JID, Set.of("a", "c")))))
                .isInstanceOf(JobDefinitionException.class)
                .hasMessageContaining("and there are [a, b]");
        assertThatThrownBy(() -> ShardMap.of("a", shards("a", "b"), Map.of("q", new Spread(SpreadBy.JID, Set.of("a")))))
                .isInstanceOf(JobDefinitionException.class);
        assertThatThrownBy(() -> ShardMap.of("a", Map.of(), Map.of())).isInstanceOf(JobDefinitionException.class);
    }

    @Test
    void failoverGoesFromTheJobsShardThroughAllOthersAndNeverBreaksAnOrder() {
        Spread spread = new Spread(SpreadBy.JID, Set.of("a", "b", "c"), true);
        ShardMap map = ShardMap.of("a", shards("a", "b", "c", "d"), Map.of("q", spread));
        for (int i = 0; i < 100; i++) {
            assertThat(map.order(spread, "j" + i))
                    .startsWith(map.of("q", "j" + i, null))
                    .containsExactlyInAnyOrder("a", "b", "c");
        }
        assertThat(counts(3_000, i -> map.order(spread, "j" + i).get(1)).values())
                .allMatch(count -> count > 900);

        assertThatThrownBy(() -> ShardMap.of(
                        "a", shards("a", "b"), Map.of("q", new Spread(SpreadBy.KEY, Set.of("a", "b"), true))))
                .isInstanceOf(JobDefinitionException.class)
                .hasMessageContaining("spread by key with failover");
    }

    @Test
    void whatIsDeclaredForAQueueIsDeclaredInOneShard() {
        ShardMap map = ShardMap.of("a", Map.of("a", Set.of("q")), Map.of());
        assertThat(new OneShard(map, "a").declares("q")).isTrue();
        ShardMap three =
                ShardMap.of("a", shards("a", "b", "c"), Map.of("q", new Spread(SpreadBy.JID, Set.of("c", "b"))));
        assertThat(new OneShard(three, "a").holds("q")).isFalse();
        assertThat(new OneShard(three, "b").holds("q")).isTrue();
        assertThat(new OneShard(three, "b").declares("q")).isTrue();
        assertThat(new OneShard(three, "c").holds("q")).isTrue();
        assertThat(new OneShard(three, "c").declares("q")).isFalse();
        assertThat(new OneShard(three, "a").declares("unknown")).isFalse();
        assertThat(three.whereIs("q")).isEqualTo("spread over the shards [b, c]");
    }

    @Test
    void aQueueThatIsNowhereIsMissedInTheHomeShardAlone() {
        ShardMap map = ShardMap.of("east", Map.of("east", Set.of("q"), "west", Set.of("r")), Map.of());
        OneShard home = new OneShard(map, "east");
        assertThat(home.misses("parked")).isTrue();
        assertThat(home.whereIs("parked")).startsWith("in none of the shards [east, ");
        assertThat(home.misses("r")).isFalse();
        assertThat(home.whereIs("r")).isEqualTo("in shard 'west'");
        assertThat(new OneShard(map, "west").misses("parked")).isFalse();
    }

    private static Map<String, Set<String>> shards(String... names) {
        Map<String, Set<String>> shards = new LinkedHashMap<>();
        for (String name : names) {
            shards.put(name, Set.of());
        }
        return shards;
    }

    private static Map<String, Long> counts(int jobs, IntFunction<String> shard) {
        return IntStream.range(0, jobs)
                .mapToObj(shard)
                .collect(Collectors.groupingBy(each -> each, Collectors.counting()));
    }
}
