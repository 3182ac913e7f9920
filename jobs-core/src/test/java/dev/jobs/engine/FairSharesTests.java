package dev.jobs.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.engine.ThreadPool.Share;
import dev.jobs.threads.ThreadGuard;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Two capsules that share three threads. */
class FairSharesTests {

    private final ThreadPool pool = new ThreadPool(
            CapsuleConfig.of("default", 3, List.of("default")), EngineEnvironment.system(), ThreadPool::left);
    private final AtomicInteger wakes = new AtomicInteger();
    private final Share first = pool.join(new ThreadGuard(error -> {}), () -> {}, 0);
    private final Share second = pool.join(new ThreadGuard(error -> {}), wakes::incrementAndGet, 0);

    private static long after(long millis) {
        return Duration.ofMillis(millis).toNanos();
    }

    private static int room(Share share) {
        return share.room(0, 0, 0);
    }

    @Test
    void hungryCapsulesKeepToEqualPartsAndTheRestGoesAround() {
        first.hungry(true, 0);
        second.hungry(true, 0);
        assertThat(List.of(room(first), room(second))).containsExactly(2, 1);

        first.taken();
        first.left();
        assertThat(List.of(room(first), room(second))).containsExactly(1, 2);
    }

    @Test
    void aCapsuleThatIsAloneHungryMayUseAllThreadsOfWhichOthersLeaveItOne() {
        assertThat(List.of(room(first), room(second))).containsExactly(3, 3);

        first.hungry(true, 0);
        assertThat(List.of(room(first), room(second))).containsExactly(3, 2);
    }

    @Test
    void aCapsuleIsHungryOnlyWhileItSaysSo() {
        first.hungry(true, 0);
        second.hungry(true, after(1_000));

        assertThat(second.room(0, 0, after(1_999))).isEqualTo(1);
        assertThat(second.room(0, 0, after(2_000))).isEqualTo(3);
    }

    @Test
    void aCapsuleWithoutRoomIsWokenOnceWhenAnotherLeavesAThread() {
        for (int i = 0; i < 3; i++) {
            first.taken();
        }

        assertThat(second.awaitRoom(0, true, 0)).isEqualTo(ThreadPool.NOTHING_TO_DO);
        assertThat(wakes).hasValue(0);
        first.left();
        assertThat(wakes).hasValue(1);
        first.left();
        assertThat(wakes).hasValue(1);
    }

    @Test
    void aCapsuleThatGotRoomJustBeforeIsWokenAtOnce() {
        second.awaitRoom(0, true, 0);

        assertThat(wakes).hasValue(1);
    }

    @Test
    void queuesThatWereEmptyJustNowAreTakenForEmpty() {
        for (int i = 0; i < 3; i++) {
            first.taken();
        }
        second.hungry(false, 0);

        assertThat(second.awaitRoom(0, false, after(30))).isEqualTo(Duration.ofMillis(70));
        first.left();
        assertThat(wakes).hasValue(0);
        first.taken();
        assertThat(second.awaitRoom(0, false, after(100))).isEqualTo(ThreadPool.NOTHING_TO_DO);
        first.left();
        assertThat(wakes).hasValue(1);
    }

    @Test
    void threadsOfACapsuleThatHasLeftAreMissingUntilItsJobsEnd() {
        first.taken();
        second.hungry(true, 0);
        assertThat(first.leave()).isFalse();

        assertThat(room(second)).isEqualTo(2);
        first.left();
        assertThat(room(second)).isEqualTo(3);
        assertThat(second.isShared()).isFalse();
    }
}
