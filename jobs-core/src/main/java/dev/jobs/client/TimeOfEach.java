package dev.jobs.client;

import dev.jobs.InvalidJobException;
import java.time.Instant;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The elements of a bulk call and the times of their jobs, side by side. For one walk through them, by one thread. */
final class TimeOfEach<E extends @Nullable Object> implements Iterable<E> {

    private final Iterable<? extends E> elements;
    private final List<Instant> times;
    private int given;

    /** @throws InvalidJobException if it is known already that there are more of one than of the other */
    TimeOfEach(Iterable<? extends E> elements, List<Instant> times) {
        this.elements = elements;
        this.times = times;
        if (elements instanceof Collection<?> known && known.size() != times.size()) {
            throw mismatch(known.size() + " jobs");
        }
    }

    /** The time of the element that was given last. */
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
