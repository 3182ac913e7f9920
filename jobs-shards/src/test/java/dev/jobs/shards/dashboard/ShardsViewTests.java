package dev.jobs.shards.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.ArgumentMasking;
import dev.jobs.JobDefinitionException;
import dev.jobs.JobRegistry;
import dev.jobs.shards.ShardMap;
import dev.jobs.shards.spring.JobShards;
import dev.jobs.shards.spring.SideBySide;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names of shards are parts of paths. */
class ShardsViewTests {

    static ShardsView view(JobShards shards) {
        return new ShardsView(
                shards,
                new SideBySide("test-", AllShards.PATIENCE),
                new ArgumentMasking(new JobRegistry(List.of()), List.of()),
                Clock.systemUTC());
    }

    static JobShards shards(String... names) {
        List<JobShards.Shard> all = Stream.of(names)
                .map(name -> (JobShards.Shard) Proxy.newProxyInstance(
                        ShardsViewTests.class.getClassLoader(),
                        new Class<?>[] {JobShards.Shard.class},
                        (proxy, method, arguments) -> name))
                .toList();
        return new JobShards() {
            @Override
            public ShardMap map() {
                return ShardMap.placingOthers("home", Map.of("home", Set.of()), Map.of());
            }

            @Override
            public List<Shard> all() {
                return all;
            }

            @Override
            public Shard get(String name) {
                throw new UnsupportedOperationException();
            }
        };
    }

    /** Which scripts there are, only the server knows. */
    @Test
    void everyPageHasAScript() {
        assertThat(view(shards("home")).pages().values()).allSatisfy(script -> assertThat(
                        getClass().getResource("/dev/jobs/dashboard/ui/assets/shards/" + script + ".js"))
                .isNotNull());
    }

    @Test
    void allNamesWithHomeFirst() {
        assertThat(view(shards("home", "b", "s-2")).names(Set.of("eu"))).containsExactly("home", "b", "s-2");
    }

    @Test
    void homeAloneIsNoShardAmongOthers() {
        assertThat(view(shards("home")).names(Set.of("eu"))).isEmpty();
    }

    /** Home has no segment of its own. */
    @Test
    void homeMayHaveTheNameOfAPage() {
        assertThat(view(shards("queues", "b")).names(Set.of())).containsExactly("queues", "b");
    }

    @ParameterizedTest
    @ValueSource(strings = {"queues", "busy", "api", "assets", "v-1a", "shards", "B", "b/c", "b c", "..", ""})
    void aNameThatIsNoPathOfItsOwn(String name) {
        assertThatThrownBy(() -> view(shards("home", name)).names(Set.of()))
                .isInstanceOf(JobDefinitionException.class)
                .hasMessageContaining("The shard '" + name + "' can't have pages of its own");
    }

    @Test
    void aNameThatAnInstallationHas() {
        assertThatThrownBy(() -> view(shards("home", "b", "eu")).names(Set.of("eu")))
                .isInstanceOf(JobDefinitionException.class)
                .hasMessageContaining("'eu' is the name of a shard and of an installation");
    }
}
