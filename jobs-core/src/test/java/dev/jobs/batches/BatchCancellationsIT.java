package dev.jobs.batches;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobStoreException;
import dev.jobs.proof.LongTest;
import dev.jobs.redis.Bytes;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.StoreKeys;
import io.lettuce.core.ScriptOutputType;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How cancelled batches are read. */
class BatchCancellationsIT {

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    private final BatchCancellations cancellations = new BatchCancellations(bed.connection, bed.keys);
    private final String key = Bytes.text(new StoreKeys(bed.keys).cancelledBatches());

    @BeforeEach
    void empty() {
        bed.redis.flush();
    }

    @Test
    void thereAreNone() {
        assertThat(cancellations.hasAny()).isFalse();
        assertThat(cancellations.all()).isEmpty();
    }

    @LongTest
    @Test
    void allOfManyAreReadInSeveralCalls() {
        Set<String> ids = new TreeSet<>();
        IntStream.range(0, 3_500).mapToObj(BatchTestBed::id).forEach(id -> {
            bed.redis.texts().zadd(key, 1, id);
            ids.add(id);
        });
        bed.redis.texts().configResetstat();

        assertThat(cancellations.hasAny()).isTrue();
        assertThat(new TreeSet<>(cancellations.all())).isEqualTo(ids);

        assertThat(bed.redis.calls("zscan")).isBetween(3L, 7L);
    }

    @Test
    void aProcessAsksAboutItsOwnOnlyHoweverManyThereAre() {
        for (int others : new int[] {1, 5_000}) {
            bed.redis
                    .texts()
                    .eval(
                            "for i = 1, #ARGV do redis.call('ZADD', KEYS[1], 1, ARGV[i]) end",
                            ScriptOutputType.STATUS,
                            new String[] {key},
                            IntStream.range(0, others)
                                    .mapToObj(BatchTestBed::id)
                                    .toArray(String[]::new));
            bed.redis.texts().configResetstat();

            Set<String> own = Set.of(BatchTestBed.id(0), BatchTestBed.id(7_000));
            assertThat(cancellations.among(own)).containsExactly(BatchTestBed.id(0));
            assertThat(cancellations.among(Set.of())).isEmpty();

            assertThat(bed.redis.calls("zmscore")).isEqualTo(1);
            assertThat(bed.redis.calls("zscan")).isZero();
        }
    }

    @Test
    void thoseOfManyThatAreGoneAreForgotten() {
        IntStream.range(0, 2_500)
                .mapToObj(BatchTestBed::id)
                .forEach(id -> bed.redis.texts().zadd(key, 1, id));

        assertThat(new BatchReader(bed.connection, bed.keys).forgetExpired(cancellations.all()))
                .isEqualTo(2_500);
        assertThat(cancellations.hasAny()).isFalse();
    }

    @Test
    void aKeyOfAnotherTypeIsReported() {
        bed.redis.texts().set(key, "text");

        assertThatThrownBy(cancellations::all).isInstanceOf(JobStoreException.class);
        assertThatThrownBy(cancellations::hasAny).isInstanceOf(JobStoreException.class);
    }
}
