package dev.jobs.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Which of the jobs that often outlived their workers may run. */
class SuspectPermitTests {

    private static final Duration YOUTH = Duration.ofSeconds(20);

    private final AtomicLong nanos = new AtomicLong(-5);
    private final AtomicInteger ofAllEngines = new AtomicInteger();
    private final SuspectPermit suspectPermit = new SuspectPermit(3, YOUTH, nanos::get, ofAllEngines);

    @Test
    void refusesSuspectsInAYoungProcess() {
        assertThat(suspectPermit.tryAcquire()).isFalse();
        nanos.addAndGet(YOUTH.toNanos() - 1);
        assertThat(suspectPermit.tryAcquire()).isFalse();
        nanos.addAndGet(1);
        assertThat(suspectPermit.tryAcquire()).isTrue();
    }

    @Test
    void anEngineThatHasEndedLeavesThePermitToOthersAndReleasesNothingLater() {
        SuspectPermit other = new SuspectPermit(3, YOUTH, nanos::get, ofAllEngines);
        nanos.addAndGet(YOUTH.toNanos());
        assertThat(suspectPermit.tryAcquire()).isTrue();
        assertThat(other.tryAcquire()).isFalse();

        suspectPermit.end();
        assertThat(suspectPermit.tryAcquire()).isFalse();
        assertThat(suspectPermit.admit()).isFalse();
        assertThat(other.tryAcquire()).isTrue();
        suspectPermit.release();
        assertThat(ofAllEngines).hasValue(1);
        other.release();
        assertThat(other.tryAcquire()).isTrue();
    }

    @Test
    void grantsOnePermitAtATime() {
        nanos.addAndGet(YOUTH.toNanos());
        assertThat(suspectPermit.tryAcquire()).isTrue();
        assertThat(suspectPermit.tryAcquire()).isFalse();
        suspectPermit.release();
        assertThat(suspectPermit.tryAcquire()).isTrue();
    }

    @Test
    void admitsOneRunningSuspectInAnOldProcess() {
        assertThat(suspectPermit.admit()).isFalse();
        suspectPermit.release();
        nanos.addAndGet(YOUTH.toNanos());
        assertThat(suspectPermit.admit()).isTrue();
        assertThat(suspectPermit.admit()).isFalse();
        suspectPermit.release();
        assertThat(suspectPermit.tryAcquire()).isFalse();
        suspectPermit.release();
        assertThat(suspectPermit.tryAcquire()).isTrue();
    }

    @Test
    void aJobIsASuspectThatOneMoreDeathBuries() {
        assertThat(suspectPermit.isSuspect(1)).isFalse();
        assertThat(suspectPermit.isSuspect(2)).isTrue();
        assertThat(SuspectPermit.threshold(1)).isEqualTo(1);
    }
}
