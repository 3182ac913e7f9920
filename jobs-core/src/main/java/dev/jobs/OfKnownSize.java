package dev.jobs;

import java.util.AbstractCollection;
import java.util.Iterator;

/** Elements of which only their number is known before they are asked for. */
final class OfKnownSize<E> extends AbstractCollection<E> {

    private final Iterable<E> elements;
    private final int size;

    OfKnownSize(Iterable<E> elements, int size) {
        this.elements = elements;
        this.size = size;
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
