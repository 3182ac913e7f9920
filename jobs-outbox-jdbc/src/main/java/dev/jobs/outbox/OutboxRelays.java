package dev.jobs.outbox;

import dev.jobs.InvalidJobException;
import dev.jobs.spring.autoconfigure.beans.BackgroundLifecycle;
import dev.jobs.threads.BackgroundLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The relays of all databases, each on a thread of its own: one that is away holds up no other. A routing DataSource is
 * asked for its databases after each commit with jobs, and once per interval: they may come and go.
 */
final class OutboxRelays implements BackgroundLifecycle {

    /** Makes a relay, which isn't started. */
    interface Factory {

        /** @param reached where the relay looks, which it tells once it has got there */
        OutboxRelay create(String database, OutboxTable table, RelayedDatabase reached);
    }

    private final OutboxDatabases databases;
    private final Factory factory;
    private final Duration interval;
    private final RelayedDatabase relayed = new RelayedDatabase();

    // Guarded by this.
    private final Map<OutboxTable, OutboxRelay> relays = new HashMap<>();
    private boolean running;
    private @Nullable BackgroundLoop search;

    /** @param interval between two looks for databases that have come or gone */
    OutboxRelays(OutboxDatabases databases, Factory factory, Duration interval) {
        this.databases = databases;
        this.factory = factory;
        this.interval = interval;
    }

    /** There is something to relay in one of them. Thread-safe. */
    synchronized void wake() {
        relays.values().forEach(OutboxRelay::wake);
        if (search != null) {
            search.wake();
        }
    }

    /**
     * Called with each job, in the calling thread's transaction.
     *
     * @throws InvalidJobException if no relay looks at the database of the transaction
     */
    void check(OutboxTable table) {
        if (!databases.areListed()) {
            relayed.check(table);
        }
    }

    @Override
    public synchronized void start() {
        if (running) {
            return;
        }
        running = true;
        find();
        if (databases.areListed()) {
            search = new BackgroundLoop("jobs-outbox-databases", "The search for databases of the outbox", this::find);
            search.start();
        }
    }

    /** Lets each database have its relay, and no other. Returns how long until the next look. */
    private Duration find() {
        List<OutboxRelay> gone = startAndSignalStop();
        gone.forEach(OutboxRelay::stop); // which waits, and so without the lock that commits need
        return interval;
    }

    private synchronized List<OutboxRelay> startAndSignalStop() {
        if (!running) {
            return List.of();
        }
        Map<String, OutboxTable> found = databases.tables();
        List<OutboxRelay> gone = new ArrayList<>();
        relays.entrySet().removeIf(each -> !found.containsValue(each.getKey()) && gone.add(each.getValue()));
        gone.forEach(OutboxRelay::signalStop);
        found.forEach((name, table) -> relays.computeIfAbsent(table, added -> {
            OutboxRelay relay = factory.create(name, table, relayed);
            relay.start();
            return relay;
        }));
        return gone;
    }

    @Override
    public void stop() {
        BackgroundLoop searching;
        List<OutboxRelay> ending;
        synchronized (this) {
            running = false;
            searching = search;
            search = null;
            ending = List.copyOf(relays.values());
            relays.clear();
        }
        if (searching != null) {
            searching.signalStop();
        }
        ending.forEach(OutboxRelay::signalStop);
        ending.forEach(OutboxRelay::stop);
        if (searching != null) {
            searching.awaitEnd();
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return running;
    }

    /** Stops before the connection factories of Spring Data, which have phase 0. */
    @Override
    public int getPhase() {
        return 1;
    }
}
