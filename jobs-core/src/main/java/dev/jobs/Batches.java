package dev.jobs;

import dev.jobs.Iteration.Item;
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
record Batches<E extends @Nullable Object>(Iteration.Source<E> source, int size) implements Iteration.Source<List<E>> {

    @Override
    public Stream<Item<List<E>>> open(@Nullable Object cursor) throws Exception {
        Stream<Item<E>> items = source.open(cursor);
        Iterator<Item<E>> all = items.iterator();
        Iterator<Item<List<E>>> batches = new Iterator<>() {
            @Override
            public boolean hasNext() {
                return all.hasNext();
            }

            @Override
            public Item<List<E>> next() {
                Item<E> first = all.next();
                List<E> batch = new ArrayList<>(Math.min(size, 1_000));
                batch.add(first.element());
                while (batch.size() < size && all.hasNext()) {
                    batch.add(all.next().element());
                }
                return new Item<>(Collections.unmodifiableList(batch), first.cursor());
            }
        };
        return StreamSupport.stream(Spliterators.spliteratorUnknownSize(batches, Spliterator.ORDERED), false)
                .onClose(items::close);
    }
}
