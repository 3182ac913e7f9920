package dev.jobs.store;

import dev.jobs.Internal;
import dev.jobs.redis.KeyScan;
import java.util.List;

/**
 * A search for processes that hold jobs and are missing in beats. Goes through the names of all keys of the server, so
 * one process does it for all, in steps. Confined to one thread.
 */
@Internal
public final class UnknownProcesses {

    private final ProcessLeases leases;
    private final KeyScan scan;

    UnknownProcesses(ProcessLeases leases, KeyScan scan) {
        this.leases = leases;
        this.scan = scan;
    }

    /** Looks at about a thousand keys. Returns the processes that it gave up. */
    public List<String> condemnSome() {
        return scan.next().stream().filter(leases::condemn).toList();
    }

    /** Whether it has looked at all keys. */
    public boolean isFinished() {
        return scan.isFinished();
    }
}
