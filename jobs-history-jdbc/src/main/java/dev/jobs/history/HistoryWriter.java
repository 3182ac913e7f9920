package dev.jobs.history;

import dev.jobs.batches.BatchJobId;
import dev.jobs.history.EventTable.End;
import dev.jobs.history.EventTable.NewEvent;
import dev.jobs.threads.BackgroundLoop;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.PessimisticLockingFailureException;

/**
 * Writes the ends of executions, as a {@link BackgroundLoop.Work}: they wait in a bounded buffer, and are written
 * together. What a crash or a full buffer loses of batches, {@link HistoryCopier} repairs.
 */
final class HistoryWriter implements BackgroundLoop.Work {

    private static final Logger log = LoggerFactory.getLogger(HistoryWriter.class);

    private static final int BUFFER = 20_000;
    private static final int AT_ONCE = 2_000;

    /** About 100 MB. */
    private static final long MOST_CHARACTERS = 50_000_000;

    private static final int ATTEMPTS = 3;

    private final HistoryTables tables;
    private final Clock clock;
    private final Duration interval;
    private final BlockingQueue<End> buffer = new ArrayBlockingQueue<>(BUFFER);
    private final AtomicLong characters = new AtomicLong();
    private final AtomicLong dropped = new AtomicLong();

    /** How many ends were taken out of the buffer and are not written. */
    private volatile int taken;

    // Used by the writing thread alone.
    private final List<End> pending = new ArrayList<>();
    private long droppedBefore;

    /** @param interval how long ends wait for others; also how soon a batch is compared after one of its jobs ended */
    HistoryWriter(HistoryTables tables, Clock clock, Duration interval) {
        this.tables = tables;
        this.clock = clock;
        this.interval = interval;
    }

    /** Adds an end; drops it if the database can't keep up. Never waits. Thread-safe. */
    void add(End end) {
        if (characters.get() > MOST_CHARACTERS || !buffer.offer(end)) {
            dropped.incrementAndGet();
        } else {
            characters.addAndGet(characters(end));
        }
    }

    private static long characters(End end) {
        NewEvent first = end.first();
        return first == null || first.parameters() == null
                ? 0
                : first.parameters().length();
    }

    /** The number of ends that wait to be written. */
    int waiting() {
        return taken + buffer.size();
    }

    /** The number of ends that were dropped. */
    long dropped() {
        return dropped.get();
    }

    @Override
    public Duration runOnce() {
        long lost = dropped.get();
        if (lost != droppedBefore) {
            log.warn(
                    "{} ends of jobs are missing in the history: the database can't keep up. States of jobs in batches"
                            + " follow when these have finished",
                    lost - droppedBefore);
            droppedBefore = lost;
        }
        if (pending.isEmpty()) {
            taken = buffer.drainTo(pending, AT_ONCE);
        }
        if (!pending.isEmpty()) {
            write(pending);
            characters.addAndGet(
                    -pending.stream().mapToLong(HistoryWriter::characters).sum());
            pending.clear();
            taken = 0;
        }
        return buffer.size() >= AT_ONCE / 2 ? Duration.ZERO : interval;
    }

    /** Writes what is left, as far as the database takes it. */
    @Override
    public void finish() {
        while (!pending.isEmpty() || !buffer.isEmpty()) {
            runOnce();
        }
    }

    private void write(List<End> ends) {
        try {
            writeTogether(ends);
        } catch (DataIntegrityViolationException e) {
            for (End end : ends) {
                writeAlone(end);
            }
        }
    }

    private void writeAlone(End end) {
        try {
            writeTogether(List.of(end));
        } catch (DataIntegrityViolationException e) {
            log.warn("The end of job {} is missing in the history, as the database refuses it", end.jid(), e);
        }
    }

    private void writeTogether(List<End> ends) {
        TreeSet<String> tasks = new TreeSet<>();
        for (End end : ends) {
            if (end.first() == null) {
                tasks.add(Objects.requireNonNull(BatchJobId.parse(end.jid())).batch());
            }
        }
        // In one order for all processes, so that they wait for each other instead of blocking each other.
        List<End> ordered = ends.stream()
                .sorted(Comparator.comparing(End::jid).thenComparing(End::attempt))
                .toList();
        for (int attempt = 1; ; attempt++) {
            try {
                tables.inTransaction(() -> {
                    tables.tasks().happened(tasks, clock.instant().plus(interval));
                    tables.events().end(ordered);
                });
                return;
            } catch (PessimisticLockingFailureException e) { // of two writers of the same batches
                if (attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }
}
