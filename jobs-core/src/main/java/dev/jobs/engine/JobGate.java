package dev.jobs.engine;

import dev.jobs.Internal;
import dev.jobs.engine.ClaimLine.Exchange;
import dev.jobs.leases.Incarnation;
import dev.jobs.store.ClaimGate;
import dev.jobs.store.Effect;
import dev.jobs.store.JobClaims;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A feature that lets jobs wait although threads are free: in their queue, which it shuts for a while, or after
 * they were claimed, until Redis lets them start. Unless it says otherwise, it does neither. Thread-safe.
 */
@Internal
public interface JobGate {

    /** The gates of several features as one. */
    static JobGate of(List<JobGate> gates) {
        return gates.size() == 1 ? gates.get(0) : new JobGates(gates);
    }

    /** Whether the queue may be shut, so that a claim that stands there might wait for jobs that it doesn't get. */
    default boolean mayShut(String queue) {
        return false;
    }

    /** Whether it is shut now, so that pushes to it need not wake anybody. A ring of its own tells when it is no longer. */
    default boolean isShut(String queue) {
        return false;
    }

    /**
     * What a claim has to tell Redis.
     *
     * @param queues from which it claims
     * @param held what the capsule holds
     * @param batch what the same exchange settles
     * @param underWay may bring some as well; null if none is
     */
    default ClaimGate claimGate(
            List<String> queues, HeldJobs held, List<ClaimedJob> batch, @Nullable Exchange underWay) {
        return ClaimGate.OPEN;
    }

    /** The same for a claim that stands, which gets no jobs of queues that may be shut. */
    default ClaimGate standingClaimGate(List<String> queues) {
        return ClaimGate.OPEN;
    }

    /**
     * Redis answered a claim from these queues.
     *
     * @param shut what all gates together have shut; null if the answer doesn't say
     */
    default void answered(List<String> queues, ClaimGate.@Nullable Shut shut) {}

    /** Whether a job that is no longer held may let another one of its queue start. */
    default boolean mayFreeQueue(ClaimedJob job) {
        return false;
    }

    /**
     * Whether a job may go on elsewhere once this one is settled. An exchange that settles it and asks for one gets what
     * this one had. A claim that stands would get the job without that, and waits for jobs of other queues.
     */
    default boolean mayHaveSuccessor(ClaimedJob job) {
        return false;
    }

    /** How many jobs may go on elsewhere once these are settled. */
    default int successors(List<ClaimedJob> batch) {
        int count = 0;
        for (ClaimedJob job : batch) {
            count += mayHaveSuccessor(job) ? 1 : 0;
        }
        return count;
    }

    /** What this gate gave a job that another one has wait in Redis. Ends and hand-backs need a {@link JobEffects.Part}. */
    default List<Effect> givenBack(ClaimedJob job) {
        return List.of();
    }

    /**
     * Redis gave a job. Returns whether it may start without having asked. Called once, before any other thread knows
     * it, and must not call the application: the thread may be one of the network.
     */
    default boolean mayStart(ClaimedJob job) {
        return true;
    }

    /**
     * A thread is about to run a job. Returns whether it may: a gate that has to call the application to find that out
     * answers here, and the job then waits like one that may not start without having asked.
     */
    default boolean mayRun(ClaimedJob job) {
        return true;
    }

    /**
     * Asks for the jobs of a capsule.
     *
     * @param waiting those that may not start before this gate says so
     * @param claims over the connection to ask
     */
    default Asks asks(CapsuleConfig capsule, Waiting waiting, JobClaims claims, RunContext context) {
        return Asks.NONE;
    }

    /** Asks Redis whether jobs may start. For the thread that holds the fetcher's lock. */
    interface Asks {

        /** For no job. */
        Asks NONE = new Asks() {
            @Override
            public boolean isDue() {
                return false;
            }

            @Override
            public int ask(Incarnation incarnation) {
                return 0;
            }
        };

        /** Whether jobs wait for an answer, and it is time to ask. */
        boolean isDue();

        /** Asks for some jobs. Returns how many went back to wait in Redis. If it doesn't answer, the same jobs ask again later. */
        int ask(Incarnation incarnation);
    }

    /** Jobs that wait for leave to start. For the thread that holds the fetcher's lock. */
    interface Waiting {

        /** Whether such ones wait. */
        boolean isAny(Predicate<? super ClaimedJob> which);

        /** Whether any do. */
        default boolean isAny() {
            return isAny(job -> true);
        }

        /** The first such ones, as many as one call may carry; others ask soon. Without those that were just taken away. */
        List<ClaimedJob> some(Predicate<? super ClaimedJob> which);

        /** The first ones. */
        default List<ClaimedJob> some() {
            return some(job -> true);
        }

        /** A job asks again after all others, for which there may be an answer. */
        void toEnd(ClaimedJob job);

        /** A job may run, or is not to be run and goes on to its end. */
        void admitted(ClaimedJob job);

        /** What else changes in the step in which Redis takes a job back, which then waits there. */
        List<Effect> parking(ClaimedJob job);

        /** Redis took a job back, which waits there. */
        void parked(ClaimedJob job);

        /** Redis no longer holds a job. */
        void gone(ClaimedJob job);
    }
}
