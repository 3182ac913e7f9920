package dev.jobs.spring;

import dev.jobs.iterations.InvalidCursorException;
import dev.jobs.iterations.Iteration;
import dev.jobs.iterations.Iteration.Item;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.springframework.data.domain.KeysetScrollPosition;
import org.springframework.data.domain.ScrollPosition;
import org.springframework.data.domain.Window;

/**
 * Feeds an iterable job with the results of a Spring Data repository, window by window.
 *
 * <pre>{@code
 * Iteration.over(KeysetWindows.of(position -> products.findFirst500ByShopIdOrderById(shopId, position)))
 * }</pre>
 *
 * <p>The cursor is the keyset of the preceding element, as JSON, so iteration continues with the element after it,
 * whatever happens to the others in between. The keys may be text, whole numbers, booleans, {@link UUID},
 * {@link Instant}, {@link LocalDate} and {@link LocalDateTime}. Each window is one call of the repository; nothing is
 * held between calls. Immutable.
 */
public final class KeysetWindows<E> implements Iteration.Source<E> {

    private final Function<? super KeysetScrollPosition, Window<E>> windows;

    private KeysetWindows(Function<? super KeysetScrollPosition, Window<E>> windows) {
        this.windows = windows;
    }

    /** @param windows returns the window after a position, in a stable order by unique keys */
    public static <E> KeysetWindows<E> of(Function<? super KeysetScrollPosition, Window<E>> windows) {
        return new KeysetWindows<>(windows);
    }

    /** Reads the first window. */
    @Override
    public Stream<Item<E>> open(@Nullable Object cursor) {
        KeysetScrollPosition position = position(cursor);
        Items items = new Items(windows.apply(position), cursor);
        return StreamSupport.stream(Spliterators.spliteratorUnknownSize(items, Spliterator.ORDERED), false);
    }

    private static KeysetScrollPosition position(@Nullable Object cursor) {
        if (cursor == null) {
            return ScrollPosition.keyset();
        }
        if (!(cursor instanceof Map<?, ?> keys) || keys.isEmpty()) {
            throw foreign(null);
        }
        Map<String, Object> values = new LinkedHashMap<>();
        keys.forEach((key, value) -> values.put(String.valueOf(key), Key.read(value)));
        return ScrollPosition.forward(values);
    }

    private static InvalidCursorException foreign(@Nullable Throwable cause) {
        return new InvalidCursorException(
                "The stored cursor is not a keyset; was the job stored by code that iterates over something else?",
                cause);
    }

    private final class Items implements Iterator<Item<E>> {

        private Window<E> window;
        private int index;
        private @Nullable Object cursor;

        Items(Window<E> window, @Nullable Object cursor) {
            this.window = window;
            this.cursor = cursor;
        }

        @Override
        public boolean hasNext() {
            while (index == window.size() && index > 0 && window.hasNext()) {
                window = windows.apply(keyset(index - 1));
                index = 0;
            }
            return index < window.size();
        }

        @Override
        public Item<E> next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            Item<E> item = new Item<>(window.getContent().get(index), cursor);
            Map<String, Object> keys = new LinkedHashMap<>();
            keyset(index).getKeys().forEach((key, value) -> keys.put(key, Key.write(key, value)));
            cursor = keys;
            index++;
            return item;
        }

        private KeysetScrollPosition keyset(int at) {
            if (window.positionAt(at) instanceof KeysetScrollPosition keyset) {
                return keyset;
            }
            throw new IllegalStateException(
                    "The window was not found by a keyset; make the repository's method take the "
                            + "position that is passed to it");
        }
    }

    /**
     * A key in JSON: text and long numbers as they are, types that JSON can't distinguish from these as [type, text].
     */
    private enum Key {
        INT(Integer.class, Integer::valueOf),
        SHORT(Short.class, Short::valueOf),
        UUID(UUID.class, java.util.UUID::fromString),
        INSTANT(Instant.class, Instant::parse),
        DATE(LocalDate.class, LocalDate::parse),
        DATE_TIME(LocalDateTime.class, LocalDateTime::parse);

        private final Class<?> type;
        private final Function<String, Object> parser;

        Key(Class<?> type, Function<String, Object> parser) {
            this.type = type;
            this.parser = parser;
        }

        static Object write(String name, @Nullable Object value) {
            if (value instanceof String || value instanceof Long || value instanceof Boolean) {
                return value;
            }
            for (Key key : values()) {
                if (key.type.isInstance(value)) {
                    return new ArrayList<>(List.of(key.name(), value.toString()));
                }
            }
            throw new IllegalStateException("The key '" + name + "' is "
                    + (value == null ? "null" : "a " + value.getClass().getName())
                    + ", which a cursor can't carry; sort by text, whole numbers, UUIDs or times that are never null");
        }

        static Object read(@Nullable Object value) {
            if (value instanceof String || value instanceof Long || value instanceof Boolean) {
                return value;
            }
            if (value instanceof List<?> pair
                    && pair.size() == 2
                    && pair.get(0) instanceof String name
                    && pair.get(1) instanceof String text) {
                try {
                    return valueOf(name).parser.apply(text);
                } catch (IllegalArgumentException | java.time.DateTimeException e) {
                    throw foreign(e);
                }
            }
            throw foreign(null);
        }
    }
}
