package dev.jobs.benchmarks.peers.rqueue;

/**
 * A message.
 *
 * @param id of a timed job
 */
record RqueueJob(long id) {

    static final long NO_OP = -1;
}
