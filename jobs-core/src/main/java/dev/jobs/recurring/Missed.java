package dev.jobs.recurring;

/**
 * What becomes of slots at which no worker could fire a recurring job, such as those of an outage. A slot counts as
 * missed when it is 15 seconds late: until then it is fired whatever this says, since another worker takes no longer to
 * become leader. If no slot was fired for more than 15 seconds, of a schedule of seconds only the last one is not missed.
 *
 * <p>What is made up for is fired as soon as a worker is back, in order. Slots that the job was paused at are not missed.
 * {@code @Job(expiresIn)} says how late such a job may still begin: the time counts from its slot.
 */
public enum Missed {

    /** The last one is made up for if it is no older than {@code jobs.recurring.grace}, a minute by default. */
    WITHIN_GRACE,

    /** None is made up for. */
    SKIP,

    /** The last one is made up for, however old it is. */
    ONCE,

    /** All are made up for, or the last ones if they are more than {@link Recurrence#mostMissed}. */
    ALL
}
