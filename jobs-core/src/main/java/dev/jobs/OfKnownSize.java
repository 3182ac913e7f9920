package dev.jobs;

import java.util.AbstractCollection;
import java.util.Iterator;

/** A collection of lazily created elements whose number is known. */
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
