package dev.jobs.iterations;

import dev.jobs.iterations.Iteration.Item;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** The elements of another source, grouped into lists. */
record Chunks<E extends @Nullable Object>(Iteration.Source<E> source, int size) implements Iteration.Source<List<E>> {

    @Override
    public Stream<Item<List<E>>> open(@Nullable Object cursor) throws Exception {
        Stream<Item<E>> items = source.open(cursor);
        Iterator<Item<E>> all = items.iterator();
        Iterator<Item<List<E>>> chunks = new Iterator<>() {
            @Override
            public boolean hasNext() {
                return all.hasNext();
            }

            @Override
            public Item<List<E>> next() {
                Item<E> first = all.next();
                List<E> chunk = new ArrayList<>(Math.min(size, 1_000));
                chunk.add(first.element());
                while (chunk.size() < size && all.hasNext()) {
                    chunk.add(all.next().element());
                }
                return new Item<>(Collections.unmodifiableList(chunk), first.cursor());
            }
        };
        return StreamSupport.stream(Spliterators.spliteratorUnknownSize(chunks, Spliterator.ORDERED), false)
                .onClose(items::close);
    }
}
