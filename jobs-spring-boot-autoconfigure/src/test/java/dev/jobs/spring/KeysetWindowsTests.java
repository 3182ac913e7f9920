package dev.jobs.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.codec.JsonException;
import dev.jobs.codec.JsonText;
import dev.jobs.iterations.InvalidCursorException;
import dev.jobs.iterations.Iteration.Item;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.domain.KeysetScrollPosition;
import org.springframework.data.domain.OffsetScrollPosition;
import org.springframework.data.domain.ScrollPosition;
import org.springframework.data.domain.Window;

@Tag("sidekiq-18")
class KeysetWindowsTests {

    /** Products by id, as in a repository. */
    private final TreeMap<Long, String> products = new TreeMap<>();

    private final List<KeysetScrollPosition> asked = new ArrayList<>();

    private KeysetWindows<String> windows(int size) {
        return KeysetWindows.of(position -> {
            asked.add(position);
            long after = position.isInitial() ? 0 : (Long) position.getKeys().get("id");
            List<Long> ids = products.tailMap(after, false).keySet().stream()
                    .limit(size + 1L)
                    .toList();
            List<Long> shown = ids.subList(0, Math.min(size, ids.size()));
            return Window.from(
                    shown.stream().map(products::get).toList(),
                    at -> ScrollPosition.forward(Map.of("id", shown.get(at))),
                    ids.size() > size);
        });
    }

    private static List<Item<String>> items(KeysetWindows<String> windows, Object cursor) {
        try (Stream<Item<String>> items = windows.open(cursor)) {
            return items.toList();
        }
    }

    private void save(int count) {
        IntStream.rangeClosed(1, count).forEach(i -> products.put(i * 10L, "p" + i));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 6, 7, 8, 100})
    void everythingComesOnceAndEachCursorLeadsBackToItsElement(int size) throws JsonException {
        save(7);
        List<Item<String>> all = items(windows(size), null);

        assertThat(all).extracting(Item::element).containsExactly("p1", "p2", "p3", "p4", "p5", "p6", "p7");
        assertThat(all.get(0).cursor()).isNull();
        assertThat(all.get(1).cursor()).isEqualTo(Map.of("id", 10L));
        for (int i = 0; i < all.size(); i++) {
            Object read = JsonText.decode(JsonText.encode(all.get(i).cursor()));
            assertThat(items(windows(size), read)).isEqualTo(all.subList(i, all.size()));
        }
    }

    @Test
    void anEmptyWindowIsEmpty() {
        assertThat(items(windows(5), null)).isEmpty();
        assertThat(items(windows(5), Map.of("id", 10L))).isEmpty();
    }

    @Test
    void windowsAreReadLazily() {
        save(7);
        try (Stream<Item<String>> items = windows(2).open(null)) {
            Iterator<Item<String>> all = items.iterator();
            assertThat(asked).hasSize(1);
            all.next();
            all.next();
            products.remove(30L);
            assertThat(all.next().element()).isEqualTo("p4");
            assertThat(asked).hasSizeLessThanOrEqualTo(3);
        }
    }

    static List<Object> keys() {
        return List.of(
                "text",
                5L,
                true,
                5,
                (short) 5,
                new UUID(1, 2),
                Instant.EPOCH,
                LocalDate.EPOCH,
                LocalDateTime.parse("2026-11-21T08:00:00.123456"));
    }

    @ParameterizedTest
    @MethodSource("keys")
    void keysComeBackAsTheTypeThatTheyWere(Object key) throws JsonException {
        Object cursor = secondCursor(key);
        Map<String, Object> returned = new LinkedHashMap<>();
        KeysetWindows.<String>of(position -> {
                    returned.putAll(position.getKeys());
                    return Window.from(List.of(), at -> position);
                })
                .open(JsonText.decode(JsonText.encode(cursor)));

        assertThat(returned).isEqualTo(Map.of("key", key));
    }

    private static Object secondCursor(Object key) {
        Function<KeysetScrollPosition, Window<String>> two =
                position -> Window.from(List.of("a", "b"), at -> ScrollPosition.forward(Map.of("key", key)));
        return items(KeysetWindows.of(two), null).get(1).cursor();
    }

    @Test
    void aKeyThatJsonCanNotCarryIsRefused() {
        assertThatThrownBy(() -> secondCursor(BigDecimal.ONE)).hasMessageContaining("java.math.BigDecimal");
    }

    @Test
    void aCursorThatIsNoKeysetIsRefused() {
        for (Object cursor : List.of(
                5L,
                Map.of(),
                Map.of("id", List.of("INT", "five")),
                Map.of("id", List.of("java.lang.Runtime", "x")),
                Map.of("id", List.of("UUID")),
                Map.of("id", 1.5))) {
            assertThatThrownBy(() -> windows(2).open(cursor))
                    .as("%s", cursor)
                    .isInstanceOf(InvalidCursorException.class);
        }
    }

    @Test
    void aWindowByOffsetIsRefusedSinceDeletedRowsWouldHideOthers() {
        KeysetWindows<String> wrong = KeysetWindows.of(position -> Window.from(
                List.of("a"), at -> OffsetScrollPosition.positionFunction(0).apply(at)));

        assertThatThrownBy(() -> items(wrong, null)).hasMessageContaining("not found by a keyset");
    }
}
