package dev.jobs.batches;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Reads the states of a batch's jobs and puts neighbours together. Used for one field, by one thread. */
final class BatchFieldReader {

    private static final BatchJobState[] STATES = BatchJobState.values();

    /** Which failure a cell shows if it has several. */
    private static final List<BatchJobState> WORST_FIRST =
            List.of(BatchJobState.DISCARDED, BatchJobState.DEAD, BatchJobState.LOST, BatchJobState.FAILED);

    private static final int UNKNOWN = -1;
    private static final char NONE = '.';

    private final BatchReader reader;
    private final String id;
    private final int[] ordinals = new int[128];
    private final long[] counts = new long[STATES.length];
    private final int[] inCell = new int[STATES.length];
    private final StringBuilder cells = new StringBuilder();
    private final StringBuilder failing = new StringBuilder();
    private int perCell;
    private int filled;

    BatchFieldReader(BatchReader reader, String id) {
        this.reader = reader;
        this.id = id;
        Arrays.fill(ordinals, UNKNOWN);
        for (BatchJobState state : STATES) {
            ordinals[state.letter()] = state.ordinal();
        }
    }

    BatchField read(long from, int most) {
        long given = reader.length(id, false);
        long positions = given + reader.length(id, true);
        long begin = Math.min(from, positions);
        long end = Math.min(positions, begin + most);
        perCell = (int) Math.max(1, (end - begin + BatchField.MOST_CELLS - 1) / BatchField.MOST_CELLS);
        for (long at = begin; at < end; ) {
            boolean grown = at >= given;
            int count = (int) Math.min(BatchReader.SPAN, (grown ? end : Math.min(end, given)) - at);
            byte[] states = reader.states(id, grown ? at - given + BatchJobId.FIRST_GROWN : at, count);
            for (int i = 0; i < count; i++) {
                add(i < states.length ? states[i] : 0);
            }
            at += count;
        }
        if (filled > 0) {
            endCell();
        }
        Map<BatchJobState, Long> known = new EnumMap<>(BatchJobState.class);
        for (BatchJobState state : STATES) {
            if (counts[state.ordinal()] > 0) {
                known.put(state, counts[state.ordinal()]);
            }
        }
        return new BatchField(positions, given, begin, perCell, cells.toString(), failing.toString(), known);
    }

    private void add(byte letter) {
        int state = letter < 0 ? UNKNOWN : ordinals[letter];
        if (state != UNKNOWN) {
            counts[state]++;
            inCell[state]++;
        }
        if (++filled == perCell) {
            endCell();
        }
    }

    private void endCell() {
        int most = 0;
        char letter = NONE;
        for (BatchJobState state : STATES) {
            if (inCell[state.ordinal()] > most) {
                most = inCell[state.ordinal()];
                letter = state.letter();
            }
        }
        cells.append(letter);
        if (perCell > 1) {
            failing.append(WORST_FIRST.stream()
                    .filter(state -> inCell[state.ordinal()] > 0)
                    .findFirst()
                    .map(BatchJobState::letter)
                    .orElse(NONE));
        }
        Arrays.fill(inCell, 0);
        filled = 0;
    }
}
