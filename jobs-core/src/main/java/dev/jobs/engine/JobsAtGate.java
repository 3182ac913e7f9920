package dev.jobs.engine;

import dev.jobs.store.Effect;
import java.util.List;
import java.util.function.Predicate;

/** The jobs of a capsule that wait for leave to start, as gates see them. For the thread that holds the fetcher's lock. */
final class JobsAtGate implements JobGate.Waiting {

    private final HeldJobs held;
    private final AskingJobs asking;
    private final SettlementQueue settlements;
    private final IdleWait idleWait;
    private final RunContext context;

    JobsAtGate(HeldJobs held, SettlementQueue settlements, IdleWait idleWait, RunContext context) {
        this.held = held;
        this.asking = held.asking();
        this.settlements = settlements;
        this.idleWait = idleWait;
        this.context = context;
    }

    @Override
    public boolean isAny() {
        return !asking.isEmpty();
    }

    @Override
    public boolean isAny(Predicate<? super ClaimedJob> which) {
        return asking.isAny(which);
    }

    @Override
    public List<ClaimedJob> some(Predicate<? super ClaimedJob> which) {
        return asking.some(which);
    }

    @Override
    public void toEnd(ClaimedJob job) {
        asking.toEnd(job);
    }

    @Override
    public void admitted(ClaimedJob job) {
        if (asking.remove(job)) {
            held.start(job);
        }
    }

    @Override
    public List<Effect> parking(ClaimedJob job) {
        return context.effects().parked(job);
    }

    @Override
    public void parked(ClaimedJob job) {
        if (!job.handBack()) {
            settlements.drop(job);
        }
        gone(job);
        held.parked();
        if (context.gate().mayFreeQueue(job)) {
            idleWait.ring(); // another one of that queue may start
        }
    }

    @Override
    public void gone(ClaimedJob job) {
        boolean asked = asking.remove(job);
        job.lose();
        if (asked) {
            held.share().left();
        }
        held.forget(job, false);
    }
}
