package dev.jobs.faults;

import dev.jobs.faults.Pulse.Stall;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

/** What the machine did to the processes of a trial, with which all that depends on time is compared. */
final class Machine implements AutoCloseable {

    /** A worker that is kept from running for this long may miss so many beats that it is taken for dead. */
    private static final Duration TOO_LONG =
            WorkerSettings.LEASE.multipliedBy(2).dividedBy(3);

    private final List<Worker> workers;
    private final List<Stall> own = new CopyOnWriteArrayList<>();
    private final List<Stall> meant = new ArrayList<>();
    private final Pulse pulse = new Pulse(own::add);

    /** @param workers all that were ever started; more may follow */
    Machine(List<Worker> workers) {
        this.workers = workers;
    }

    /** Lets these workers stand still together for this time, which is not the machine's doing. */
    void freezeAll(List<Worker> all, Duration duration) {
        Instant before = Instant.now();
        all.forEach(Worker::freeze);
        Trial.letPass(duration);
        all.forEach(Worker::thaw);
        meant.add(new Stall(before, Instant.now()));
    }

    /** Workers of which it may have kept one or the other from running until others took it for dead, and rightly. */
    List<Worker> keptFromRunning() {
        return workers.stream()
                .filter(worker -> worker.longestStall(meant).compareTo(TOO_LONG) >= 0)
                .toList();
    }

    /** The longest time for which it kept this process from running. */
    Duration longestOwnStall() {
        return own.stream()
                .map(stall -> stall.outside(List.of()))
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }

    /** How long the slowest worker needed from its start to its first job. */
    Duration slowestStartUp() {
        return workers.stream()
                .map(Worker::startUp)
                .filter(Objects::nonNull)
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }

    @Override
    public void close() {
        pulse.close();
    }
}
