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
 * How long jobs that were cut off by the death of their worker waited until they started again: by the clock, and counting only the time in
 * which any worker was up, since nobody can recover a job while all of them start.
 */
final class Recoveries {

    /** When a worker was up: from the first job that it started on, until it died, or null. */
    record Life(int worker, Instant from, @Nullable Instant died) {}

    /**
     * @param before how often the job had been cut off before
     */
    record Recovery(String jid, int before, Duration byTheClock, Duration whileAnyWasUp) {}

    private final List<Life> lives;

    Recoveries(Collection<Life> lives) {
        this.lives = lives.stream().sorted(Comparator.comparing(Life::from)).toList();
    }

    /** Those of all executions that were cut off and began again. */
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

    /** How much of that time any worker was up. */
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

    /** The shortest time that is not exceeded by so many of a hundred; zero if there are none. */
    static Duration percentile(int percent, Collection<Duration> times) {
        List<Duration> inOrder = times.stream().sorted().toList();
        return inOrder.isEmpty() ? Duration.ZERO : inOrder.get((inOrder.size() * percent + 99) / 100 - 1);
    }
}
