package dev.jobs.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobStoreException;
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
    private final String key = Bytes.text(bed.keys.cancelledBatches());

    @BeforeEach
    void empty() {
        bed.redis.flush();
    }

    @Test
    void thereAreNone() {
        assertThat(cancellations.hasAny()).isFalse();
        assertThat(cancellations.all()).isEmpty();
    }

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
