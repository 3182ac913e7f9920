package dev.jobs.dashboard.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobStoreException;
import dev.jobs.JobStoreException.Kind;
import dev.jobs.dashboard.SettableClock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class BriefCacheTests {

    private final AtomicLong now = new AtomicLong(1_000_000);
    private final AtomicInteger reads = new AtomicInteger();
    private boolean away;

    private final BriefCache<Integer> cache = new BriefCache<>(
            () -> {
                int read = reads.incrementAndGet();
                if (away) {
                    throw new JobStoreException(Kind.UNREACHABLE, "away", null);
                }
                return read;
            },
            Duration.ofSeconds(2),
            SettableClock.of(now::get));

    @Test
    void readsOnceForAllCallersWithinAMoment() {
        assertThat(cache.get()).isEqualTo(1);
        now.addAndGet(1_999);
        assertThat(cache.get()).isEqualTo(1);
        now.addAndGet(1);
        assertThat(cache.get()).isEqualTo(2);
        now.addAndGet(-10_000);
        assertThat(cache.get()).isEqualTo(3);
    }

    @Test
    void onlyOneWaitsForARedisThatIsAway() {
        cache.get();
        now.addAndGet(2_000);
        away = true;
        for (int i = 0; i < 5; i++) {
            assertThatThrownBy(cache::get).isInstanceOf(JobStoreException.class);
        }
        assertThat(reads).hasValue(2);

        away = false;
        now.addAndGet(2_000);
        assertThat(cache.get()).isEqualTo(3);
    }
}
