package dev.jobs.outbox;

import java.util.List;
import org.springframework.context.SmartLifecycle;

/** The relays of all databases, each on a thread of its own: one that is away holds up no other. */
final class OutboxRelays implements SmartLifecycle {

    private final List<OutboxRelay> relays;
    private volatile boolean running;

    OutboxRelays(List<OutboxRelay> relays) {
        this.relays = List.copyOf(relays);
    }

    /** There is something to relay in one of them. Thread-safe. */
    void wake() {
        relays.forEach(OutboxRelay::wake);
    }

    @Override
    public void start() {
        relays.forEach(OutboxRelay::start);
        running = true;
    }

    @Override
    public void stop() {
        relays.forEach(OutboxRelay::signalStop);
        relays.forEach(OutboxRelay::stop);
        running = false;
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
}
