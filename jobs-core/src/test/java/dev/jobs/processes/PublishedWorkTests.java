package dev.jobs.processes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.engine.ClaimedJob;
import dev.jobs.leases.Incarnation;
import dev.jobs.leases.ProcessLeases.Timing;
import dev.jobs.processes.ProcessRegistry.Work;
import dev.jobs.redis.CallBounds;
import dev.jobs.store.JobClaims.Claimed;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** A beat carries only what has changed, and no more of it than a call may. */
class PublishedWorkTests {

    private static final Timing TIMING = new Timing(Duration.ofSeconds(20));

    private final PublishedWork work = new PublishedWork(job -> new byte[40], new CallBounds(100));
    private final Map<String, ClaimedJob> running = new TreeMap<>();

    private void run(String thread) {
        Claimed claimed = new Claimed("0:1:1", "default", "{}".getBytes(UTF_8), 0);
        running.put(thread, new ClaimedJob(claimed, new Incarnation("me", TIMING, () -> 0), 0, () -> false));
    }

    @Test
    void whatIsShownIsNotSentAgain() {
        run("t1");
        assertThat(work.changes("me", running)).satisfies(changes -> {
            assertThat(changes.anew()).isTrue();
            assertThat(changes.begun()).containsOnlyKeys("t1");
        });
        work.published(1);
        run("t2");
        assertThat(work.changes("me", running)).satisfies(changes -> {
            assertThat(changes.anew()).isFalse();
            assertThat(changes.begun()).containsOnlyKeys("t2");
        });
        work.published(2);

        assertThat(work.changes("me", running)).isEqualTo(new Work(false, List.of(), Map.of()));

        running.remove("t1");
        run("t2"); // another job
        assertThat(work.changes("me", running)).satisfies(changes -> {
            assertThat(changes.ended()).containsExactlyInAnyOrder("t1", "t2");
            assertThat(changes.begun()).containsOnlyKeys("t2");
        });
    }

    @Test
    void whatOneCallDoesNotCarryFollowsWithTheNextOne() {
        for (int i = 0; i < 7; i++) {
            run("t" + i);
        }

        assertThat(work.changes("me", running).begun()).containsOnlyKeys("t0", "t1", "t2");
        work.published(3);
        assertThat(work.changes("me", running).begun()).containsOnlyKeys("t3", "t4", "t5");
        work.published(6);
        assertThat(work.changes("me", running).begun()).containsOnlyKeys("t6");
    }

    @Test
    void allAreSentAgainIfRedisHasOthersOrMayHave() {
        run("t1");
        work.changes("me", running);
        work.published(0);
        assertThat(work.changes("me", running).begun()).containsOnlyKeys("t1");
        work.unknown();
        assertThat(work.changes("me", running)).satisfies(changes -> {
            assertThat(changes.anew()).isTrue();
            assertThat(changes.begun()).containsOnlyKeys("t1");
        });
        work.published(1);
        assertThat(work.changes("another", running).anew()).isTrue();
    }
}
