package dev.jobs.leases;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.leases.ProcessLeases.Alive;
import dev.jobs.leases.ProcessLeases.Timing;
import dev.jobs.testing.LogLines;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The successive lives of a process. */
class LeaseTests {

    @RegisterExtension
    private final LogLines lines = LogLines.of(Lease.class);

    private final Iterator<String> ids = List.of("first", "second", "third").iterator();
    private final AtomicLong nanos = new AtomicLong(1);
    private final Lease lease = new Lease(ids::next, new Timing(Duration.ofSeconds(20)), nanos::get);

    private void beat(String since) {
        Incarnation life = lease.current();
        lease.beaten(
                life,
                nanos.get(),
                new Alive(0, Instant.EPOCH, "", Set.of(), 1, List.of(), Duration.ofSeconds(3), since));
        assertThat(life.isRegistered()).isTrue();
    }

    @Test
    void aLifeThatWasGivenUpIsFollowedByAnotherAndTheLogSaysSoOnce() {
        beat("1.5");
        Incarnation first = lease.current();
        nanos.addAndGet(Duration.ofSeconds(21).toNanos());
        lease.fenced(first);
        lease.fenced(first); // the fetcher and the beat may both notice it
        assertThat(first.isLost()).isTrue();
        assertThat(lease.current().id()).isEqualTo("second");
        beat("1.5");
        beat("1.5");
        assertThat(said())
                .containsExactly(
                        "This process is registered as first",
                        "first was given up, because it did not beat for too long: its jobs run elsewhere. This process continues as second");
    }

    @Test
    void theTimeOfRedisGoesOnFromTheLastBeat() {
        Instant own = Instant.ofEpochSecond(1_000_000_000);
        assertThat(lease.serverTime(own)).isEqualTo(own);

        beat("1.5");
        nanos.addAndGet(Duration.ofSeconds(2).toNanos());

        assertThat(lease.serverTime(own)).isEqualTo(Instant.EPOCH.plusSeconds(2));
    }

    @Test
    void theLogSaysWhenRedisLostItsData() {
        beat("1.5");
        nanos.addAndGet(Duration.ofSeconds(99).toNanos()); // Redis was away so long
        lease.fenced(lease.current());
        beat("7.5");
        assertThat(said())
                .last()
                .asString()
                .startsWith("Redis lost its data, as by FLUSHALL")
                .endsWith("continues as second");
    }

    @Test
    void theLogSaysWhenRedisForgotALifeThatBeatInTime() {
        beat("1.5");
        nanos.addAndGet(Duration.ofSeconds(19).toNanos());
        lease.fenced(lease.current());
        lease.renew(lease.current()); // its registration got no answer
        beat("1.5");
        assertThat(said())
                .last()
                .asString()
                .startsWith("Redis no longer knows first, although it beat in time")
                .endsWith("continues as third");
    }

    @Test
    void theLogNamesALifeWhenItIsRegistered() {
        lease.renew(lease.current()); // its registration got no answer
        beat("1.5");
        beat("1.5");
        assertThat(said()).containsExactly("This process is registered as second");
    }

    private List<String> said() {
        return lines.messages();
    }
}
