package dev.jobs;

import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The elements of a list; the cursor is the index, from 0. */
record ListSource<E extends @Nullable Object>(List<E> list) implements Iteration.Source<E> {

    @Override
    public Stream<Iteration.Item<E>> open(@Nullable Object cursor) {
        return LongStream.range(Iteration.Source.wholeNumber(cursor, 0), list.size())
                .mapToObj(index -> new Iteration.Item<>(list.get((int) index), index));
    }
}
