package dev.jobs.engine;

import dev.jobs.JobStoreException;
import dev.jobs.leases.InFlightJobs;
import dev.jobs.leases.Incarnation;
import dev.jobs.store.JobClaims.Claimed;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the jobs that Redis holds for this process but the process doesn't know: after a lost reply, or a failover to a
 * replica that had not received a settlement. Redis decides what the process holds. For the thread that holds the
 * fetcher's lock, except for reporting.
 */
final class JobAdoption {

    private static final Logger log = LoggerFactory.getLogger(JobAdoption.class);

    private final List<String> prefixes;
    private final HeldJobs held;
    private final AwaitingClaim standing;
    private final InFlightJobs inFlight;
    private final RunContext context;
    private final Queue<String> reported = new ConcurrentLinkedQueue<>();

    /** @param line the first of the fetcher's three lines */
    JobAdoption(int line, HeldJobs held, AwaitingClaim standing, InFlightJobs inFlight, RunContext context) {
        this.prefixes = List.of(line + ":", line + 1 + ":", line + 2 + ":");
        this.held = held;
        this.standing = standing;
        this.inFlight = inFlight;
        this.context = context;
    }

    /** Redis held these for the process at the last two beats, but no capsule knew them. Thread-safe. */
    void report(Collection<String> tokens) {
        tokens.stream()
                .filter(token -> prefixes.stream().anyMatch(token::startsWith))
                .forEach(reported::add);
    }

    /** Whether jobs were reported. */
    boolean isDue() {
        return !reported.isEmpty();
    }

    /**
     * Takes the reported jobs that are still unknown.
     *
     * @param claiming whether they are to run; otherwise they are handed back
     */
    void adopt(Incarnation incarnation, boolean claiming) {
        if (reported.isEmpty()) {
            return;
        }
        Set<String> tokens = new HashSet<>(); // during a long exchange each beat reports the same ones
        String token;
        while ((token = reported.poll()) != null) {
            if (!held.has(token) && !standing.mayBring(token)) {
                tokens.add(token);
            }
        }
        if (tokens.isEmpty()) {
            return;
        }
        List<Claimed> found = found(incarnation, tokens);
        if (found.isEmpty()) {
            return;
        }
        log.warn("Redis holds {} jobs that {} didn't know; it runs them now", found.size(), incarnation.id());
        for (Claimed each : found) {
            boolean mayRun = !context.suspectPermit().isSuspect(each.recoveries())
                    || context.suspectPermit().admit();
            held.take(each, incarnation, claiming && mayRun);
        }
    }

    private List<Claimed> found(Incarnation incarnation, Set<String> tokens) {
        try {
            return inFlight.find(incarnation.id(), List.copyOf(tokens));
        } catch (JobStoreException e) {
            log.debug("Jobs are looked up again after the next beat", e); // other parts report the outage
            return List.of();
        }
    }
}
