package dev.jobs.outbox;

import dev.jobs.BatchEndedException;
import dev.jobs.JobStoreException;
import dev.jobs.outbox.OutboxTable.Row;
import dev.jobs.outbox.OutboxTable.Slice;
import dev.jobs.redis.OutboxPushes;
import dev.jobs.redis.OutboxPushes.Acknowledgement;
import dev.jobs.redis.OutboxPushes.Relayed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Moves jobs from the outbox to Redis, on a thread of its own, exactly once:
 *
 * <ol>
 *   <li>A slice of rows gets a number, in one transaction.
 *   <li>Redis commits its batches, and stores its jobs under its number, unless it has done so before.
 *   <li>The rows of the slice are removed.
 * </ol>
 *
 * <p>A crash in between leaves rows with a number. The next process that looks at the lane goes on with them, even
 * several at once.
 */
final class OutboxRelay implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(OutboxRelay.class);

    private static final Duration FIRST_BACKOFF = Duration.ofMillis(100);
    private static final Duration LONGEST_BACKOFF = Duration.ofSeconds(5);
    private static final long STOP_MILLIS = 5_000;

    private final OutboxTable table;
    private final OutboxPushes pushes;
    private final Consumer<byte[]> batches;
    private final Acknowledgement acknowledgement;
    private final Duration pollInterval;
    private final Semaphore wakeUps = new Semaphore(0);

    private volatile boolean running;
    private volatile Thread thread = new Thread(this::run, "jobs-outbox");
    private boolean lanesExist;
    private boolean failing;

    /** @param batches commits a batch, which may be repeated */
    OutboxRelay(
            OutboxTable table,
            OutboxPushes pushes,
            Consumer<byte[]> batches,
            Acknowledgement acknowledgement,
            Duration pollInterval) {
        this.table = table;
        this.pushes = pushes;
        this.batches = batches;
        this.acknowledgement = acknowledgement;
        this.pollInterval = pollInterval;
    }

    /** There is something to relay. Thread-safe. */
    void wake() {
        if (wakeUps.availablePermits() == 0) {
            wakeUps.release();
        }
    }

    @Override
    public synchronized void start() {
        if (!running) {
            running = true;
            thread = new Thread(this::run, "jobs-outbox");
            thread.start();
        }
    }

    /** Ends after the slice under way; what is left stays in the outbox. */
    @Override
    public synchronized void stop() {
        running = false;
        wake();
        try {
            thread.join(STOP_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Stops before the connection factories of Spring Data, which have phase 0. */
    @Override
    public int getPhase() {
        return 1;
    }

    private void run() {
        Duration backoff = FIRST_BACKOFF;
        while (running) {
            try {
                relayAll();
                recovered();
                backoff = FIRST_BACKOFF;
                pause(pollInterval);
            } catch (RuntimeException e) { // of Redis, the database, or its pool
                failed(e);
                pause(backoff);
                backoff = backoff.multipliedBy(2);
                backoff = backoff.compareTo(LONGEST_BACKOFF) < 0 ? backoff : LONGEST_BACKOFF;
            }
        }
    }

    private void pause(Duration time) {
        try {
            if (wakeUps.tryAcquire(time.toMillis(), TimeUnit.MILLISECONDS)) {
                wakeUps.drainPermits();
            }
        } catch (InterruptedException e) {
            // ends the pause early
        }
    }

    private void failed(RuntimeException e) {
        if (!failing) {
            failing = true;
            String what = e instanceof JobStoreException ? "Redis" : "the database";
            log.warn("Jobs wait in the outbox: {} can't be used: {}", what, e.getMessage());
        }
        log.debug("The outbox could not be relayed", e);
    }

    private void recovered() {
        if (failing) {
            failing = false;
            log.info("The outbox is relayed again");
        }
    }

    /** Relays what waits in all lanes. */
    void relayAll() {
        if (!lanesExist) {
            table.createLanes();
            table.takeBack(); // this version may be the one that wrote them
            lanesExist = true;
        }
        boolean more = true;
        while (more && running) {
            more = false;
            for (int lane = 0; lane < table.lanes(); lane++) {
                more |= relay(lane);
            }
        }
    }

    /** Relays one slice. Returns whether there was one. */
    private boolean relay(int lane) {
        Slice slice = table.next(lane);
        if (slice == null) {
            return false;
        }
        store(slice);
        table.remove(slice);
        return true;
    }

    /**
     * Returns once the slice is in Redis. Batches come first, so that what acknowledges the jobs and the number of the
     * slice acknowledges them as well.
     */
    void store(Slice slice) {
        List<Relayed> jobs = new ArrayList<>();
        for (Row row : slice.rows()) {
            if (row.job().queue().equals(OutboxTable.BATCH)) {
                commit(row);
            } else {
                jobs.add(row.job());
            }
        }
        pushes.store(slice.laneId(), slice.number(), jobs);
        pushes.await(acknowledgement);
    }

    /** Rows behind one that can't be relayed don't wait for it. */
    private void commit(Row row) {
        try {
            batches.accept(row.job().payload());
        } catch (BatchEndedException e) {
            log.error(
                    "A batch of a committed transaction is not committed, and its jobs do not run: {}", e.getMessage());
        } catch (IllegalArgumentException e) {
            table.setAside(row);
            log.error(
                    "A batch of a committed transaction stays in the outbox until a process starts that can read it: {}",
                    e.getMessage());
        }
    }
}
