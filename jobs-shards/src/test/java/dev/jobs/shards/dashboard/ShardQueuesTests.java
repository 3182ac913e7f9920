package dev.jobs.shards.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.Payload;
import dev.jobs.dashboard.actions.TargetQueues;
import dev.jobs.dashboard.web.Problem;
import dev.jobs.shards.ShardMap;
import dev.jobs.shards.ShardMap.Spread;
import dev.jobs.shards.ShardMap.SpreadBy;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ShardQueuesTests {

    private static final Set<String> SHARDS = Set.of("home", "b");

    private final ShardMap map = ShardMap.of(
            "home",
            Map.of("home", Set.of("mail"), "b", Set.of()),
            Map.of("byId", new Spread(SpreadBy.JID, SHARDS), "byKey", new Spread(SpreadBy.KEY, SHARDS)));

    private static Payload job(String queue, Map<String, Object> more) {
        Map<String, Object> members = new LinkedHashMap<>(more);
        members.putAll(Map.of("class", "Orders.ship", "queue", queue, "jid", "1", "args", List.of()));
        return Payload.of(members);
    }

    private void refused(TargetQueues targets, Payload job, String code) {
        assertThatThrownBy(() -> targets.require(job, null))
                .isInstanceOfSatisfying(
                        Problem.class, problem -> assertThat(problem.code()).isEqualTo(code));
    }

    @Test
    void anIdBelongsToTheShardWhoseItIs() {
        for (String shard : SHARDS) {
            Iterator<String> ids =
                    IntStream.range(0, 1000).mapToObj(String::valueOf).iterator();
            for (int i = 0; i < 20; i++) {
                String id = new ShardQueues(map, shard).id("byId", ids::next);
                assertThat(map.of("byId", id, null)).isEqualTo(shard);
            }
        }
        assertThat(new ShardQueues(map, "b").id("byKey", () -> "1")).isEqualTo("1");
        assertThat(TargetQueues.ALL.id("byId", () -> "1")).isEqualTo("1");
    }

    @Test
    void aKeyOfAnotherShardIsRefused() {
        for (String key : List.of("", "1", "2", "3", "4", "5")) {
            Payload job = job("byKey", key.isEmpty() ? Map.of() : Map.of("order_key", key));
            String here = map.of("byKey", "1", key);
            assertThatCode(() -> new ShardQueues(map, here).require(job, null)).doesNotThrowAnyException();
            refused(new ShardQueues(map, here.equals("b") ? "home" : "b"), job, "other-shard-key");
        }
    }

    /** That of a key that a call named, which another job takes over. */
    @Test
    void aLockIsRefusedInASpreadQueueOnly() {
        Map<String, Object> unique = Map.of("unique_lock", "abc", "unique_for", 60, "unique_until", "success");

        refused(new ShardQueues(map, "b"), job("byId", unique), "spread");
        assertThatCode(() -> new ShardQueues(map, "home").require(job("mail", unique), null))
                .doesNotThrowAnyException();
    }

    @Test
    void aLimitIsRefusedInASpreadQueueOnly() {
        Map<String, Object> limited = Map.of("limits", List.of(Map.of("name", "erp")));

        refused(new ShardQueues(map, "b"), job("byId", limited), "spread");
        assertThatCode(() -> new ShardQueues(map, "home").require(job("mail", limited), null))
                .doesNotThrowAnyException();
        assertThatCode(() -> TargetQueues.ALL.require(job("byId", limited), null))
                .doesNotThrowAnyException();
    }
}
