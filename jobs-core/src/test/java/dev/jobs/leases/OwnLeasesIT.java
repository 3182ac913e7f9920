package dev.jobs.leases;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.leases.ProcessLeases.Alive;
import dev.jobs.leases.ProcessLeases.Beat;
import dev.jobs.leases.ProcessLeases.Timing;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.Worker;
import io.lettuce.core.SetArgs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Processes with different leases, in simulated time. The simulation lasts days and the leases hours, so real time
 * doesn't matter.
 */
class OwnLeasesIT {

    private static final List<Duration> LEASES =
            List.of(Duration.ofHours(1), Duration.ofHours(2), Duration.ofHours(5), Duration.ofHours(10));

    @AutoClose
    @RegisterExtension
    static final ScriptTestBed bed = new ScriptTestBed();

    private final List<Process> processes = new ArrayList<>();
    private Random random = new Random(1);
    private int born;

    /** Milliseconds since the test began. */
    private long now;
    /** When the token for a round expires. */
    private long token;

    private int givenUp;

    /** A process that beats as the engine does. */
    private static final class Process {

        final Worker worker;
        final Timing timing;
        long next;
        long beaten;
        boolean dead;
        boolean givenUp;

        Process(Worker worker, Timing timing) {
            this.worker = worker;
            this.timing = timing;
        }
    }

    private Process join(Duration lease) {
        Timing timing = new Timing(lease);
        String id = "p" + born++;
        Process process = new Process(bed.worker(id, ScriptTestBed.LIMITS, timing), timing);
        processes.add(process);
        beat(process, true);
        return process;
    }

    private void beat(Process process, boolean register) {
        long left = token - now;
        if (left <= 0) {
            bed.letARoundBeDue();
        } else {
            bed.redis.texts().set("jobs:round", "1", SetArgs.Builder.px(left));
        }
        String id = process.worker.id;
        Beat answer = register ? process.worker.leases.register(id, Duration.ZERO) : process.worker.beat();
        if (!(answer instanceof Alive alive)) {
            processes.remove(process);
            return;
        }
        long spacing = Long.parseLong(bed.redis.texts().hget("jobs:seen", "#spacing"));
        if (left <= 0 && bed.redis.texts().exists("jobs:round") == 1 || left > spacing) {
            token = now + spacing;
        }
        process.beaten = now;
        long pause = Math.min(process.timing.beat().toMillis(), alive.beat().toMillis());
        process.next = now + pause - random.nextLong(1 + pause / 50);
        for (String victim : alive.reap()) {
            giveUp(victim);
        }
    }

    private void giveUp(String id) {
        bed.leases().reap(id);
        for (Process process : processes) {
            if (process.worker.id.equals(id)) {
                assertThat(now - process.beaten)
                        .as("how long %s was quiet when it was given up", id)
                        .isGreaterThanOrEqualTo(process.timing.lease().toMillis());
                process.givenUp = true;
                givenUp++;
            }
        }
    }

    private void step() {
        Process next = processes.stream()
                .filter(process -> !process.dead)
                .min(Comparator.comparingLong(process -> process.next))
                .orElseThrow();
        now = Math.max(now, next.next);
        beat(next, false);
        if (random.nextInt(100) < 5) {
            beat(next, false); // a late copy
        }
    }

    private long living() {
        return processes.stream().filter(process -> !process.dead).count();
    }

    private void happen(Process process) {
        int roll = random.nextInt(100);
        if (roll < 4) {
            process.next += random.nextLong(3 * process.timing.lease().toMillis()); // it froze
        } else if (roll < 6) {
            process.dead = true;
        } else if (roll < 7) {
            process.worker.leases.leave(process.worker.id);
            processes.remove(process);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void noProcessIsGivenUpBeforeItsOwnLeaseIsOver(int seed) {
        random = new Random(seed);
        for (int i = 0; i < 1_500; i++) {
            while (living() < 2 || living() < 6 && random.nextInt(20) == 0) {
                join(LEASES.get(random.nextInt(LEASES.size())));
            }
            step();
            if (!processes.isEmpty()) {
                happen(processes.get(random.nextInt(processes.size())));
            }
        }
        assertThat(givenUp).as("given up because they froze or died").isGreaterThan(10);
        Process last = join(Duration.ofHours(10));
        processes.forEach(process -> process.dead = process != last);
        long end = now + Duration.ofHours(25).toMillis();
        while (now < end) {
            step();
        }
        assertThat(processes)
                .filteredOn(process -> !process.givenUp)
                .as("processes that were not given up")
                .containsExactly(last);
    }

    @Test
    void theJobsOfAShortLeaseNeedNotWaitForALongOne() {
        join(Duration.ofHours(10));
        Process hasty = join(Duration.ofHours(1));
        for (int i = 0; i < 100; i++) {
            step();
        }
        hasty.dead = true;
        while (!hasty.givenUp) {
            step();
        }
        assertThat(now - hasty.beaten).isBetween(hours(1.0), hours(1.25));
    }

    @Test
    void aLongLeaseIsKeptBesideShortOnes() {
        Process patient = join(Duration.ofHours(10));
        join(Duration.ofHours(1));
        join(Duration.ofHours(1));
        for (int i = 0; i < 30; i++) {
            step();
        }
        patient.dead = true;
        while (!patient.givenUp) {
            step();
        }
        assertThat(now - patient.beaten).isBetween(hours(10.0), hours(10.8));
    }

    private static long hours(double hours) {
        return (long) (hours * Duration.ofHours(1).toMillis());
    }
}
