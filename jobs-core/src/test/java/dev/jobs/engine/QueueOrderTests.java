package dev.jobs.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.jobs.JobDefinitionException;
import dev.jobs.assembly.EngineConfig;
import dev.jobs.engine.CapsuleConfig.Mode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QueueOrderTests {

    private static CapsuleConfig capsule(String... queues) {
        return CapsuleConfig.of("default", 1, List.of(queues));
    }

    private static Map<String, Integer> firsts(String... queues) {
        QueueOrder order = new QueueOrder(capsule(queues), new Random(5));
        Map<String, Integer> firsts = new HashMap<>();
        for (int i = 0; i < 12_000; i++) {
            List<String> next = order.next();
            assertThat(next).hasSize(queues.length).doesNotHaveDuplicates();
            firsts.merge(next.get(0), 1, Integer::sum);
        }
        return firsts;
    }

    @Test
    @Tag("sidekiq-9")
    void queuesWithoutWeightsAreLookedAtInStrictOrder() {
        assertThat(capsule("b", "a", "c").mode()).isEqualTo(Mode.STRICT);
        assertThat(firsts("b", "a", "c")).containsOnlyKeys("b");
        assertThat(new QueueOrder(capsule("b", "a", "c"), new Random()).next()).containsExactly("b", "a", "c");
        assertThat(capsule("a,0", "b").mode()).isEqualTo(Mode.STRICT);
    }

    @Test
    @Tag("sidekiq-9")
    void weightsOf1MeanRandomOrder() {
        assertThat(capsule("a,1", "b,1", "c,1").mode()).isEqualTo(Mode.RANDOM);
        assertThat(firsts("a,1", "b,1", "c,1").values())
                .allSatisfy(n -> assertThat(n).isCloseTo(4_000, within(300)));
    }

    @Test
    @Tag("sidekiq-9")
    void aQueueIsFirstAsOftenAsItsWeightSaysAndOneWithoutCountsAs1() {
        assertThat(capsule("a,3", "b,2", "c").mode()).isEqualTo(Mode.WEIGHTED);
        Map<String, Integer> firsts = firsts("a,3", "b,2", "c");
        assertThat(firsts.get("a")).isCloseTo(6_000, within(300));
        assertThat(firsts.get("b")).isCloseTo(4_000, within(300));
        assertThat(firsts.get("c")).isCloseTo(2_000, within(300));
    }

    @Test
    @Tag("sidekiq-9")
    void theNextQueueIsDrawnFromTheOthersByTheirWeights() {
        QueueOrder order = new QueueOrder(capsule("a,3", "b,2", "c"), new Random(5));
        Map<String, Integer> seconds = new HashMap<>();
        for (int i = 0; i < 12_000; i++) {
            List<String> next = order.next();
            seconds.merge(next.get(0) + next.get(1), 1, Integer::sum);
        }
        assertThat(seconds.get("ab")).isCloseTo(4_000, within(300));
        assertThat(seconds.get("ac")).isCloseTo(2_000, within(300));
        assertThat(seconds.get("ba")).isCloseTo(3_000, within(300));
        assertThat(seconds.get("bc")).isCloseTo(1_000, within(300));
        assertThat(seconds.get("ca")).isCloseTo(1_200, within(300));
        assertThat(seconds.get("cb")).isCloseTo(800, within(300));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a b", "a,x", "a,-1", "a,1,2", "a,", ",3", "a\nb", "é", "a,1.5", "a,99999999999"})
    @Tag("sidekiq-9")
    void anotherFormIsRefusedAndNamed(String entry) {
        assertThatThrownBy(() -> capsule(entry))
                .isInstanceOf(JobDefinitionException.class)
                .hasMessageContaining("default")
                .hasMessageContaining("'" + entry + "'");
    }

    @Test
    void aQueueTwiceNoQueueAndNoConcurrencyAreRefused() {
        assertThatThrownBy(() -> capsule("a", "a,2")).hasMessageContaining("'a' twice");
        assertThatThrownBy(() -> capsule()).hasMessageContaining("no queues");
        assertThatThrownBy(() -> CapsuleConfig.of("x", 0, List.of("a")))
                .hasMessageContaining("'concurrency' of capsule 'x'")
                .hasMessageContaining("was 0");
    }

    @Test
    void twoCapsulesOfOneNameAreRefused() {
        assertThatThrownBy(() -> EngineConfig.of(List.of(capsule("a"), capsule("b"))))
                .hasMessageContaining("Two capsules have the name 'default'");
    }
}
