package dev.jobs.assembly;

import dev.jobs.batches.BatchChore;
import dev.jobs.batches.BatchReader;
import dev.jobs.batches.BatchUpkeep;
import dev.jobs.chores.EffectUpkeep;
import dev.jobs.chores.Poller;
import dev.jobs.ends.CancelUpkeep;
import dev.jobs.ends.Cancellations;
import dev.jobs.engine.RunContext;
import dev.jobs.handover.Doorbell;
import dev.jobs.leases.InFlightJobs;
import dev.jobs.leases.Lease;
import dev.jobs.limiters.CurrentDelivery;
import dev.jobs.limiters.StrayPermits;
import dev.jobs.limits.LimitKeeper;
import dev.jobs.limits.LimitStates;
import dev.jobs.limits.LimitedJobs;
import dev.jobs.limits.LostPermits;
import dev.jobs.lists.JobQueues;
import dev.jobs.lists.JobSets;
import dev.jobs.lists.LostEffects;
import dev.jobs.recurring.RecurringConfig;
import dev.jobs.recurring.RecurringDeclarations;
import dev.jobs.recurring.RecurringJobStore;
import dev.jobs.recurring.RecurringPoller;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.results.JobReports;
import dev.jobs.results.ReportChore;
import dev.jobs.threads.Loop;
import dev.jobs.threads.ThreadGuard;
import dev.jobs.unique.LockEffects;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The threads for what happens at a time of its own: jobs become due, recurring jobs fire, and batches, effects,
 * permits, cancellations and reports have chores, which share one thread. The threads run in each process and leave most
 * of their work to the leader, and recurring jobs to the process that has their role. The doorbell notifies them of
 * changes.
 */
final class TimedLoops implements Doorbell.Listener {

    private final Loop polling;
    private final Loop recurring;
    private final Loop batching;
    private final Lease lease;

    /** For which this process stands: for firing recurring jobs, or nothing. */
    private final List<String> roles;

    private final List<Doorbell.Bell> bells;
    private boolean rehearsed; // confined to the poller's thread

    TimedLoops(RunBasis basis, LimitedJobs limited, CurrentDelivery current) {
        RedisConnection chores = basis.chores();
        RedisKeys keys = basis.keys();
        EngineConfig config = basis.config();
        RunContext context = basis.context();
        ThreadGuard guard = context.guard();
        JobSets sets =
                new JobSets(chores, keys, config.dead(), context.effects().all());
        LimitKeeper limits =
                new LimitKeeper(chores, keys, limited, context.environment().nanoTime());
        Poller poller = new Poller(sets, new LockEffects(keys), limits, context, config.pollInterval());
        String queue = config.capsules().get(0).queues().get(0);
        polling = new Loop("jobs-poller", guard, () -> poll(poller, queue));
        recurring = new Loop("jobs-recurring", guard, recurringPoller(basis)::runOnce);
        lease = context.lease();
        String namespace = config.recurring().namespace();
        roles = config.recurring().enabled() ? List.of(RecurringPoller.role(namespace)) : List.of();
        BatchChore chore =
                new BatchChore(chores, keys, config.batches(), sets, context, basis.cancelledBatches(), basis.held());
        BatchUpkeep upkeep = new BatchUpkeep(chores, keys, context);
        ReportChore reports = new ReportChore(new JobReports(chores, keys), context, basis.held());
        CancelUpkeep cancellations = new CancelUpkeep(
                new Cancellations(chores, keys),
                sets,
                new JobQueues(chores, keys),
                new LimitStates(chores, keys),
                new InFlightJobs(chores, keys),
                new BatchReader(chores, keys),
                context,
                CancelUpkeep.ENOUGH);
        EffectUpkeep effects = new EffectUpkeep(new LostEffects(chores, keys), new LostPermits(chores, keys), context);
        StrayPermits strays = new StrayPermits(chores, keys, current, context);
        batching = new Loop("jobs-batches", guard, () -> {
            Duration pause = shorter(chore.runOnce(), upkeep.runOnce());
            pause = shorter(strays.runOnce(), pause);
            pause = shorter(effects.runOnce(), pause);
            pause = shorter(cancellations.runOnce(), pause);
            return shorter(reports.runOnce(), pause);
        });
        bells = List.of(
                RecurringPoller.bell(keys, namespace, lease, recurring::wake),
                BatchChore.bell(keys, lease, batching::wake));
    }

    private static RecurringPoller recurringPoller(RunBasis basis) {
        RecurringConfig settings = basis.config().recurring();
        RecurringJobStore store = new RecurringJobStore(basis.chores(), basis.keys(), settings.namespace());
        RecurringDeclarations declarations = new RecurringDeclarations(
                store, basis.jobs(), settings, basis.context().environment().random());
        return new RecurringPoller(
                store,
                store::snapshot,
                declarations,
                basis.jobs(),
                basis.context(),
                settings,
                basis.config().pollInterval());
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private Duration poll(Poller poller, String queue) throws InterruptedException {
        Duration pause = poller.runOnce();
        if (rehearsed) {
            return pause;
        }
        rehearsed = true;
        poller.rehearse(queue);
        return Duration.ZERO; // the rehearsal took longer than a due job may wait
    }

    void start() {
        polling.start();
        batching.start();
        if (!roles.isEmpty()) {
            recurring.start();
        }
    }

    /** The roles for which this process stands. */
    List<String> roles() {
        return roles;
    }

    /** A beat was answered. What this process leads looks at once, since that may be new. */
    void beaten() {
        if (lease.isLeader()) {
            polling.wake();
            batching.wake();
        }
        if (roles.stream().anyMatch(lease::has)) {
            recurring.wake();
        }
    }

    @Override
    public void rang(@Nullable String queue) {
        polling.wake();
    }

    @Override
    public List<Doorbell.Bell> bells() {
        return bells;
    }

    List<Loop> loops() {
        return List.of(polling, recurring, batching);
    }
}
