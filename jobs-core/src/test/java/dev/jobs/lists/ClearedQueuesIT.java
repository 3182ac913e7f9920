package dev.jobs.lists;

import static dev.jobs.store.ScriptTestBed.bytes;
import static dev.jobs.store.ScriptTestBed.count;
import static dev.jobs.store.ScriptTestBed.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobStoreException;
import dev.jobs.store.Effect;
import dev.jobs.store.EffectSource;
import dev.jobs.store.ScriptTestBed;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs of a cleared queue end with their effects: each once, also after a crash. */
class ClearedQueuesIT {

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    private final ClearedQueues clearing = bed.clearing(ClearedQueuesIT::counted);

    @BeforeEach
    void empty() {
        bed.clear();
        bed.redis.texts().configResetstat();
    }

    @AfterEach
    void reset() {
        bed.redis.texts().aclSetuser("default", AclSetuserArgs.Builder.allCommands());
        bed.drain();
    }

    private static List<Effect> counted(byte[] stored) {
        return List.of(count(text(stored), "deleted"), count("recovered", "recovered"));
    }

    private static void fill(String queue, int from, int count) {
        bed.push(
                queue,
                IntStream.range(from, from + count).mapToObj(i -> "j" + i).toArray(String[]::new));
        bed.redis.texts().sadd("queues", queue);
    }

    /** Each of the first jobs has ended once, and nothing else is stored. */
    private static void assertEnded(int jobs) {
        SortedMap<String, String> expected = new TreeMap<>();
        IntStream.range(0, jobs).forEach(i -> expected.put("j" + i, "1"));
        assertThat(bed.happened()).isEqualTo(expected);
        assertThat(bed.redis.texts().keys("*")).containsExactly(ScriptTestBed.HAPPENED);
    }

    private static List<String> aside() {
        return bed.redis.texts().keys("jobs:cleared:*");
    }

    @Test
    void endWithTheirEffectsInSeveralCalls() {
        fill("mail", 0, 250);

        assertThat(clearing.clear("mail")).isEqualTo(250);

        assertEnded(250);
    }

    @Test
    void areRemovedByOneUnlinkIfTheyHaveNoEffects() {
        fill("mail", 0, 250);

        assertThat(bed.clearing(EffectSource.NONE).clear("mail")).isEqualTo(250);

        assertThat(bed.redis.texts().keys("*")).isEmpty();
        assertThat(bed.redis.texts().info("commandstats"))
                .contains("cmdstat_unlink:calls=1,")
                .doesNotContain("cmdstat_rename")
                .doesNotContain("cmdstat_sscan")
                .doesNotContain("cmdstat_lrange");
    }

    @Test
    void waitAsideAfterACrashUntilTheNextClear() {
        fill("mail", 0, 150);
        assertThat(clearing.takeAway("mail")).isEqualTo(150);
        assertThat(bed.redis.texts().exists("queue:mail", "queues")).isZero();
        assertThat(bed.happened()).isEmpty();
        assertThat(aside()).hasSize(1);

        assertThat(clearing.clear("empty")).isZero();

        assertEnded(150);
    }

    @Test
    void endOnceEachWhenACrashCameBetweenTwoCalls() {
        fill("mail", 0, 250);
        clearing.takeAway("mail");
        assertThat(clearing.endSome()).isTrue();
        assertThat(bed.happened()).hasSize(100);
        assertThat(aside())
                .singleElement()
                .satisfies(key -> assertThat(bed.redis.texts().llen(key)).isEqualTo(150));

        ClearedQueues another = bed.clearing(ClearedQueuesIT::counted);
        while (another.endSome()) {
            // until none is aside
        }

        assertEnded(250);
        assertThat(clearing.endSome()).isFalse();
    }

    @Test
    void waitAsideForAProcessThatKnowsTheirEffects() {
        fill("mail", 0, 3);
        clearing.takeAway("mail");

        assertThat(bed.clearing(EffectSource.NONE).endSome()).isFalse();
        assertThat(bed.clearing(EffectSource.NONE).clear("mail")).isZero();
        assertThat(aside()).hasSize(1);

        assertThat(clearing.clear("mail")).isZero();
        assertEnded(3);
    }

    @Test
    void areNotOverwrittenByTheNextClearOfTheSameQueue() {
        fill("mail", 0, 130);
        clearing.takeAway("mail");
        clearing.endSome();
        fill("mail", 130, 70);
        assertThat(clearing.takeAway("mail")).isEqualTo(70);
        assertThat(aside()).hasSize(2);

        assertThat(clearing.clear("mail")).isZero();

        assertEnded(200);
    }

