package dev.jobs.client;

import dev.jobs.InvalidJobException;
import java.time.Instant;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Pairs the elements of a bulk call with the times of their jobs. For one iteration, by one thread. */
final class TimeOfEach<E extends @Nullable Object> implements Iterable<E> {

    private final Iterable<? extends E> elements;
    private final List<Instant> times;
    private int given;

    /** @throws InvalidJobException if the number of elements is known and differs from the number of times */
    TimeOfEach(Iterable<? extends E> elements, List<Instant> times) {
        this.elements = elements;
        this.times = times;
        if (elements instanceof Collection<?> known && known.size() != times.size()) {
            throw mismatch(known.size() + " jobs");
        }
    }

    /** The time for the element returned last. */
    Instant time() {
        if (given == times.size()) {
            throw mismatch("more jobs");
        }
        return times.get(given++);
    }

    @Override
    public Iterator<E> iterator() {
        Iterator<? extends E> each = elements.iterator();
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                boolean more = each.hasNext();
                if (!more && given < times.size()) {
                    throw mismatch(given + " jobs");
                }
                return more;
            }

            @Override
            public E next() {
                return each.next();
            }
        };
    }

    private InvalidJobException mismatch(String jobs) {
        return new InvalidJobException(
                "atEach needs a time for each job of the call, but there are " + times.size() + " times and " + jobs);
    }
}
