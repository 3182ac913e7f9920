package dev.jobs.batches;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobStoreException;
import dev.jobs.store.ScriptTestBed;
import io.lettuce.core.ScriptOutputType;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How the cancellation of a batch reaches all batches below it. */
class BatchCascadeIT {

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    private static final String ROOT = "00c0ffee00c0ffee";

    /** Stores batches FIRST to LAST, in hexadecimal digits, as the children of another. */
    private static final String FAMILY = """
            for i = tonumber(ARGV[2]), tonumber(ARGV[3]) do
              local id = string.format('%016x', i)
              redis.call('HSET', 'jobs:batch:' .. id, 'total', 0, 'open', 0, 'committed', 1, 'created', 1)
              redis.call('HSET', 'jobs:batch:' .. id .. ':d', 'name', 'child', 'parent', ARGV[1])
              redis.call('SADD', 'jobs:batch:' .. ARGV[1] .. ':k', id)
            end
            """;

    private final BatchCascade cascade = new BatchCascade(bed.connection, bed.keys);

    @BeforeEach
    void empty() {
        bed.redis.flush();
        bed.redis.texts().hset("jobs:batch:" + ROOT, "total", "0");
    }

    private static void store(String parent, int first, int last) {
        bed.redis.texts().eval(FAMILY, ScriptOutputType.STATUS, new String[0], parent, "" + first, "" + last);
    }

    private static String id(int number) {
        return String.format("%016x", number);
    }

    private static boolean isCancelled(String id) {
        return bed.redis.texts().hexists("jobs:batch:" + id, "cancelled");
    }

    private static long cancelled() {
        return bed.redis.texts().zcard("jobs:batches:cancelled");
    }

    @Test
    void reachesAllChildrenHoweverMany() {
        store(ROOT, 1, 10_500);
        assertThat(cascade.cancel(ROOT)).isTrue();

        assertThat(cancelled()).isEqualTo(10_501);
    }

    @Test
    void reachesAllLevels() {
        store(ROOT, 1, 3);
        store(id(1), 10, 12);
        store(id(12), 20, 400);
        assertThat(cascade.cancel(ROOT)).isTrue();

        assertThat(cancelled()).isEqualTo(1 + 3 + 3 + 381);
    }

    /** That batch stands in for the one that has ended. */
    @Test
    void reachesTheNextBatchesOfChildrenEvenThoughTheseHaveEnded() {
        store(ROOT, 1, 1);
        store("another", 2, 3);
        bed.redis.texts().hset("jobs:batch:" + id(1), "finished", "1");
        bed.redis.texts().hset("jobs:batch:" + id(1) + ":d", "next", id(2));
        bed.redis.texts().hset("jobs:batch:" + id(2) + ":d", "next", id(3));
        bed.redis.texts().hset("jobs:batch:" + id(3) + ":d", "next", id(2)); // as nobody should store it
        assertThat(cascade.cancel(ROOT)).isTrue();

        assertThat(isCancelled(id(1))).isFalse();
        assertThat(isCancelled(id(2))).isTrue();
        assertThat(isCancelled(id(3))).isTrue();
    }

    @Test
    void leavesTheNextBatchOfTheFirstOneAlone() {
        store("another", 1, 1);
        bed.redis.texts().hset("jobs:batch:" + ROOT + ":d", "next", id(1));
        cascade.cancel(ROOT);
        BatchCascade.Walk walk = cascade.walk(List.of(ROOT));
        while (walk.step()) {
            // until all are cancelled
        }

        assertThat(isCancelled(id(1))).isFalse();
    }

    @Test
    void aSecondCallDoesWhatTheFirstOneLeft() {
        store(ROOT, 1, 1_500);
        assertThat(cascade.cancel(ROOT)).isTrue();
        bed.redis.texts().hdel("jobs:batch:" + id(1_400), "cancelled");
        bed.redis.texts().del("jobs:batches:cancelled", "jobs:batches:rest");
        assertThat(cascade.cancel(ROOT)).isTrue();

        assertThat(isCancelled(id(1_400))).isTrue();
        assertThat(cancelled()).isEqualTo(1_501);
        assertThat(bed.redis.texts().zcard("jobs:batches:rest")).isEqualTo(1_501);
    }

    @Test
    void whatHasEndedIsNotCancelled() {
        store(ROOT, 1, 1);
        bed.redis.texts().hset("jobs:batch:" + ROOT, "finished", "1");

        assertThat(cascade.cancel(ROOT)).isFalse();
        assertThat(cascade.cancel(id(7))).as("there is none").isFalse();
        assertThat(isCancelled(id(1))).isFalse();
    }

    /** Some of its jobs were revived, or a child has succeeded after all and opened its next batch. */
    @ParameterizedTest
    @ValueSource(strings = {"fresh", "again", "children_open"})
    void whatRunsAgainIsCancelledThoughItHadEnded(String pending) {
        store(ROOT, 1, 1);
        bed.redis.texts().hset("jobs:batch:" + ROOT, Map.of("finished", "1", pending, "2"));

        assertThat(cascade.cancel(ROOT)).isTrue();
        assertThat(bed.redis.texts().zrange("jobs:batches:cancelled", 0, -1)).containsExactlyInAnyOrder(ROOT, id(1));

        bed.redis.texts().del("jobs:batches:cancelled");
        assertThat(cascade.cancel(ROOT)).as("once more").isTrue();
        assertThat(cancelled()).isEqualTo(2);

        bed.redis.texts().del("jobs:batches:cancelled");
        bed.redis.texts().hset("jobs:batch:" + ROOT, pending, "0");
        assertThat(cascade.cancel(ROOT)).as("it is cancelled, and over").isTrue();
        assertThat(cancelled()).isZero();
    }

    @Test
    void keysOfTheWrongTypeHoldUpNoOthers() {
        store(ROOT, 1, 5);
        bed.redis.texts().set("jobs:batch:" + id(2), "text");
        bed.redis.texts().set("jobs:batch:" + id(3) + ":k", "text");
        bed.redis.texts().set("jobs:batch:" + id(4) + ":d", "text");
        assertThat(cascade.cancel(ROOT)).isTrue();

        assertThat(cancelled()).isEqualTo(5);
        assertThatThrownBy(() -> cascade.cancel(id(2)))
                .isInstanceOf(JobStoreException.class)
                .hasMessageContaining("batch " + id(2));
    }
}
