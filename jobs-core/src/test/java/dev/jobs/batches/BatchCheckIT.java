package dev.jobs.batches;

import static dev.jobs.batches.BatchTestBed.plan;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobStoreException;
import dev.jobs.redis.RedisConnection;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.testing.MeteredProxy;
import dev.jobs.testing.MeteredProxy.Request;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Counters of a batch that don't agree with the states of its jobs are noticed. */
class BatchCheckIT {

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    private final BatchTestBed batches = new BatchTestBed(bed);
    private String id;

    @BeforeEach
    void oneBatchWithAJobInEachState() {
        bed.clear();
        id = batches.batch(1, 10, plan());
        batches.store.reserve(id, 2);
        batches.fill(id, BatchJobId.FIRST_GROWN, 2);
        set("jobs:batch:" + id + ":s", "qwrvsfdxkl");
        counters("fresh", 4, "again", 2, "ok", 1, "failed", 1, "dead", 2, "skipped", 1, "lost", 1);
    }

    private void set(String key, String value) {
        bed.redis.texts().set(key, value);
    }

    private void counters(Object... pairs) {
        for (int i = 0; i < pairs.length; i += 2) {
            bed.redis.texts().hset("jobs:batch:" + id, (String) pairs[i], pairs[i + 1].toString());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {BatchCheck.SPAN, 12, 11, 10, 7, 5, 2, 1})
    void thereIsNoErrorWhereTheyAgree(int span) {
        batches.assertExact(id);

        assertThat(new BatchCheck(bed.connection, bed.keys, span).error(id)).isZero();
    }

    @ParameterizedTest
    @CsvSource({"total, 1", "fresh, 1", "again, -1", "ok, 3", "failed, 1", "dead, -2", "skipped, 1", "lost, 5"})
    void theErrorIsTheSumOfAllDifferences(String counter, int by) {
        bed.redis.texts().hincrby("jobs:batch:" + id, counter, by);

        for (int span : new int[] {BatchCheck.SPAN, 12, 7, 1}) {
            assertThat(new BatchCheck(bed.connection, bed.keys, span).error(id)).isEqualTo(Math.abs(by));
        }
    }

    @Test
    void aLetterOfALaterVersionIsMissingInAClass() {
        bed.redis.texts().setrange("jobs:batch:" + id + ":s", 3, "z");

        assertThat(batches.check.error(id)).isEqualTo(1);
    }

    /** Checks a batch that takes several calls; after some of them the first job, which was read before, succeeds. */
    private long errorWhileItChanges(int span, int... afterCalls) {
        AtomicInteger calls = new AtomicInteger();
        Set<Integer> all = IntStream.of(afterCalls).boxed().collect(Collectors.toSet());
        BiConsumer<Request, Long> change = (request, answer) -> {
            boolean isCheck = request.begin().contains(BatchScripts.CHECK.digest());
            if (isCheck && all.contains(calls.incrementAndGet())) {
                String state = bed.redis.texts().getrange("jobs:batch:" + id + ":s", 0, 0);
                bed.redis.texts().setrange("jobs:batch:" + id + ":s", 0, state.equals("q") ? "s" : "q");
                bed.redis.texts().hincrby("jobs:batch:" + id, "fresh", state.equals("q") ? -1 : 1);
                bed.redis.texts().hincrby("jobs:batch:" + id, "ok", state.equals("q") ? 1 : -1);
            }
        };
        bed.connection.run(commands -> commands.scriptLoad(BatchScripts.CHECK.source()));
        try (MeteredProxy proxy = new MeteredProxy(bed.redis.port(), change);
                RedisConnection slow = bed.redis.connections("", proxy.port()).open("slow")) {
            return new BatchCheck(slow, bed.keys, span).error(id);
        }
    }

    @Test
    void aChangeBetweenTwoCallsIsNoError() {
        assertThat(errorWhileItChanges(5, 1)).isZero();
        assertThat(errorWhileItChanges(5, 1, 3, 5)).isZero();
    }

    @Test
    void anErrorIsFoundOnceNothingChangesBetweenCalls() {
        counters("lost", 3);

        assertThat(errorWhileItChanges(5, 1, 3)).isEqualTo(2);
        assertThat(errorWhileItChanges(5, 1, 3, 5)).as("unknown").isZero();
    }

    @Test
    void noBatchHasNoError() {
        assertThat(batches.check.error(BatchTestBed.id(2))).isZero();
    }

    @Test
    void aKeyOfAnotherTypeIsAnError() {
        bed.redis.texts().del("jobs:batch:" + id + ":g");
        bed.redis.texts().lpush("jobs:batch:" + id + ":g", "x");

        assertThatThrownBy(() -> batches.check.error(id))
                .isInstanceOfSatisfying(JobStoreException.class, e -> assertThat(e.kind())
                        .isEqualTo(JobStoreException.Kind.WRONG_TYPE));
    }
}
