package dev.jobs.chores;

import dev.jobs.engine.RunContext;
import dev.jobs.leases.Lease;
import java.time.Duration;

/**
 * When a process does a chore that one process does for all. The leader does it as soon as it leads, and then at
 * intervals; all others together about as often, in case nobody leads; a process that is alone, at its start. So
 * however many processes there are, it is done as often. Confined to one thread.
 */
final class Turn {

    private final RunContext context;
    private final Duration leader;
    private final Duration others;

    private boolean led;
    private boolean begun;
    private long next;

    /**
     * @param leader how long the leader pauses
     * @param others how long a process pauses, on average, if it is alone and doesn't lead
     */
    Turn(RunContext context, Duration leader, Duration others) {
        this.context = context;
        this.leader = leader;
        this.others = others;
    }

    /** Whether it is this process's turn now. If so, the next one comes after the pause. */
    boolean comes() {
        Lease lease = context.lease();
        if (!lease.current().isRegistered()) {
            led = false;
            return false; // only the answer to a beat tells who leads, and how many there are
        }
        boolean leads = lease.isLeader();
        boolean comes = begun ? leads && !led || context.nanos() - next >= 0 : leads || lease.processes() == 1;
        if (comes || !begun || led && !leads) {
            next = context.nanos()
                    + (leads
                                    ? leader
                                    : PollInterval.interval(
                                            others,
                                            lease.processes(),
                                            context.environment().random().nextDouble()))
                            .toNanos();
        }
        begun = true;
        led = leads;
        return comes;
    }
}
