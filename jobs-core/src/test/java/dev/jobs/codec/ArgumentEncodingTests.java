package dev.jobs.codec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonRawValue;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.jobs.Payload;
import java.io.ByteArrayInputStream;
import java.io.StringReader;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.text.DecimalFormat;
import java.text.ParsePosition;
import java.text.SimpleDateFormat;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.Year;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Currency;
import java.util.Date;
import java.util.EnumMap;
import java.util.IntSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.logging.Logger;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ArgumentEncodingTests {

    private final ArgumentCodec codec = new ArgumentCodec();

    @Test
    @Tag("sidekiq-3")
    void writesPlainValuesAsRubyDoes() throws JsonException {
        assertThat(encode("é漢😀", 1, 1.0, null, Map.of("a", Map.of()))).isEqualTo("[\"é漢😀\",1,1.0,null,{\"a\":{}}]");
        assertThat(encode()).isEqualTo("[]");
        assertThat(encode(true, (short) 2, (byte) 3, 4L, 1.5f, 'c', new BigInteger("12345678901234567890")))
                .isEqualTo("[true,2,3,4,1.5,\"c\",12345678901234567890]");
        assertThat(encode(new BigDecimal("19.90"), 10000000.0, "a/b\u001f\u007f"))
                .isEqualTo("[\"19.90\",10000000.0,\"a/b\\u001f\u007f\"]");
    }

    @Test
    void writesBeansByTheSameRules() throws JsonException {
        Order order = new Order(
                "é/\u001f\u2028", 1e7, 0.1f, new BigDecimal("1E+3"), new BigInteger("12345678901234567890"), 1L, null);

        assertThat(encode(order))
                .isEqualTo("[{\"name\":\"é/\\u001f\u2028\",\"price\":10000000.0,\"ratio\":0.1,\"exact\":\"1E+3\","
                        + "\"big\":12345678901234567890,\"count\":1,\"next\":null}]");
        assertThat(encode(List.of(1e20, 1e-5), new double[] {1e7}, new float[] {0.5f}, new long[] {1}, new String[] {"/"
                }))
                .isEqualTo("[[1e+20,0.00001],[10000000.0],[0.5],[1],[\"/\"]]");
    }

    @Test
    void writesMembersInTheOrderTheyAreDeclaredOrInserted() throws JsonException {
        Map<String, Integer> map = new LinkedHashMap<>();
        map.put("z", 1);
        map.put("a", 2);

        assertThat(encode(map, new Unordered(1, 2))).isEqualTo("[{\"z\":1,\"a\":2},{\"z\":1,\"a\":2}]");
    }

    @Test
    void writesTheTypesOfTheJdk() throws JsonException {
        assertThat(encode(
                        Instant.parse("2026-01-02T03:04:05.123456789Z"),
                        LocalDate.parse("2026-01-02"),
                        LocalDateTime.parse("2026-01-02T03:04:05"),
                        OffsetDateTime.parse("2026-01-02T03:04:05+02:00"),
                        ZonedDateTime.parse("2026-01-02T03:04:05+01:00[Europe/Berlin]"),
                        Duration.ofMinutes(90),
                        new Date(0)))
                .isEqualTo("[\"2026-01-02T03:04:05.123456789Z\",\"2026-01-02\",\"2026-01-02T03:04:05\","
                        + "\"2026-01-02T03:04:05+02:00\",\"2026-01-02T03:04:05+01:00[Europe/Berlin]\",\"PT1H30M\","
                        + "\"1970-01-01T00:00:00.000Z\"]");
        assertThat(encode(
                        UUID.fromString("123e4567-e89b-12d3-a456-426614174000"),
                        new byte[] {0, 1, -1, -2},
                        Optional.of(5),
                        Optional.empty(),
                        OptionalInt.of(3),
                        new AtomicInteger(4),
                        "ab".toCharArray(),
                        new StringBuilder("sb")))
                .isEqualTo("[\"123e4567-e89b-12d3-a456-426614174000\",\"AAH//g==\",5,null,3,4,\"ab\",\"sb\"]");
    }

    @Test
    void writesTheNameOfAnEnumConstantWhateverToStringSays() throws JsonException {
        Map<Color, Integer> byColor = new EnumMap<>(Map.of(Color.RED, 1));

        assertThat(encode(Color.RED, byColor, List.of(Color.GREEN))).isEqualTo("[\"RED\",{\"RED\":1},[\"GREEN\"]]");
    }

    @Test
    void writesKeysThatJacksonCanTurnIntoText() throws JsonException {
        assertThat(encode(new TreeMap<>(Map.of(1, "a", 2, "b")), Map.of(LocalDate.parse("2026-01-02"), 1)))
                .isEqualTo("[{\"1\":\"a\",\"2\":\"b\"},{\"2026-01-02\":1}]");
    }

    @Test
    void writesNestedOptionalsAsTheirValues() throws JsonException {
        assertThat(encode(
                        List.of(Optional.of("x"), Optional.empty()),
                        Optional.of(Optional.of(1)),
                        new Maybe(Optional.of("y"))))
                .isEqualTo("[[\"x\",null],1,{\"value\":\"y\"}]");
    }

    @Test
    void passesEncodedArgumentsOn() throws JsonException {
        assertThat(encode(new RawJson("1.50".getBytes(UTF_8)), 1)).isEqualTo("[1.50,1]");
    }

    @Test
    void whatItWritesIsReadAgain() throws JsonException {
        byte[] args = codec.encode(List.of(new Order("a", 1.5, 2f, BigDecimal.ONE, BigInteger.TEN, 3, null), "x"));

        Payload payload = Payload.of(Map.of("args", new RawJson(args)));
        assertThat(Payload.parse(payload.bytes()).rawArgs()).isEqualTo(args);
    }

    @Test
    void saysWhichArgumentAndWhereInsideIt() {
        assertRefused(List.of("ok", Double.NaN))
                .hasMessage(
                        "Argument 2 can't be stored: NaN and Infinity have no JSON form; pass null or text instead.");
        assertRefused(List.of(Map.of("items", List.of("ok", Map.of("price", Double.POSITIVE_INFINITY)))))
                .hasMessageStartingWith("Argument 1 at items[1].price can't be stored: NaN and Infinity");
        assertRefused(List.of(1, 2, new Order("x", Double.NaN, 0, null, null, 1, null)))
                .hasMessageStartingWith("Argument 3 at price can't be stored: NaN");
        assertRefused(List.of(new Order("x", 0, 0, null, null, 1, new Order("y", 0, Float.NaN, null, null, 1, null))))
                .hasMessageStartingWith("Argument 1 at next.ratio can't be stored: NaN");
        assertRefused(List.of(new double[] {1, 2, Double.NaN})).hasMessageStartingWith("Argument 1 at [2] can't");
        assertRefused(List.of(List.of("a", "b\ud800")))
                .hasMessageStartingWith("Argument 1 at [1] can't be stored: the text is");
        assertRefused(List.of("\udc00"))
                .hasMessageStartingWith("Argument 1 can't be stored: the text is not valid Unicode");
        assertRefused(List.of(Map.of("a\ud800", 1))).hasMessageContaining("not valid Unicode");
        assertRefused(List.of(List.of(1, new Object())))
                .hasMessage("Argument 1 at [1] can't be stored: No serializer found for class java.lang.Object and no"
                        + " properties discovered to create BeanSerializer.");
        assertRefused(List.of(Map.of("a b", new Holder(new Object()))))
                .hasMessageStartingWith("Argument 1 at [key].value can't be stored: ");
        assertRefused(List.of(Map.of("big", BigInteger.TEN.pow(1001)))).hasMessageContaining("more than 1000 digits");
        assertRefused(List.of(Map.of("big", new BigDecimal("1E+5000")))).hasMessageContaining("more than 1000 digits");
    }

    static Stream<Object> valuesOfThisProcess() {
        Supplier<String> lambda = () -> "x";
        Runnable reference = System::gc;
        return Stream.of(
                new Object(),
                new ByteArrayInputStream(new byte[1]),
                new StringReader("x"),
                Stream.of(1),
                List.of(1).iterator(),
                Thread.currentThread(),
                lambda,
                reference,
                String.class,
                List.class.getMethods()[0],
                ArgumentEncodingTests.class.getClassLoader(),
                new CompletableFuture<>(),
                new ThreadLocal<>(),
                new Exception("x"),
                new java.util.concurrent.locks.ReentrantLock(),
                new Empty(),
                new ThrowingGetter(),
                new Raw("1.0"));
    }

    @ParameterizedTest
    @MethodSource("valuesOfThisProcess")
    @Tag("sidekiq-7.5")
    void refusesWhatExistsInThisProcessOnly(Object value) {
        assertRefused(List.of(value)).hasMessageStartingWith("Argument 1").hasMessageContaining("can't be stored: ");
        assertRefused(List.of(1, List.of(value)))
                .hasMessageStartingWith("Argument 2 at [0]")
                .hasMessageContaining("can't be stored: ");
        assertRefused(List.of(new Holder(value)))
                .hasMessageStartingWith("Argument 1 at value")
                .hasMessageContaining("can't be stored: ");
        assertRefused(List.of(Optional.of(value))).hasMessageStartingWith("Argument 1");
        assertRefused(List.of((Object) new Object[] {value})).hasMessageStartingWith("Argument 1 at [0]");
    }

    @Test
    @Tag("sidekiq-7.5")
    void byNameTheKeysOfAMapAreTextOrConstantsOfAnEnum() throws JsonException {
        Map<Object, Object> mixed = new LinkedHashMap<>();
        mixed.put("a", new EnumMap<>(Map.of(Color.GREEN, 1)));
        mixed.put(new StringBuilder("b"), Map.of(Color.RED, new Holder(Map.of("c", 1))));

        assertThat(new String(codec.encodeByName(List.of("x", mixed)), UTF_8))
                .isEqualTo("[\"x\",{\"a\":{\"GREEN\":1},\"b\":{\"RED\":{\"value\":{\"c\":1}}}}]");
        for (Object key : List.of(1, true, 1.5, 'c', UUID.randomUUID(), LocalDate.EPOCH, new Holder(1))) {
            for (Object argument : List.of(Map.of(key, 2), List.of(Map.of("a", Map.of(key, 2))))) {
                assertThatThrownBy(() -> codec.encodeByName(List.of(argument)))
                        .isExactlyInstanceOf(JsonException.class)
                        .hasMessageContaining("Argument 1")
                        .hasMessageContaining("a map needs text as keys, and one of these is a "
                                + key.getClass().getName());
            }
        }
    }

    static Stream<Object> objectsOfTheJdkThatAreNoValues() {
        return Stream.of(
                new SimpleDateFormat("yyyy", Locale.ROOT),
                new DecimalFormat("0"),
                new ParsePosition(1),
                new Random(1),
                new IntSummaryStatistics(),
                Logger.getLogger("x"));
    }

    @ParameterizedTest
    @MethodSource("objectsOfTheJdkThatAreNoValues")
    @Tag("sidekiq-7.5")
    void refusesWhatTheJdkHasNoJsonFormOf(Object value) {
        for (Object argument : List.of(value, List.of(value), new Holder(value), Map.of("a", value))) {
            assertRefused(List.of(argument))
                    .hasMessageContaining("can't be stored: " + value.getClass().getName() + " has no JSON form")
                    .message()
                    .hasSizeLessThan(600);
        }
        assertThatThrownBy(() -> codec.check(new ParameterType("it", value.getClass())))
                .isInstanceOf(ArgumentException.class);
    }

    @Test
    void writesValuesOfTheJdk() throws JsonException {
        assertThat(encode(
                        Locale.GERMANY,
                        TimeZone.getTimeZone("UTC"),
                        Currency.getInstance("EUR"),
                        URI.create("https://example.com"),
                        Pattern.compile("a+"),
                        new AbstractMap.SimpleEntry<>("a", 1),
                        Year.of(2026),
                        ZoneId.of("UTC")))
                .isEqualTo("[\"de-DE\",\"UTC\",\"EUR\",\"https://example.com\",\"a+\",{\"a\":1},2026,\"UTC\"]");
    }

    @Test
    void refusesClassesAsKeys() {
        assertRefused(List.of(Map.of(String.class, 1))).hasMessageContaining("live in this process only");
    }

    @Test
    void refusesExecutors() throws InterruptedException {
        var executor = Executors.newSingleThreadExecutor();
        try {
            assertRefused(List.of(executor)).hasMessageContaining("Executor objects live in this process only");
        } finally {
            executor.shutdown();
            assertThat(executor.awaitTermination(5, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void refusesCyclesClearlyAndWithoutStackOverflow() {
        List<Object> list = new ArrayList<>();
        list.add(list);
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("self", List.of(map));
        Node node = new Node();
        node.next = new Node();
        node.next.next = node;
        Node self = new Node();
        self.next = self;
        Spiral spiral = new Spiral();

        for (Object cycle : List.of(list, map, node, spiral)) {
            assertRefused(Collections.singletonList(cycle))
                    .hasMessageContaining("nested deeper than 100 levels")
                    .hasMessageContaining("contains itself")
                    .message()
                    .hasSizeLessThan(600);
        }
        assertRefused(List.of(self)).hasMessageContaining("cycle");
    }

    @Test
    @Tag("sidekiq-0.9")
    void anArgumentMayNestNinetyEightLevels() throws ArgumentException, JsonException {
        Object nested = List.of();
        for (int i = 1; i < 98; i++) {
            nested = i % 3 == 0 ? Map.of("a", nested) : i % 3 == 1 ? List.of(nested) : new Holder(nested);
        }
        Object legal = nested;

        byte[] args = codec.encode(List.of(legal));
        Payload stored = Payload.of(Map.of("args", new RawJson(args)));
        assertThat(Payload.parse(stored.bytes()).hasArgsArray()).isTrue();
        assertThat(codec.decode(args, List.of(new ParameterType("deep", Object.class))))
                .hasSize(1);
        assertRefused(List.of(List.of(legal))).hasMessageContaining("nested deeper than 100 levels");
        assertRefused(List.of(new Holder(legal))).hasMessageContaining("nested deeper than 100 levels");
    }

    @Test
    void aFailedEncodingLeavesTheCodecUsable() throws JsonException {
        assertRefused(List.of(new Holder(new Object())));
        assertThat(encode(new Holder(1))).isEqualTo("[{\"value\":1}]");
    }

    @Test
    void keepsTheCauseWhenReadingAPropertyFails() {
        assertRefused(List.of(new ThrowingGetter()))
                .hasMessageContaining("at value can't be stored: reading its properties failed with "
                        + "java.lang.IllegalStateException: not now")
                .hasCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void writesNamesThatNeedEscapes() throws JsonException {
        assertThat(encode(new OddName(1), new Wrapping(new OddName(2))))
                .isEqualTo("[{\"a/\\u001fé\\\"\":1},{\"x-a/\\u001fé\\\"\":2}]");
    }

    private org.assertj.core.api.AbstractThrowableAssert<?, ? extends Throwable> assertRefused(List<?> args) {
        return assertThatThrownBy(() -> codec.encode(args)).isExactlyInstanceOf(JsonException.class);
    }

    private String encode(@Nullable Object... args) throws JsonException {
        return new String(codec.encode(Arrays.asList(args)), UTF_8);
    }

    record Order(
            String name,
            double price,
            float ratio,
            @Nullable BigDecimal exact,
            @Nullable BigInteger big,
            long count,
            @Nullable Order next) {}

    record Unordered(int z, int a) {}

    record Maybe(Optional<String> value) {}

    record Holder(Object value) {}

    record OddName(@JsonProperty("a/\u001fé\"") int value) {}

    record Wrapping(@JsonUnwrapped(prefix = "x-") OddName value) {}

    record Raw(@JsonRawValue String value) {}

    static final class Empty {}

    static final class ThrowingGetter {
        public int getValue() {
            throw new IllegalStateException("not now");
        }
    }

    static final class Node {
        public @Nullable Node next;
    }

    /** Creates a new object at each step, so that comparing references finds no end. */
    static final class Spiral {
        public Spiral getNext() {
            return new Spiral();
        }
    }

    enum Color {
        RED,
        GREEN {
            @Override
            public String toString() {
                return "verde";
            }
        };

        @Override
        public String toString() {
            return "rojo";
        }
    }
}
