package dev.jobs.chores;

import dev.jobs.Internal;
import dev.jobs.InvalidPayloadException;
import dev.jobs.JobStoreException;
import dev.jobs.Payload;
import dev.jobs.codec.OneLine;
import dev.jobs.engine.Capsules;
import dev.jobs.engine.RunContext;
import dev.jobs.leases.InFlightJobs;
import dev.jobs.leases.ProcessLeases;
import dev.jobs.leases.ProcessLeases.Poisoned;
import dev.jobs.leases.ProcessLeases.Reaped;
import dev.jobs.leases.ProcessLeases.UnknownProcesses;
import dev.jobs.lists.ClearedQueues;
import dev.jobs.threads.Loop;
import dev.jobs.threads.ThreadSnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds claimed jobs that no process works on: those of dead processes, and those that this process holds in Redis but
 * doesn't know. Also ends jobs of cleared queues that a crash left aside.
 */
@Internal
public final class Reaper {

    private static final Logger log = LoggerFactory.getLogger(Reaper.class);
    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMillis(500);

    /** How often to look whether it is this process's turn to do what one process does for all. */
    private static final Duration LOOK = Duration.ofSeconds(30);

    /** How often one process for all goes through all keys. */
    private static final Duration SWEEP_INTERVAL = Duration.ofHours(1);

    /** How many calls one run makes of that, and the pause after them: there may be millions of keys. */
    private static final int SWEEP_STEPS = 10;

    private static final Duration SWEEP_PAUSE = Duration.ofMillis(50);

    private final ProcessLeases leases;
    private final InFlightJobs inFlight;
    private final RunContext context;
    private final Capsules capsules;
    private final ClearedQueues cleared;
    private final ConcurrentLinkedQueue<String> victims = new ConcurrentLinkedQueue<>();

    // Confined to the reaper's thread, which is another one after each pause without end.
    private final Turn sweepTurn;
    private final Turn clearTurn;
    private @Nullable UnknownProcesses sweep;

    /** Dead processes some of whose jobs can't be put back. */
    private final Set<String> stuck = new HashSet<>();

    private volatile boolean reconciliationWanted;

    /** Jobs that this process did not know when it last compared. Written by the reaper's thread alone. */
    private volatile Set<String> suspicious = Set.of();

    private volatile @Nullable Look last;

    /**
     * A look at whose turn it is.
     *
     * @param next when the next one is due, by the engine's clock
     */
    private record Look(boolean leads, long next) {}

    public Reaper(
            ProcessLeases leases, InFlightJobs inFlight, RunContext context, Capsules capsules, ClearedQueues cleared) {
        this.leases = leases;
        this.inFlight = inFlight;
        this.context = context;
        this.capsules = capsules;
        this.cleared = cleared;
        this.sweepTurn = new Turn(context, SWEEP_INTERVAL, SWEEP_INTERVAL);
        this.clearTurn =
                new Turn(context, Duration.ZERO, context.lease().timing().beat());
    }

    /** A round gave these processes up, now or earlier, and they are not reaped yet. */
    public void reap(Collection<String> givenUp) {
        victims.addAll(givenUp);
    }

    /** Redis holds this number of jobs for the process. */
    public void compare(int held) {
        reconciliationWanted = held > capsules.held();
    }

    /** Whether there is something to do. Asked after each beat. Thread-safe. */
    public boolean isWanted() {
        return !victims.isEmpty()
                || reconciliationWanted
                || !suspicious.isEmpty()
                || context.lease().former() != null
                || isLookDue(last);
    }

    private boolean isLookDue(@Nullable Look before) {
        return before == null || before.leads() != context.lease().isLeader() || context.nanos() - before.next() >= 0;
    }

    /** Does everything that is due. Returns how long until the next run, for which it may have to be {@link #isWanted}. */
    public Duration runOnce() {
        boolean looked = context.lease().current().isRegistered(); // else only the next beat tells whose turn it is
        boolean leads = context.lease().isLeader();
        try {
            giveUpFormer();
            if (sweep == null && sweepTurn.comes()) {
                sweep = leases.seekUnknown();
            }
            sweepSome();
            String victim;
            while ((victim = victims.poll()) != null) {
                reap(victim);
            }
            if (reconciliationWanted) {
                reconcile();
            } else {
                suspicious = Set.of();
            }
            if (clearTurn.comes()) {
                endCleared();
            }
            last = looked ? new Look(leads, context.nanos() + LOOK.toNanos()) : null;
            context.outage().worked("reaper");
        } catch (JobStoreException e) {
            context.outage().failed("reaper", e); // later rounds report again the processes that were not reaped
            return PAUSE_AFTER_FAILURE;
        }
        return sweep == null ? Loop.UNTIL_WOKEN : SWEEP_PAUSE;
    }

