package dev.jobs.batches;

/**
 * What an audit of a batch found; see {@link Batches#audit}.
 *
 * @param checked jobs and callbacks that were looked for: those that wait or run as the batch knows, and lost ones
 * @param lost jobs found nowhere, now {@link BatchJobState#LOST}
 * @param dead jobs found in the dead set, now {@link BatchJobState#DEAD}
 * @param corrected other jobs whose states were corrected: failed ones that wait in the retry set although the batch
 *     knew of no failure, and lost ones that were found; and one more if the batch itself had missed that it finished,
 *     or another of its events
 * @param undecided jobs that were not found because they moved or ended in the meantime, or that can't be judged at
 *     present; a later audit decides
 */
public record BatchAudit(long checked, long lost, long dead, long corrected, long undecided) {}
