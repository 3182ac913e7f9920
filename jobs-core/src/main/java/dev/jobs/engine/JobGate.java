package dev.jobs.engine;

import dev.jobs.Internal;
import dev.jobs.engine.ClaimLine.Exchange;
import dev.jobs.leases.Incarnation;
import dev.jobs.store.ClaimGate;
import dev.jobs.store.JobClaims;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A feature that lets jobs wait although there are places for them: in their queue, which it shuts for a while, or after
 * they were claimed, until Redis lets them start. Thread-safe.
 */
@Internal
public interface JobGate {

    /** Whether the queue may be shut, so that a claim that stands there might wait for jobs that it doesn't get. */
    boolean mayShut(String queue);

    /** Whether it is shut now, so that pushes to it need not wake anybody. A ring of its own tells when it is no longer. */
    boolean isShut(String queue);

    /**
     * How many jobs of such queues the next exchange may claim.
     *
     * @param held what the capsule holds
     * @param batch what the exchange settles
     * @param underWay may bring some as well; null if none is
     */
    int room(HeldJobs held, List<ClaimedJob> batch, @Nullable Exchange underWay);

    /**
     * What a claim has to tell Redis.
     *
     * @param most how many jobs of such queues it may bring
     */
    ClaimGate of(List<String> queues, int most);

    /** Redis answered a claim from these queues; null if the answer doesn't say which ones are shut. */
    void answered(List<String> queues, ClaimGate.@Nullable Shut shut);

    /** Whether a job that is no longer held may let another one of its queue start. */
    boolean mayHold(ClaimedJob job);

    /**
     * How many jobs may go on elsewhere once these are settled. An exchange that asks for as many gets what these had.
     * A claim that stands would get the jobs without that, and waits for jobs of other queues.
     */
    int successors(List<ClaimedJob> settled);

    /** Redis gave a job. Returns whether it may start without having asked. Called once, before any other thread knows it. */
    boolean mayStart(ClaimedJob job);

    /**
     * Asks for the jobs of a capsule.
     *
     * @param claims over the connection to ask
     */
    Asks asks(CapsuleConfig capsule, HeldJobs held, JobClaims claims, RunContext context);

    /** Asks Redis whether the {@linkplain HeldJobs#asking waiting} jobs may start. For the thread that holds the fetcher's lock. */
    interface Asks {

        /** Whether jobs wait for an answer, and it is time to ask. */
        boolean isDue();

        /** Asks for some jobs. Returns how many went back to wait in Redis. If it doesn't answer, the same jobs ask again later. */
        int ask(Incarnation incarnation);
    }
}
