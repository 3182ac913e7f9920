package dev.jobs.iterations;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.codec.JsonException;
import dev.jobs.codec.JsonText;
import dev.jobs.iterations.Iteration.Item;
import dev.jobs.iterations.Iteration.Moment;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("sidekiq-18")
class IterationTests {

    private static <E> List<Item<E>> items(Iteration<E> iteration, Object cursor) throws Exception {
        try (Stream<Item<E>> items = iteration.open(cursor)) {
            return items.toList();
        }
    }

    private static <E> Item<E> item(E element, Object cursor) {
        return new Item<>(element, cursor);
    }

    @Test
    void aListIsCountedFrom0() throws Exception {
        Iteration<String> letters = Iteration.over(List.of("a", "b", "c")).each(element -> {});

        assertThat(items(letters, null)).containsExactly(item("a", 0L), item("b", 1L), item("c", 2L));
        assertThat(items(letters, 1L)).containsExactly(item("b", 1L), item("c", 2L));
        assertThat(items(letters, 7L)).as("the list has shrunk").isEmpty();
    }

    @Test
    void anArrayMayHaveGaps() throws Exception {
        Iteration<String> letters =
                Iteration.over(new String[] {"a", null, "c"}).each(element -> {});

        assertThat(items(letters, 1L)).containsExactly(item(null, 1L), item("c", 2L));
    }

    @Test
    void aCursorThatIsNoIndexIsRefused() {
        Iteration<String> letters = Iteration.over(List.of("a")).each(element -> {});

        for (Object cursor : List.of("1", -1L, 1.0, List.of(1L), BigInteger.TEN.pow(30))) {
            assertThatThrownBy(() -> letters.open(cursor))
                    .isInstanceOf(InvalidCursorException.class)
                    .hasMessageContaining("counts by whole numbers from 0");
        }
    }

    @Test
    void batchesGoByTheCursorOfTheirFirstElement() throws Exception {
        Iteration<List<String>> batches = Iteration.over(Arrays.asList("a", "b", null, "d", "e"))
                .inBatchesOf(2)
                .each(batch -> {});

        assertThat(items(batches, null))
                .containsExactly(
                        item(List.of("a", "b"), 0L), item(Arrays.asList(null, "d"), 2L), item(List.of("e"), 4L));
        assertThat(items(batches, 4L)).containsExactly(item(List.of("e"), 4L));
        assertThat(items(batches, 5L)).isEmpty();
        assertThatThrownBy(() -> Iteration.over(List.of()).inBatchesOf(0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void batchesAreReadLazilyAndCloseTheirSource() throws Exception {
        AtomicInteger read = new AtomicInteger();
        AtomicInteger closed = new AtomicInteger();
        Iteration.Source<Integer> source = cursor -> Stream.iterate(1, i -> i + 1)
                .peek(read::set)
                .map(i -> new Item<>(i, i))
                .onClose(closed::incrementAndGet);

        try (Stream<Item<List<Integer>>> batches =
                Iteration.over(source).inBatchesOf(3).each(batch -> {}).open(null)) {
            assertThat(batches.iterator().next().element()).containsExactly(1, 2, 3);
        }
        assertThat(read).hasValueLessThanOrEqualTo(4);
        assertThat(closed).hasValue(1);
    }

    @Test
    void hooksAreCalledAtTheirTimeAndTheLastOneOfAKindCounts() throws Exception {
        List<String> told = new ArrayList<>();
        Iteration<String> plain = Iteration.over(List.of("a")).each(told::add);
        Iteration<String> hooked = plain.onStart(() -> told.add("first"))
                .onStart(() -> told.add("start"))
                .onResume(() -> told.add("resume"))
                .onStop(() -> told.add("stop"))
                .onCancel(() -> told.add("cancel"))
                .onComplete(() -> told.add("complete"));

        for (Moment moment : Moment.values()) {
            plain.reached(moment);
            hooked.reached(moment);
        }

        assertThat(told).containsExactly("start", "resume", "stop", "cancel", "complete");
    }

    @Test
    void aWrapperOfAStepMaySkipIt() throws Exception {
        List<String> told = new ArrayList<>();
        Iteration<String> iteration = Iteration.over(List.of("a", "b"))
                .each(told::add)
                .around((element, next) -> {
                    if (!element.equals("a")) {
                        next.proceed();
                    }
                });

        iteration.perform("a");
        iteration.perform("b");

        assertThat(told).containsExactly("b");
    }

    @Test
    void anExecutionNeedsSomeTime() {
        Iteration<String> iteration = Iteration.over(List.of("a")).each(element -> {});

        assertThat(iteration.maxRuntime()).isNull();
        assertThat(iteration.maxRuntime(Duration.ofDays(1)).maxRuntime()).isEqualTo(Duration.ofDays(1));
        assertThatThrownBy(() -> iteration.maxRuntime(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "10", "\"é\\n\"", "[1,\"a\",null]", "{\"id\":12345678901234567890}", "1.5", "true"})
    void cursorsSurviveTheWayThroughJson(String json) throws JsonException {
        assertThat(new String(JsonText.encode(JsonText.decode(json.getBytes(UTF_8))), UTF_8))
                .isEqualTo(json);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "{", "1 2", "nul", "'a'", "[1,]"})
    void invalidJsonIsNoCursor(String text) {
        assertThatThrownBy(() -> JsonText.decode(text.getBytes(UTF_8))).isInstanceOf(JsonException.class);
    }
}
