package dev.jobs.batches;

import java.util.BitSet;
import java.util.function.LongConsumer;

/** Some jobs of a batch, by their indexes: a bit for each job. Not thread-safe. */
final class BatchIndexes {

    private final BitSet given = new BitSet();
    private final BitSet grown = new BitSet();
    private final BitSet callbacks = new BitSet();

    void add(long index) {
        bits(index).set(bit(index));
    }

    void remove(long index) {
        bits(index).clear(bit(index));
    }

    boolean contains(long index) {
        return bits(index).get(bit(index));
    }

    long size() {
        return (long) given.cardinality() + grown.cardinality() + callbacks.cardinality();
    }

    boolean isEmpty() {
        return given.isEmpty() && grown.isEmpty() && callbacks.isEmpty();
    }

    void forEach(LongConsumer action) {
        given.stream().forEach(action::accept);
        grown.stream().forEach(bit -> action.accept(BatchJobId.FIRST_GROWN + bit));
        callbacks.stream().forEach(bit -> action.accept(BatchJobId.FIRST_CALLBACK + bit));
    }

    private BitSet bits(long index) {
        if (index >= BatchJobId.FIRST_CALLBACK) {
            return callbacks;
        }
        return index >= BatchJobId.FIRST_GROWN ? grown : given;
    }

    private static int bit(long index) {
        if (index >= BatchJobId.FIRST_CALLBACK) {
            return (int) (index - BatchJobId.FIRST_CALLBACK);
        }
        return (int) (index >= BatchJobId.FIRST_GROWN ? index - BatchJobId.FIRST_GROWN : index);
    }
}