    /** An incarnation that was replaced may have been forgotten rather than given up, so that nobody knows its jobs. */
    private void giveUpFormer() {
        String former;
        while ((former = context.lease().former()) != null) {
            if (leases.condemn(former)) {
                victims.add(former);
            }
            context.lease().ended(former);
        }
    }

    /** However many they are, jobs of dead processes come first. */
    private void endCleared() {
        boolean more;
        do {
            more = cleared.endSome();
        } while (more
                && victims.isEmpty()
                && !reconciliationWanted
                && !context.stopping().get());
    }

    private void sweepSome() {
        for (int step = 0; sweep != null && step < SWEEP_STEPS; step++) {
            List<String> unknown = sweep.condemnSome();
            if (!unknown.isEmpty()) {
                log.warn("{} processes hold jobs but are not registered; their jobs are put back", unknown.size());
                victims.addAll(unknown);
            }
            if (sweep.isFinished()) {
                sweep = null;
                List<String> givenUp = leases.givenUp();
                stuck.retainAll(givenUp); // others may have put back the rest
                victims.addAll(givenUp);
            }
        }
    }

    private void reap(String victim) {
        if (victim.equals(context.lease().current().id())) {
            return; // the next beat notices, and another process reaps this one
        }
        ThreadSnapshot own = context.guard().snapshot();
        int recovered = 0;
        List<Poisoned> buried = new ArrayList<>();
        Reaped reaped;
        int moved;
        do {
            reaped = leases.reap(victim);
            moved = reaped.recovered() + reaped.poisoned().size();
            recovered += reaped.recovered();
            buried.addAll(reaped.poisoned());
            for (Poisoned job : reaped.poisoned()) {
                bury(job, victim);
                own.restore(); // from what a death handler left
            }
        } while (!reaped.finished() && moved > 0);
        if (reaped.left() > 0 && stuck.add(victim)) {
            log.error(
                    "{} jobs of {} can't be put back, because the keys of their queues are not lists. They stay in progress until the keys "
                            + "are repaired",
                    reaped.left(),
                    victim);
        } else if (reaped.left() == 0 && stuck.remove(victim)) {
            log.info("All jobs of {} are put back", victim);
        }
        if (recovered + buried.size() > 0) {
            log.warn(
                    "Process {} is gone: {} of its jobs are in their queues again, {} outlived their workers too often and were buried",
                    victim,
                    recovered,
                    buried.size());
            int back = recovered;
            context.hooks().tell(listener -> listener.recovered(back, buried.size()));
        }
    }

    private void bury(Poisoned job, String victim) {
        try {
            Payload payload = Payload.parse(job.payload());
            log.error(
                    "Job {} (jid {}, queue {}) outlived its worker too often, last time {}, and {}. Whatever it does may end the JVM",
                    OneLine.of(payload.jobName()),
                    OneLine.of(payload.jid()),
                    job.queue(),
                    victim,
                    job.discarded() ? "is discarded, as its payload says" : "goes to the dead set");
            Payload dead = job.discarded() ? payload.with("discarded_at", context.now()) : payload;
            context.hooks().died(dead, null);
        } catch (InvalidPayloadException e) {
            log.error(
                    "What queue {} held is not a job and outlived its worker too often; it goes to the dead set",
                    job.queue(),
                    e);
        }
    }

    /** A job that is unknown twice in a row can't belong to an answer that is still on its way. */
    private void reconcile() {
        String incarnation = context.lease().current().id();
        Set<String> unknown = new HashSet<>();
        for (String token : inFlight.tokens(incarnation)) {
            if (!capsules.holds(token)) {
                unknown.add(token);
            }
        }
        List<String> again = unknown.stream().filter(suspicious::contains).toList();
        if (!again.isEmpty()) {
            capsules.adopt(again);
        }
        suspicious = unknown;
    }
}
