package dev.jobs.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Who is let in, of the jobs that outlived their workers often. */
class SuspectsTests {

    private static final Duration YOUTH = Duration.ofSeconds(20);

    private final AtomicLong nanos = new AtomicLong(-5);
    private final Suspects suspects = new Suspects(3, YOUTH, nanos::get);

    @Test
    void nobodyIsLetIntoAYoungProcess() {
        assertThat(suspects.tryAcquire()).isFalse();
        nanos.addAndGet(YOUTH.toNanos() - 1);
        assertThat(suspects.tryAcquire()).isFalse();
        nanos.addAndGet(1);
        assertThat(suspects.tryAcquire()).isTrue();
    }

    @Test
    void oneIsLetInAtATime() {
        nanos.addAndGet(YOUTH.toNanos());
        assertThat(suspects.tryAcquire()).isTrue();
        assertThat(suspects.tryAcquire()).isFalse();
        suspects.release();
        assertThat(suspects.tryAcquire()).isTrue();
    }

    @Test
    void whoIsHereAlreadyMayStayAsTheOnlyOneOfAGrownProcess() {
        assertThat(suspects.admit()).isFalse();
        suspects.release();
        nanos.addAndGet(YOUTH.toNanos());
        assertThat(suspects.admit()).isTrue();
        assertThat(suspects.admit()).isFalse();
        suspects.release();
        assertThat(suspects.tryAcquire()).isFalse();
        suspects.release();
        assertThat(suspects.tryAcquire()).isTrue();
    }

    @Test
    void aJobIsASuspectThatOneMoreDeathBuries() {
        assertThat(suspects.isOne(1)).isFalse();
        assertThat(suspects.isOne(2)).isTrue();
        assertThat(Suspects.threshold(1)).isEqualTo(1);
    }
}
