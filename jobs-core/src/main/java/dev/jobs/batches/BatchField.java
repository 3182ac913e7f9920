package dev.jobs.batches;

import java.util.Map;

/**
 * The states of a batch's jobs as a field of cells, in the order of their positions: first the jobs that were given to
 * the batch, by index, then those that its own jobs added.
 *
 * @param positions number of all positions; those that no job has taken are among them
 * @param given number of the positions of jobs that were given to the batch
 * @param from the position of the first cell
 * @param perCell number of positions that a cell stands for; the last one may stand for fewer
 * @param cells for each cell the letter of the state that most of its jobs have; a dot if it has none
 * @param failing for each cell the letter of the worst state among discarded, dead, lost and failed, or a dot; empty if
 *     a cell stands for one job
 * @param counts number of jobs in each state, as far as they are in the field
 */
public record BatchField(
        long positions,
        long given,
        long from,
        int perCell,
        String cells,
        String failing,
        Map<BatchJobState, Long> counts) {

    /** Maximum number of cells. */
    public static final int MOST_CELLS = 10_000;

    /** Maximum number of positions. */
    public static final int MOST_POSITIONS = 2_000_000;

    public BatchField {
        counts = Map.copyOf(counts);
    }
}
