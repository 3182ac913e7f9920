package dev.jobs;

import java.util.AbstractCollection;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** A collection of lazily created elements whose number is known. */
final class OfKnownSize<E> extends AbstractCollection<E> {

    private final Iterable<E> elements;
    private final int size;

    OfKnownSize(Iterable<E> elements, int size) {
        this.elements = elements;
        this.size = size;
    }

    /** Each element as the only one of a list; their number stays known if it was. */
    public static <A extends @Nullable Object> Iterable<List<A>> eachAlone(Iterable<? extends A> elements) {
        Iterable<List<A>> lists = () -> StreamSupport.stream(elements.spliterator(), false)
                .<List<A>>map(Collections::singletonList)
                .iterator();
        return elements instanceof Collection<?> known ? new OfKnownSize<>(lists, known.size()) : lists;
    }

    @Override
    public Iterator<E> iterator() {
        return elements.iterator();
    }

    @Override
    public int size() {
        return size;
    }
}
