package dev.jobs.faults;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How long jobs that were cut off by the death of their worker waited until they started again: by the clock, and
 * counting only the time in which any worker was up, since no job can be recovered while all workers are starting.
 */
final class RecoveryTimes {

    /** The time in which a worker was up: from its first job until its death, or null if it didn't die. */
    record Life(int worker, Instant from, @Nullable Instant died) {}

    /** @param before how often the job had been cut off before */
    record Recovery(String jid, int before, Duration byTheClock, Duration whileAnyWasUp) {}

    private final List<Life> lives;

    RecoveryTimes(Collection<Life> lives) {
        this.lives = lives.stream().sorted(Comparator.comparing(Life::from)).toList();
    }

    /** The recoveries of all executions that were cut off and began again. */
    List<Recovery> of(Collection<Execution> executions) {
        Map<Integer, Life> byWorker = lives.stream().collect(Collectors.toMap(Life::worker, life -> life));
        List<Recovery> recoveries = new ArrayList<>();
        executions.stream().collect(Collectors.groupingBy(Execution::jid)).forEach((jid, ofJob) -> {
            List<Execution> inOrder = ofJob.stream()
                    .sorted(Comparator.comparing(Execution::started))
                    .toList();
            int before = 0;
            for (Execution execution : inOrder) {
                Life life = byWorker.get(execution.worker());
                Instant death = life == null ? null : cutOff(execution, life.died());
                if (death != null) {
                    int times = before++;
                    inOrder.stream()
                            .map(Execution::started)
                            .filter(start -> start.isAfter(execution.started()) && start.isAfter(death))
                            .findFirst()
                            .ifPresent(next -> recoveries.add(
                                    new Recovery(jid, times, Duration.between(death, next), up(death, next))));
                }
            }
        });
        return recoveries;
    }

    private static @Nullable Instant cutOff(Execution execution, @Nullable Instant death) {
        Instant ended = execution.ended();
        return death != null && execution.started().isBefore(death) && (ended == null || ended.isAfter(death))
                ? death
                : null;
    }

    /** The part of this time in which any worker was up. */
    private Duration up(Instant from, Instant to) {
        Duration up = Duration.ZERO;
        Instant counted = from;
        for (Life life : lives) {
            Instant begin = life.from().isAfter(counted) ? life.from() : counted;
            Instant died = life.died();
            Instant end = died == null || died.isAfter(to) ? to : died;
            if (begin.isBefore(end)) {
                up = up.plus(Duration.between(begin, end));
                counted = end;
            }
        }
        return up;
    }

    /** The shortest time that this percentage of the times doesn't exceed; zero if there are none. */
    static Duration percentile(int percent, Collection<Duration> times) {
        List<Duration> inOrder = times.stream().sorted().toList();
        return inOrder.isEmpty() ? Duration.ZERO : inOrder.get((inOrder.size() * percent + 99) / 100 - 1);
    }
}
