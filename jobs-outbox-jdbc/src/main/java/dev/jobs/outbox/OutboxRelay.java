package dev.jobs.outbox;

import dev.jobs.JobStoreException;
import dev.jobs.JobStoreException.Kind;
import dev.jobs.batches.BatchEndedException;
import dev.jobs.outbox.OutboxTable.Row;
import dev.jobs.outbox.OutboxTable.Slice;
import dev.jobs.threads.BackgroundLoop;
import dev.jobs.transactions.OutboxPushes;
import dev.jobs.transactions.OutboxPushes.Acknowledgement;
import dev.jobs.transactions.OutboxPushes.Relayed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

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
final class OutboxRelay {

    private static final Logger log = LoggerFactory.getLogger(OutboxRelay.class);

    /** How long to wait before another look at a database that can't be written: it may become one that can. */
    private static final Duration READ_ONLY_PAUSE = Duration.ofMinutes(1);

    private final String database;
    private final OutboxTable table;
    private final OutboxPushes pushes;
    private final Consumer<byte[]> batches;
    private final Acknowledgement acknowledgement;
    private final Duration pollInterval;
    private final RelayedDatabase reached;

    private volatile @Nullable BackgroundLoop loop;
    /** Lanes with a queue that can't take its jobs. Used by one thread at a time. */
    private final Set<Integer> waiting = new HashSet<>();

    private boolean lanesExist;
    private boolean readOnly;

    /**
     * @param database what people call it; empty if there is only one, which then has to be written
     * @param batches commits a batch, which may be repeated
     * @param reached is told once the database could be used
     */
    OutboxRelay(
            String database,
            OutboxTable table,
            OutboxPushes pushes,
            Consumer<byte[]> batches,
            Acknowledgement acknowledgement,
            Duration pollInterval,
            RelayedDatabase reached) {
        this.database = database;
        this.table = table;
        this.pushes = pushes;
        this.batches = batches;
        this.acknowledgement = acknowledgement;
        this.pollInterval = pollInterval;
        this.reached = reached;
    }

    /** There is something to relay. Thread-safe. */
    void wake() {
        BackgroundLoop current = loop;
        if (current != null) {
            current.wake();
        }
    }

    synchronized void start() {
        if (loop == null) {
            BackgroundLoop created = new BackgroundLoop(
                    "jobs-outbox", database.isEmpty() ? "The outbox" : "The outbox in " + database, this::runOnce);
            loop = created;
            created.start();
        }
    }

    /** Lets it end after the slice under way. Returns at once. */
    synchronized void signalStop() {
        BackgroundLoop current = loop;
        if (current != null) {
            current.signalStop();
        }
    }

    /** Ends after the slice under way; what is left stays in the outbox. */
    synchronized void stop() {
        BackgroundLoop current = loop;
        if (current != null) {
            current.signalStop();
            current.awaitEnd();
            loop = null;
        }
    }

    /** One of several databases may be a copy for reading, whose rows are relayed from the original. */
    private Duration runOnce() {
        try {
            Duration pause = relayAll();
            readOnly = false;
            return pause;
        } catch (DataAccessException | TransactionException e) {
            if (database.isEmpty() || !OutboxTable.isReadOnly(e)) {
                throw e;
            }
            if (!readOnly) {
                log.info("The outbox in {} is not relayed while it can only be read: {}", database, e.getMessage());
                readOnly = true;
            }
            return READ_ONLY_PAUSE;
        }
    }

    /**
     * Relays what waits in all lanes. Returns how long until the next look. A lane with a queue that can't take its jobs
     * holds up no other.
     *
     * @throws JobStoreException if Redis takes none of any lane
     */
    Duration relayAll() {
        if (!lanesExist) {
            table.createLanes();
            table.takeBack(); // this version may be the one that wrote them
            reached.reached(table);
            lanesExist = true;
        }
        List<Integer> lanes = new ArrayList<>(table.lanes());
        boolean more = true;
        while (more && mayGoOn()) {
            more = false;
            for (Iterator<Integer> each = lanes.iterator(); each.hasNext() && mayGoOn(); ) {
                int lane = each.next();
                try {
                    more |= relay(lane);
                    goesOn(lane);
                } catch (JobStoreException e) {
                    if (e.kind() != Kind.WRONG_TYPE) {
                        throw e;
                    }
                    waits(lane, e);
                    each.remove();
                }
            }
        }
        return pollInterval;
    }

    private void waits(int lane, JobStoreException why) {
        if (waiting.add(lane)) {
            log.warn(
                    "Jobs in lane {} of the outbox wait, while those in other lanes are relayed: {}",
                    lane,
                    why.getMessage());
        }
    }

    private void goesOn(int lane) {
        if (waiting.remove(lane)) {
            log.info("Jobs in lane {} of the outbox are relayed again", lane);
        }
    }

    private boolean mayGoOn() {
        BackgroundLoop current = loop;
        return current == null || current.isRunning();
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
        pushes.await(slice.laneId(), slice.number(), acknowledgement);
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
