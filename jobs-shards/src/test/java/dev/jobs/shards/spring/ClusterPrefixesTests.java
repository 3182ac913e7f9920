package dev.jobs.shards.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.jobs.JobDefinitionException;
import io.lettuce.core.cluster.SlotHash;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterPrefixesTests {

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 16, 256})
    void eachOfEqualRangesOfHashSlotsHasOneShard(int count) {
        List<String> prefixes = ClusterPrefixes.of("{shop}:", count);

        int width = SlotHash.SLOT_COUNT / count;
        assertThat(prefixes).hasSize(count).startsWith("{shop}:");
        assertThat(prefixes.stream().map(prefix -> SlotHash.getSlot(prefix + "queue:default") / width))
                .doesNotHaveDuplicates();
    }

    /** Jobs stay where they are when the number of shards changes. */
    @Test
    void moreShardsLeaveTheFirstOnesWhereTheyAre() {
        assertThat(ClusterPrefixes.of("{shop}:", 64))
                .startsWith(ClusterPrefixes.of("{shop}:", 16).toArray(String[]::new));
    }

    /** Every process, and every later version, has to make the same ones. */
    @Test
    void thePrefixesAreAlwaysTheSame() {
        assertThat(ClusterPrefixes.of("{shop}:", 4)).containsExactly("{shop}:", "{shop-2}:", "{shop-1}:", "{shop-3}:");
        assertThat(ClusterPrefixes.of("eu{a}b:", 2)).containsExactly("eu{a}b:", "eu{a-2}b:");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "shop:", "{}:", "}{"})
    void aPrefixWithoutAHashTagIsRefused(String prefix) {
        assertThatExceptionOfType(JobDefinitionException.class)
                .isThrownBy(() -> ClusterPrefixes.of(prefix, 4))
                .withMessageContaining("jobs.key-prefix is '" + prefix + "'");
    }
}