    @Test
    void endOnceThoughTwoProcessesEndThem() {
        fill("mail", 0, 100);
        ClearedQueues slow = bed.clearing(stored -> {
            clearing.clear("mail"); // between the reading of the slow one and its own call
            return counted(stored);
        });
        slow.takeAway("mail");

        assertThat(slow.endSome()).as("leaves the rest to the other").isFalse();

        assertEnded(100);
    }

    @Test
    void endOnceEachIfTheyAreEqual() {
        bed.push("mail", "same", "same", "same");

        assertThat(clearing.clear("mail")).isEqualTo(3);

        assertThat(bed.happened()).isEqualTo(Map.of("same", "3"));
    }

    @Test
    void dontIncludeThosePushedMeanwhile() {
        fill("mail", 0, 120);
        clearing.takeAway("mail");
        bed.push("mail", "new");
        bed.redis.texts().sadd("queues", "mail");
        while (clearing.endSome()) {
            // until none is aside
        }

        assertThat(bed.queue("mail")).containsExactly("new");
        assertThat(bed.redis.texts().smembers("queues")).containsExactly("mail");
        assertThat(bed.happened()).hasSize(120).doesNotContainKey("new");
        assertThat(aside()).isEmpty();
    }

    @Test
    void areNoneInAnEmptyQueueOrInAKeyOfAnotherType() {
        bed.redis.texts().sadd("queues", "mail", "broken");
        bed.redis.texts().set("queue:broken", "text");

        assertThat(clearing.clear("mail")).isZero();
        assertThat(clearing.clear("broken")).isZero();

        assertThat(bed.redis.texts().keys("*")).isEmpty();
    }

    @Test
    void stayInTheirQueueIfTheyCantBePutAside() {
        fill("mail", 0, 3);
        bed.redis.texts().set("jobs:cleared", "text");

        assertThatThrownBy(() -> clearing.clear("mail"))
                .isInstanceOfSatisfying(JobStoreException.class, e -> assertThat(e.kind())
                        .isEqualTo(JobStoreException.Kind.WRONG_TYPE));

        assertThat(bed.queue("mail")).containsExactly("j0", "j1", "j2");
        assertThat(bed.redis.texts().smembers("queues")).containsExactly("mail");
        assertThat(clearing.endSome()).isFalse();
    }

    @Test
    void stayInTheirQueueIfItMayNotBeRenamed() {
        fill("mail", 0, 3);
        bed.redis.texts().aclSetuser("default", new AclSetuserArgs().removeCommand(CommandType.RENAME));

        assertThatThrownBy(() -> clearing.clear("mail")).isInstanceOf(JobStoreException.class);
        assertThat(bed.queue("mail")).hasSize(3);

        bed.redis.texts().aclSetuser("default", AclSetuserArgs.Builder.allCommands());
        assertThat(clearing.clear("mail")).isEqualTo(3);
        assertEnded(3);
    }

    @Test
    void endThoughAPlaceAsideHoldsAnotherType() {
        bed.redis.texts().sadd("jobs:cleared", "wrong");
        bed.redis.texts().set("jobs:cleared:wrong", "text");
        fill("mail", 0, 3);

        assertThat(clearing.clear("mail")).isEqualTo(3);

        assertThat(bed.happened()).hasSize(3);
        assertThat(bed.redis.texts().exists("jobs:cleared")).isZero();
    }

    @Test
    void endThoughTheKeyOfTheirEffectsHasAnotherType() {
        bed.redis.texts().set(ScriptTestBed.HAPPENED, "text");
        fill("mail", 0, 3);

        assertThat(clearing.clear("mail")).isEqualTo(3);

        assertThat(bed.redis.texts().keys("*")).containsExactly(ScriptTestBed.HAPPENED);
    }

    @Test
    void endInAFullRedis() {
        fill("mail", 0, 120);
        bed.fill();

        assertThat(clearing.clear("mail")).isEqualTo(120);

        bed.drain();
        assertEnded(120);
    }

    @Test
    void areFoundByTheirExactBytes() {
        byte[] noText = {0, (byte) 0xff, '\n', (byte) 0x80};
        bed.redis.bytes().lpush(bytes("queue:mail"), noText);

        assertThat(clearing.clear("mail")).isEqualTo(1);

        assertThat(bed.happened()).hasSize(1);
        assertThat(aside()).isEmpty();
    }
}
