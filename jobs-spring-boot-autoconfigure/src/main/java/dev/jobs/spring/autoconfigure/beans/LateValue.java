package dev.jobs.spring.autoconfigure.beans;

import dev.jobs.Internal;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A value that is made when it is asked for first, such as a bean that is looked up. Thread-safe.
 *
 * <p>No lock is held meanwhile, unlike in Spring's SingletonSupplier: a thread that creates a bean holds the lock of the
 * bean factory. If it asked for the value while another thread makes it, and needs the bean factory for that, each would
 * wait for the other. So several threads may make the value at once; all of them get the one that is ready first.
 */
@Internal
public final class LateValue<T> implements Supplier<T> {

    private final Supplier<? extends T> making;
    private final AtomicReference<@Nullable T> made = new AtomicReference<>();

    /** @param making may be called several times */
    public LateValue(Supplier<? extends T> making) {
        this.making = making;
    }

    @Override
    public T get() {
        T known = made.get();
        if (known != null) {
            return known;
        }
        T fresh = making.get();
        T first = made.compareAndExchange(null, fresh);
        return first == null ? fresh : first;
    }
}
