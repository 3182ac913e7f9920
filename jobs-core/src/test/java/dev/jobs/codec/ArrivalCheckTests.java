package dev.jobs.codec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonBackReference;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonManagedReference;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.annotation.JsonValue;
import java.io.File;
import java.io.Serializable;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.net.URL;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.sql.Timestamp;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Month;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.AbstractList;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Currency;
import java.util.Date;
import java.util.Deque;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.GregorianCalendar;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.SimpleTimeZone;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.annotation.JsonDeserialize;
import tools.jackson.databind.annotation.JsonSerialize;
import tools.jackson.databind.node.JsonNodeFactory;

/** Either a job gets what the caller passed, or the call is refused. */
class ArrivalCheckTests {

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private final ArgumentCodec codec = new ArgumentCodec();

    /** Parameters of jobs; {@link #values} has values for them. */
    @SuppressWarnings({"unused", "rawtypes"})
    void job(
            int number,
            Long boxed,
            byte small,
            short brief,
            char letter,
            boolean flag,
            double ratio,
            float coarse,
            String text,
            CharSequence sequence,
            StringBuilder builder,
            Object anything,
            Serializable serializable,
            Number anyNumber,
            BigDecimal decimal,
            BigInteger big,
            UUID uuid,
            URI uri,
            URL url,
            File file,
            Path path,
            Locale locale,
            Currency currency,
            Charset charset,
            Pattern pattern,
            byte[] bytes,
            char[] letters,
            int[] numbers,
            double[] ratios,
            String[] texts,
            Object[] anythings,
            Animal[] animalArray,
            Point[] points,
            List<Point>[] pointLists,
            ByteBuffer buffer,
            AtomicInteger atomic,
            AtomicReference<Point> reference,
            Optional<String> optional,
            Optional<Optional<String>> optionals,
            Optional<Point> optionalPoint,
            OptionalInt optionalInt,
            OptionalLong optionalLong,
            OptionalDouble optionalDouble,
            Instant instant,
            LocalDate date,
            LocalTime time,
            LocalDateTime dateTime,
            OffsetDateTime offsetDateTime,
            OffsetTime offsetTime,
            ZonedDateTime zonedDateTime,
            ZoneId zone,
            ZoneOffset offset,
            Duration duration,
            Period period,
            Year year,
            YearMonth yearMonth,
            MonthDay monthDay,
            Month month,
            DayOfWeek day,
            Date oldDate,
            java.sql.Date sqlDate,
            Timestamp timestamp,
            Calendar calendar,
            GregorianCalendar gregorian,
            TimeZone timeZone,
            JsonNode tree,
            Color color,
            Coded coded,
            Ambiguous ambiguous,
            Point point,
            Nested nested,
            Box<Point> box,
            Box<Shape> shapeBox,
            Box<Object> openBox,
            Customer customer,
            Lombok lombok,
            KotlinLike kotlinLike,
            Half half,
            ReadOnly readOnly,
            WriteOnly writeOnly,
            Ignoring ignoring,
            Ignored ignored,
            Renamed renamed,
            Created created,
            Delegating delegating,
            Rounding rounding,
            Masking masking,
            Growing growing,
            Twisted twisted,
            Tree branches,
            Box<Box<List<Long>>> boxes,
            Formatted formatted,
            NonEmpty nonEmpty,
            Wrapping wrapping,
            Custom custom,
            LossyCustom lossyCustom,
            Caching caching,
            Passing passing,
            ById byId,
            Family family,
            Animal animal,
            Shape shape,
            Vehicle vehicle,
            Names names,
            List rawList,
            List<String> stringList,
            List<Long> longs,
            List<Animal> animals,
            List<Shape> shapes,
            List<Vehicle> vehicles,
            List<Object> objects,
            List<Optional<String>> optionalList,
            List<List<Point>> pointMatrix,
            ArrayList<String> arrayList,
            LinkedList<String> linkedList,
            Collection<String> collection,
            Iterable<String> iterable,
            Queue<String> queue,
            Deque<String> deque,
            PriorityQueue<Integer> priorityQueue,
            Set<String> set,
            Set<Point> pointSet,
            Set<Half> halfSet,
            HashSet<Half> halfHashSet,
            HashSet<String> hashSet,
            LinkedHashSet<String> linkedSet,
            SortedSet<String> sortedSet,
            TreeSet<Integer> treeSet,
            EnumSet<Color> enumSet,
            Set<Color> colors,
            Map<String, Object> open,
            Map<String, String> stringMap,
            Map<String, Animal> animalMap,
            Map<String, Shape> shapeMap,
            Map<Integer, String> byNumber,
            Map<Double, String> byRatio,
            Map<UUID, Point> byUuid,
            Map<Color, List<Shape>> byColor,
            Map<Coded, Integer> byCode,
            Map<LocalDate, BigDecimal> byDate,
            Map<ZonedDateTime, Integer> byZonedDateTime,
            Map<Date, Integer> byOldDate,
            Map<Object, Integer> byAnything,
            HashMap<String, Integer> hashMap,
            SortedMap<String, Integer> sortedMap,
            TreeMap<Integer, Point> treeMap,
            EnumMap<Color, Integer> enumMap,
            Map.Entry<String, Point> entry) {}

    /** Values of all kinds, for whatever parameter they fit. */
    static List<@Nullable Object> values() {
        Random random = new Random(7);
        List<@Nullable Object> values = new ArrayList<>(Arrays.asList(
                null,
                0,
                -5,
                Integer.MAX_VALUE,
                5L,
                Long.MIN_VALUE,
                (byte) -1,
                (short) 300,
                'c',
                '\0',
                '\ud800',
                true,
                1.5,
                -0.0,
                1e300,
                Double.MIN_VALUE,
                Double.NaN,
                0.1f,
                Float.MAX_VALUE,
                "",
                "null",
                "é\u0000😀",
                new StringBuilder("sb"),
                new BigDecimal("5.50"),
                new BigDecimal("1E+3"),
                new BigDecimal("-0.00"),
                new BigDecimal("1E-50"),
                BigInteger.TWO.pow(200),
                BigInteger.ONE,
                new UUID(1, 2),
                URI.create("a:b"),
                URI.create(""),
                new File("relative"),
                new File("/absolute"),
                Path.of("relative"),
                Path.of("/absolute"),
                Locale.ROOT,
                Locale.GERMANY,
                new Locale("de", "DE", "POSIX"),
                Locale.forLanguageTag("th-TH-u-nu-thai-x-lvariant-TH"),
                Currency.getInstance("EUR"),
                UTF_8,
                Pattern.compile("a+"),
                Pattern.compile("a+", Pattern.CASE_INSENSITIVE),
                new byte[] {0, -1},
                new char[] {'a', 'b'},
                new int[] {1},
                new double[] {1e7, -0.0},
                new String[] {"a", null},
                new Object[] {1, "a", 5L},
                new Object[] {1, "a"},
                new Animal[] {new Animal("a"), new Dog("rex", 4)},
                new Dog[] {new Dog("rex", 4)},
                new Animal[] {new Animal("a")},
                new Point[] {new Point(1, 2), null},
                new List<?>[] {List.of(new Point(1, 2))},
                ByteBuffer.wrap(new byte[] {1}),
                new AtomicInteger(4),
                new AtomicReference<>(new Point(1, 2)),
                Optional.empty(),
                Optional.of("x"),
                Optional.of(Optional.empty()),
                Optional.of(Optional.of("x")),
                Optional.of(new Point(1, 2)),
                OptionalInt.empty(),
                OptionalInt.of(3),
                OptionalLong.of(3),
                OptionalDouble.of(-0.0),
                Instant.MIN,
                Instant.MAX,
                Instant.parse("2026-01-02T03:04:05.123456789Z"),
                LocalDate.MIN,
                LocalDate.of(2026, 1, 2),
                LocalTime.MAX,
                LocalDateTime.MAX,
                OffsetDateTime.MIN,
                OffsetDateTime.MAX,
                OffsetDateTime.parse("2026-01-02T03:04:05+02:00"),
                OffsetTime.MIN,
                ZonedDateTime.parse("2026-10-25T02:30:00+01:00[Europe/Berlin]"),
                ZonedDateTime.parse("2026-10-25T02:30:00+02:00[Europe/Berlin]"),
                ZonedDateTime.of(2026, 1, 1, 0, 0, 0, 0, ZoneId.of("UTC+01:00")),
                ZonedDateTime.parse("2026-01-02T03:04:05Z"),
                ZoneId.of("Europe/Berlin"),
                ZoneOffset.ofTotalSeconds(3661),
                Duration.ofSeconds(Long.MIN_VALUE),
                Duration.ofNanos(-1),
                Period.of(1, -2, 300),
                Year.of(Year.MIN_VALUE),
                Year.of(2026),
                YearMonth.of(2026, 2),
                YearMonth.of(123456, 2),
                MonthDay.of(2, 29),
                Month.MAY,
                DayOfWeek.SUNDAY,
                new Date(1234567890123L),
                new Date(Long.MAX_VALUE),
                new java.sql.Date(5),
                new Timestamp(5),
                nanos(123456789),
                new GregorianCalendar(TimeZone.getTimeZone("Europe/Berlin")),
                new GregorianCalendar(TimeZone.getTimeZone("UTC"), Locale.ROOT),
                TimeZone.getTimeZone("Europe/Berlin"),
                new SimpleTimeZone(3_600_001, "own"),
                NODES.objectNode().put("id", 5L).put("price", 1.5),
                NODES.objectNode().put("price", new BigDecimal("5.50")),
                NODES.objectNode().putPOJO("point", new Point(1, 2)),
                NODES.arrayNode().add(1).add((String) null),
                NODES.binaryNode(new byte[] {1}),
                Color.RED,
                Color.GREEN,
                Coded.TWO,
                Ambiguous.A,
                Ambiguous.B,
                new Point(1, 2),
                new Nested(
                        new Point(1, 2),
                        List.of(new Point(3, 4)),
                        Map.of("a", Set.of(1L)),
                        Optional.of("x"),
                        new int[] {1}),
                new Nested(null, null, null, Optional.empty(), null),
                new Nested(null, null, null, null, null),
                new Box<>(new Point(1, 2)),
                new Box<>(new Circle(3)),
                new Box<>(5),
                new Box<>(5L),
                new Box<>(Instant.EPOCH),
                new Customer("Ann", "a@example.com", "+49"),
                new Lombok("a@example.com", true, "u"),
                new KotlinLike(true, "a"),
                new Half("a", "b"),
                new Half("a", null),
                new ReadOnly("x"),
                new WriteOnly("x"),
                new Ignoring("a", "b"),
                new Ignoring("a", null),
                new Ignored("a", "b"),
                new Ignored("a", null),
                new Renamed("a"),
                new Created("a", 1),
                new Delegating(List.of("a", "b")),
                new Rounding(1.239),
                new Rounding(1.25),
                new Masking("secret"),
                new Growing("a"),
                new Growing(""),
                new Twisted("a", true),
                new Tree("a", List.of(new Tree("b", List.of()))),
                new Box<>(new Box<>(List.of(5L))),
                new Box<>(new Box<>(List.of(5))),
                new Box<>(null),
                new Formatted(LocalDateTime.of(2026, 1, 2, 3, 4, 5)),
                new Formatted(LocalDateTime.of(2026, 1, 2, 0, 0)),
                new NonEmpty(List.of(), "a"),
                new NonEmpty(List.of("a"), ""),
                new NonEmpty(List.of("a"), "b"),
                new Wrapping(new Point(1, 2), "a"),
                new Custom(5),
                new LossyCustom(5, 6),
                hashed(new Caching("a")),
                new Passing("a", 5),
                new ById(1, "a"),
                new ById(1, null),
                Family.of(2),
                new Animal("a"),
                new Dog("rex", 4),
                new Circle(3),
                new Square(2, List.of(new Circle(1))),
                new Car(5),
                new Names("title", "a", "b"),
                new Names(null, "a"),
                new AbstractCollectionOfTwo()));
        values.addAll(collections(List.of("b", "a", "c")));
        values.addAll(collections(List.of(3, 1, 2)));
        values.addAll(collections(List.of(5L, Long.MAX_VALUE)));
        values.addAll(collections(List.of(new Point(1, 2), new Point(3, 4))));
        values.addAll(collections(List.of(new Animal("a"))));
        values.addAll(collections(List.of(new Animal("a"), new Dog("rex", 4))));
        values.addAll(collections(List.of(new Circle(3), new Square(1, List.of()))));
        values.addAll(collections(List.of(new Car(1))));
        values.addAll(collections(List.of(new Half("a", null), new Half("b", null))));
        values.addAll(collections(List.of(new Half("a", "lost"))));
        values.addAll(collections(List.of(Instant.EPOCH)));
        values.addAll(collections(List.of(List.of(new Point(1, 2)), List.of())));
        values.addAll(collections(List.of(Optional.of("x"), Optional.empty())));
        values.addAll(collections(Arrays.asList("a", null)));
        values.addAll(collections(List.of()));
        values.addAll(collections(EnumSet.allOf(Color.class)));
        values.addAll(maps(
                IntStream.range(0, 20).mapToObj(i -> "k" + random.nextInt(1000)).toList()));
        values.addAll(maps(List.of(3, 1, 2)));
        values.addAll(maps(List.of(1.5, 2.5)));
        values.addAll(maps(List.of(new UUID(1, 2))));
        values.addAll(maps(List.of(Color.RED, Color.GREEN)));
        values.addAll(maps(List.of(Coded.ONE)));
        values.addAll(maps(List.of(LocalDate.EPOCH)));
        values.addAll(maps(List.of(ZonedDateTime.parse("2026-01-02T03:04:05+01:00[Europe/Berlin]"))));
        values.addAll(maps(List.of(new Date(5))));
        Map<String, String> twice = new IdentityHashMap<>();
        twice.put(new String("a"), "1");
        twice.put(new String("a"), "2");
        values.add(twice);
        values.add(new AbstractEntry());
        values.add(Map.entry("a", new Point(1, 2)));
        return values;
    }

    private static List<Object> collections(Collection<?> elements) {
        List<Object> all = new ArrayList<>(List.of(
                new ArrayList<>(elements),
                Collections.unmodifiableList(new ArrayList<>(elements)),
                new LinkedList<>(elements),
                new LinkedHashSet<>(elements),
                new HashSet<>(elements)));
        if (elements.stream().noneMatch(Objects::isNull)) {
            all.add(List.copyOf(elements));
            all.add(Set.copyOf(elements));
            all.add(new ArrayDeque<>(elements));
        }
        Set<Object> identities = Collections.newSetFromMap(new IdentityHashMap<>());
        elements.forEach(each -> identities.add(each instanceof String text ? new String(text) : each));
        elements.forEach(each -> identities.add(each instanceof String text ? new String(text) : each));
        all.add(identities);
        if (elements.stream().allMatch(String.class::isInstance)
                || elements.stream().allMatch(Integer.class::isInstance)) {
            all.add(new TreeSet<>(elements));
            all.add(new PriorityQueue<>(elements));
            TreeSet<Object> reversed = new TreeSet<>(reversed());
            reversed.addAll(elements);
            all.add(reversed);
            PriorityQueue<Object> queue = new PriorityQueue<>(reversed());
            queue.addAll(elements);
            all.add(queue);
        }
        if (elements.stream().allMatch(Color.class::isInstance) && !elements.isEmpty()) {
            all.add(EnumSet.copyOf(elements.stream().map(Color.class::cast).toList()));
        }
        return all;
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static List<Object> maps(List<?> keys) {
        List<Object> all = new ArrayList<>();
        List<@Nullable Object> values = Arrays.asList(
                "x",
                5,
                5L,
                1.5f,
                new BigDecimal("1.50"),
                Instant.EPOCH,
                new UUID(1, 2),
                new Point(1, 2),
                new Animal("a"),
                new Dog("rex", 4),
                new Circle(3),
                List.of(new Circle(3)),
                List.of(1, "a"),
                List.of(5L),
                Set.of("a"),
                Map.of("a", 1),
                Map.of(1, "a"),
                null);
        for (Object value : values) {
            Map<Object, @Nullable Object> linked = new LinkedHashMap<>();
            keys.forEach(key -> linked.put(key, value));
            all.add(linked);
            all.add(new HashMap<>(linked));
            if (keys.get(0) instanceof Comparable && !(keys.get(0) instanceof Enum)) {
                all.add(new TreeMap<>(linked));
                Map<Object, @Nullable Object> reversed = new TreeMap<>(reversed());
                reversed.putAll(linked);
                all.add(reversed);
            }
            if (keys.get(0) instanceof Color) {
                all.add(new EnumMap<>((Map) linked));
            }
        }
        return all;
    }

    @SuppressWarnings("unchecked")
    private static Comparator<Object> reversed() {
        return (one, other) -> ((Comparable<Object>) other).compareTo(one);
    }

    private static Timestamp nanos(int nanos) {
        Timestamp time = new Timestamp(5_000);
        time.setNanos(nanos);
        return time;
    }

    private static Caching hashed(Caching value) {
        assertThat(value.hashCode()).isNotZero();
        return value;
    }

    static Stream<ParameterType> parameters() {
        Method method = Arrays.stream(ArrivalCheckTests.class.getDeclaredMethods())
                .filter(each -> each.getName().equals("job"))
                .findFirst()
                .orElseThrow();
        return Arrays.stream(method.getParameters())
                .map(each -> new ParameterType(each.getName(), each.getParameterizedType()));
    }

    @ParameterizedTest
    @MethodSource("parameters")
    void eachValueArrivesOrIsRefused(ParameterType parameter) throws ArgumentException {
        codec.check(parameter);
        int arrived = 0;
        for (Object value : values()) {
            if (!fits(parameter.type(), value)) {
                continue;
            }
            byte[] json;
            try {
                json = codec.encode(Collections.singletonList(value), List.of(parameter));
            } catch (JsonException e) {
                assertThat(e.getMessage())
                        .contains("Argument 1")
                        .contains("can't be stored")
                        .hasSizeLessThan(700);
                continue;
            }
            arrived++;
            String as = parameter + " " + (value == null ? null : value.getClass()) + " " + new String(json, UTF_8);
            Object back = new ArgumentCodec().decode(json, List.of(parameter))[0];
            assertThat(same(value, back)).as("%s read as %s", as, back).isTrue();
        }
        assertThat(arrived).as("values of " + parameter.name() + " that arrive").isPositive();
    }

    @Test
    void whatPeopleMostlyPassArrives() throws ArgumentException, JsonException {
        assertArrives("customer", new Customer("Ann", "a@example.com", "+49"));
        assertArrives("lombok", new Lombok("a@example.com", true, "u"));
        assertArrives("kotlinLike", new KotlinLike(true, "a"));
        assertArrives("shapes", List.of(new Circle(1), new Square(2, List.of(new Circle(3)))));
        assertArrives("byColor", new EnumMap<>(Map.of(Color.GREEN, List.of(new Circle(1)))));
        assertArrives("shapeBox", new Box<>(new Circle(1)));
        assertArrives("vehicles", Set.of(new Car(1)).stream().toList());
        assertArrives(
                "open",
                Map.of("id", 5, "at", System.currentTimeMillis(), "tags", List.of("a"), "in", Map.of("a", 1.5)));
        assertArrives("collection", Set.of("a", "b"));
        assertArrives("set", new TreeSet<>(Set.of("a", "b")));
        assertArrives("pointSet", Set.of(new Point(1, 2), new Point(3, 4)));
        assertArrives("halfHashSet", new HashSet<>(List.of(new Half("a", null), new Half("b", null))));
        assertArrives("stringList", Collections.unmodifiableList(Arrays.asList("a", null)));
        assertArrives("stringMap", new TreeMap<>(Map.of("b", "a")));
        assertArrives("tree", NODES.objectNode().put("id", 5L));
        assertArrives("decimal", new BigDecimal("1E+3"));
        assertArrives("timestamp", new Timestamp(5));
        assertArrives("caching", hashed(new Caching("a")));
        assertArrives("passing", new Passing("a", 5));
        assertArrives("family", Family.of(2));
        assertArrives("nonEmpty", new NonEmpty(List.of("a"), "b"));
        assertArrives("custom", new Custom(1));
        assertArrives("optionals", Optional.of(Optional.of("x")));
    }

    @Test
    void collectionsOfAPersistenceProviderArrive() throws JsonException {
        assertThat(stored("stringList", new Bag<>(List.of("a", "b")))).isEqualTo("[[\"a\",\"b\"]]");
        assertThat(stored("collection", new Bag<>(List.of("a")))).isEqualTo("[[\"a\"]]");
    }

    @Test
    void whatOnlyItsInterfaceDeclaresMayArriveAsAnotherClass() throws JsonException {
        assertThat(stored("deque", new ArrayDeque<>(List.of("a", "b")))).isEqualTo("[[\"a\",\"b\"]]");
        assertThat(stored("queue", new ArrayDeque<>(List.of("a", "b")))).isEqualTo("[[\"a\",\"b\"]]");
        assertRefused("queue", new PriorityQueue<>(List.of("a", "b"))).contains("PriorityQueue would arrive as");
    }

    @Test
    void whatADatabaseReturnsForADateArrivesUnlessItIsMoreExact() throws JsonException {
        assertThat(stored("oldDate", new Timestamp(5))).isEqualTo(stored("oldDate", new Date(5)));
        assertThat(stored("oldDate", new java.sql.Date(5))).isEqualTo(stored("oldDate", new Date(5)));
        assertRefused("oldDate", nanos(5)).contains("java.sql.Timestamp would arrive as Date");
    }

    private String stored(String parameter, Object value) throws JsonException {
        return new String(codec.encode(List.of(value), List.of(parameter(parameter))), UTF_8);
    }

    /** Is equal to itself alone, as Hibernate's bags. */
    private static final class Bag<E> extends AbstractList<E> {

        private final List<E> elements;

        Bag(List<E> elements) {
            this.elements = elements;
        }

        @Override
        public E get(int index) {
            return elements.get(index);
        }

        @Override
        public int size() {
            return elements.size();
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    @Test
    @SuppressWarnings("unchecked")
    void setsAreReadInTheOrderInWhichTheyWerePassed() throws ArgumentException, JsonException {
        Set<String> set = new LinkedHashSet<>(List.of("z", "a", "y"));
        ParameterType parameter = parameter("set");

        assertThat((Set<Object>) codec.decode(codec.encode(List.of(set), List.of(parameter)), List.of(parameter))[0])
                .containsExactly("z", "a", "y");
    }

    @Test
    void saysWhatWouldBecomeOfItAndTheWayOut() {
        assertRefused("animal", new Dog("rex", 4))
                .isEqualTo("Argument 1 (animal: " + type("Animal") + ") can't be stored: " + type("Dog")
                        + " would arrive as " + type("Animal")
                        + ": declare that type, or let JSON name it: with @JsonTypeInfo(use = JsonTypeInfo.Id.NAME) on "
                        + type("Animal") + " and, unless it is sealed, @JsonSubTypes.");
        assertRefused("animals", List.of(new Animal("a"), new Dog("rex", 4))).contains(") can't be stored at [1]: ");
        assertRefused("half", new Half("a", "b"))
                .endsWith(
                        " can't be stored at hidden: String would arrive as null: it is not in the JSON, or nothing reads it"
                                + " from there. Give it a getter and a setter, make it a component of a record, or declare it"
                                + " transient if it need not arrive.");
        assertRefused("open", Map.of("at", Instant.EPOCH))
                .isEqualTo(
                        "Argument 1 (open: Map<String, Object>) can't be stored at [key]: Instant would arrive as String:"
                                + " Object leaves the type open. Declare it, in a record or as in Map<String, Instant>; or pass"
                                + " text, an Integer, a Double, a Boolean, or lists and maps of these.");
        assertRefused("open", Map.of("id", 5L)).contains("Long would arrive as Integer");
        assertRefused("open", Map.of("price", new BigDecimal("5.50"))).contains("BigDecimal would arrive as String");
        assertRefused("anyNumber", new BigDecimal("5.50"))
                .isEqualTo(
                        "Argument 1 (anyNumber: Number) can't be stored, since the job could not read it: text can't be"
                                + " read as Number. Pass a value that it reads, or declare another type.");
        assertRefused("locale", Locale.ROOT).contains("since the job could not read it");
        assertRefused("readOnly", new ReadOnly("x")).contains(" at name: String would arrive as null");
        assertRefused("timestamp", nanos(5)).contains("java.sql.Timestamp would arrive with another value");
        assertRefused("calendar", new GregorianCalendar(TimeZone.getTimeZone("Europe/Berlin")))
                .contains("GregorianCalendar would arrive with another value");
        assertRefused("pattern", Pattern.compile("a", Pattern.DOTALL))
                .contains("Pattern would arrive with another value");
        assertRefused("sortedMap", new TreeMap<>(reversed())).contains("without its comparator");
        assertRefused("number", null)
                .endsWith(
                        "null would arrive as the zero of its type; pass a value, or declare a type that can be null.");
        assertRefused("optional", null).endsWith("null would arrive as an empty Optional; pass that instead.");
        assertRefused("names", new Names("title", "a")).contains(" at title: ");
    }

    @Test
    void byNamePlainValuesStandForTheirJson() throws JsonException {
        Map<String, Object> byParameter = new LinkedHashMap<>();
        byParameter.put("instant", "2026-01-02T03:04:05Z");
        byParameter.put("decimal", 1.5);
        byParameter.put("boxed", 5);
        byParameter.put("point", Map.of("x", 1, "y", 2, "unknown", 3));
        byParameter.put("pointSet", List.of(Map.of("x", 1)));
        byParameter.put("numbers", List.of(1, 2));
        byParameter.put("set", new String[] {"a"});
        byParameter.put("anyNumber", 5L);
        byParameter.put("text", Instant.EPOCH);
        byParameter.put("customer", new Lookalike("Ann"));
        byParameter.put("open", Map.of("a", 1, "b", List.of("c")));
        byParameter.put("instant", new RawJson("\"2026-01-02T03:04:05Z\"".getBytes(UTF_8)));
        byParameter.put("number", null);
        for (Map.Entry<String, Object> each : byParameter.entrySet()) {
            assertThat(codec.encodeByName(
                            Collections.singletonList(each.getValue()), List.of(parameter(each.getKey()))))
                    .as(each.getKey())
                    .isNotEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"instant, five", "number, five", "point, five", "uuid, five"})
    void byNameTheyMustBeReadable(String parameter, String value) {
        assertThatThrownBy(() -> codec.encodeByName(List.of(value), List.of(parameter(parameter))))
                .isInstanceOf(JsonException.class)
                .hasMessageContaining("since the job could not read it");
    }

    @Test
    void byNameOtherValuesMustArriveAsTheyAre() {
        for (Map.Entry<String, Object> each : Map.<String, Object>of(
                        "animal", new Dog("rex", 4),
                        "half", new Half("a", "b"),
                        "open", Map.of("at", Instant.EPOCH),
                        "objects", List.of(5L),
                        "timestamp", nanos(5))
                .entrySet()) {
            assertThatThrownBy(() -> codec.encodeByName(List.of(each.getValue()), List.of(parameter(each.getKey()))))
                    .isInstanceOf(JsonException.class)
                    .hasMessageContaining("would arrive");
        }
    }

    @Test
    void aResultMustArriveAsItsMethodDeclaresIt() throws JsonException {
        assertThat(new String(
                        codec.encodeResult(
                                List.of(new Circle(1)), parameter("shapes").type()),
                        UTF_8))
                .isEqualTo("[{\"@type\":\"ArrivalCheckTests$Circle\",\"radius\":1}]");
        assertThat(new String(codec.encodeResult(new Dog("rex", 4), Box.class.getTypeParameters()[0]), UTF_8))
                .as("the reader names the type")
                .contains("\"name\":\"rex\"", "\"legs\":4");
        assertThatThrownBy(() -> codec.encodeResult(new Dog("rex", 4), Animal.class))
                .isInstanceOf(JsonException.class)
                .hasMessageContaining("would arrive as");
    }

    record Lookalike(
            String name, @Nullable String eMail, @Nullable String iPhone) {
        Lookalike(String name) {
            this(name, null, null);
        }
    }

    private void assertArrives(String parameter, Object value) throws ArgumentException, JsonException {
        byte[] json = codec.encode(List.of(value), List.of(parameter(parameter)));
        Object back = codec.decode(json, List.of(parameter(parameter)))[0];
        assertThat(same(value, back))
                .as("%s: %s read as %s", parameter, new String(json, UTF_8), back)
                .isTrue();
    }

    private org.assertj.core.api.AbstractStringAssert<?> assertRefused(String parameter, @Nullable Object value) {
        return assertThatThrownBy(() -> codec.encode(Collections.singletonList(value), List.of(parameter(parameter))))
                .isInstanceOf(JsonException.class)
                .message();
    }

    private static ParameterType parameter(String name) {
        return parameters().filter(each -> each.name().equals(name)).findFirst().orElseThrow();
    }

    private static String type(String name) {
        return ArrivalCheckTests.class.getName() + "$" + name;
    }

    /** What the compiler lets pass, at the top; elements of another type are what a cast lets pass. */
    private static boolean fits(Type declared, @Nullable Object value) {
        Class<?> raw = (Class<?>)
                (declared instanceof java.lang.reflect.ParameterizedType generic
                        ? generic.getRawType()
                        : declared instanceof java.lang.reflect.GenericArrayType ? Object[].class : declared);
        if (declared instanceof java.lang.reflect.GenericArrayType) {
            return value == null || value.getClass() == List[].class;
        }
        if (raw.isPrimitive()) {
            return value == null
                    || List.of(int.class, byte.class, short.class, char.class, boolean.class, double.class, float.class)
                                    .contains(raw)
                            && java.lang.reflect.Array.get(java.lang.reflect.Array.newInstance(raw, 1), 0)
                                            .getClass()
                                    == value.getClass();
        }
        return value == null || raw.isInstance(value);
    }

    /** Independent of what the codec does. */
    private static boolean same(@Nullable Object sent, @Nullable Object back) {
        if (sent == null || back == null) {
            return sent == back;
        }
        if (sent instanceof Map<?, ?> one && back instanceof Map<?, ?> other) {
            return one.equals(other)
                    && same(
                            new ArrayList<>(new TreeMap<>(texts(one)).values()),
                            new ArrayList<>(new TreeMap<>(texts(other)).values()))
                    && (!(back instanceof SortedMap)
                            || same(new ArrayList<>(one.keySet()), new ArrayList<>(other.keySet())));
        }
        if (sent instanceof Collection<?> one && back instanceof Collection<?> other) {
            if (one instanceof Names || other instanceof Names) {
                return one.getClass() == other.getClass() && one.equals(other);
            }
            boolean sets = one instanceof Set && other instanceof Set && !(back instanceof SortedSet);
            return one.size() == other.size()
                    && (sets || pairwise(one.iterator(), other.iterator()))
                    && other.stream().allMatch(each -> one.stream().anyMatch(sameOne -> same(sameOne, each)))
                    && one.stream().allMatch(each -> other.stream().anyMatch(sameOne -> same(each, sameOne)));
        }
        if (sent instanceof CharSequence && back instanceof CharSequence) {
            return sent.toString().equals(back.toString());
        }
        if (sent instanceof Map.Entry || sent instanceof ByteBuffer) {
            return sent.equals(back);
        }
        if (sent instanceof JsonNode && back instanceof JsonNode) {
            return sent.toString().equals(back.toString());
        }
        if (sent instanceof Date one && back.getClass() == Date.class) {
            return one.getTime() == ((Date) back).getTime()
                    && !(one instanceof Timestamp exact && exact.getNanos() % 1_000_000 > 0);
        }
        if (sent.getClass() != back.getClass()) {
            return false;
        }
        if (sent instanceof Object[] one && back instanceof Object[] other) {
            return one.length == other.length
                    && pairwise(
                            Arrays.asList(one).iterator(), Arrays.asList(other).iterator());
        }
        if (sent instanceof Optional<?> one && back instanceof Optional<?> other) {
            return same(one.orElse(null), other.orElse(null));
        }
        if (sent instanceof AtomicReference<?> one && back instanceof AtomicReference<?> other) {
            return same(one.get(), other.get());
        }
        if (sent instanceof Pattern one && back instanceof Pattern other) {
            return one.pattern().equals(other.pattern()) && one.flags() == other.flags();
        }
        if (sent instanceof Half one && back instanceof Half other) {
            return Objects.equals(one.shown, other.shown) && Objects.equals(one.hidden, other.hidden);
        }
        if (sent instanceof AtomicInteger) {
            return sent.toString().equals(back.toString());
        }
        return Arrays.deepEquals(new Object[] {sent}, new Object[] {back});
    }

    private static Map<String, Object> texts(Map<?, ?> map) {
        Map<String, Object> texts = new HashMap<>();
        map.forEach((key, value) -> texts.put(key.getClass() + String.valueOf(key), value == null ? "null" : value));
        return texts;
    }

    private static boolean pairwise(Iterator<?> one, Iterator<?> other) {
        while (one.hasNext()) {
            if (!other.hasNext() || !same(one.next(), other.next())) {
                return false;
            }
        }
        return !other.hasNext();
    }

    record Point(int x, int y) {}

    record Nested(
            @Nullable Point point,
            @Nullable List<Point> points,
            @Nullable Map<String, Set<Long>> sets,
            @Nullable Optional<String> optional,
            int @Nullable [] numbers) {

        @Override
        public boolean equals(Object o) {
            return o instanceof Nested other
                    && Objects.equals(point, other.point)
                    && Objects.equals(points, other.points)
                    && Objects.equals(sets, other.sets)
                    && Objects.equals(optional, other.optional)
                    && Arrays.equals(numbers, other.numbers);
        }

        @Override
        public int hashCode() {
            return 1;
        }
    }

    record Box<T>(T value) {}

    enum Color {
        RED,
        GREEN {
            @Override
            public String toString() {
                return "verde";
            }
        }
    }

    enum Coded {
        ONE,
        TWO;

        @JsonValue
        int code() {
            return ordinal() + 1;
        }
    }

    enum Ambiguous {
        A,
        B;

        @JsonValue
        String code() {
            return "same";
        }
    }

    /** Compares all fields, so that each that is lost is noticed. */
    abstract static class AllFields {

        @Override
        public boolean equals(@Nullable Object o) {
            try {
                for (Class<?> type = getClass(); type != AllFields.class; type = type.getSuperclass()) {
                    for (var field : type.getDeclaredFields()) {
                        field.setAccessible(true);
                        if (o == null || o.getClass() != getClass() || !same(field.get(this), field.get(o))) {
                            return false;
                        }
                    }
                }
                return true;
            } catch (IllegalAccessException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public int hashCode() {
            return 1;
        }
    }

    static final class Customer extends AllFields {
        private @Nullable String name;
        private @Nullable String eMail;
        private @Nullable String iPhone;

        Customer() {}

        Customer(String name, String eMail, String iPhone) {
            this.name = name;
            this.eMail = eMail;
            this.iPhone = iPhone;
        }

        public @Nullable String getName() {
            return name;
        }

        public void setName(String name) {
            this.name = name;
        }

        public @Nullable String geteMail() {
            return eMail;
        }

        public void seteMail(String eMail) {
            this.eMail = eMail;
        }

        public @Nullable String getiPhone() {
            return iPhone;
        }

        public void setiPhone(String iPhone) {
            this.iPhone = iPhone;
        }

        public String getaway() {
            throw new IllegalStateException("is no accessor");
        }
    }

    /** As Lombok names accessors. */
    static final class Lombok extends AllFields {
        private @Nullable String eMail;
        private boolean isOpen;
        private @Nullable String URL;

        Lombok() {}

        Lombok(String eMail, boolean isOpen, String link) {
            this.eMail = eMail;
            this.isOpen = isOpen;
            this.URL = link;
        }

        public @Nullable String getEMail() {
            return eMail;
        }

        public void setEMail(String eMail) {
            this.eMail = eMail;
        }

        public boolean isOpen() {
            return isOpen;
        }

        public void setOpen(boolean isOpen) {
            this.isOpen = isOpen;
        }

        public @Nullable String getURL() {
            return URL;
        }

        public void setURL(String link) {
            this.URL = link;
        }
    }

    /** As Kotlin compiles {@code class KotlinLike(val isActive: Boolean, val aName: String)}. */
    static final class KotlinLike extends AllFields {
        private final boolean isActive;
        private final String aName;

        public KotlinLike(boolean isActive, String aName) {
            this.isActive = isActive;
            this.aName = aName;
        }

        public boolean isActive() {
            return isActive;
        }

        public String getAName() {
            return aName;
        }
    }

    static final class Half {
        public @Nullable String shown;

        @Nullable String hidden;

        Half() {}

        Half(String shown, @Nullable String hidden) {
            this.shown = shown;
            this.hidden = hidden;
        }
    }

    static final class ReadOnly extends AllFields {
        private @Nullable String name;
        public int number;

        ReadOnly() {}

        ReadOnly(String name) {
            this.name = name;
        }

        public @Nullable String getLabel() {
            return name;
        }
    }

    static final class WriteOnly extends AllFields {
        @SuppressWarnings("UnusedVariable") // that is the point
        private @Nullable String name;

        public int number;

        WriteOnly() {}

        WriteOnly(String name) {
            this.name = name;
        }

        public void setName(String name) {
            this.name = name;
        }
    }

    static final class Ignoring extends AllFields {
        public @Nullable String shown;

        @JsonIgnore
        public @Nullable String hidden;

        Ignoring() {}

        Ignoring(String shown, @Nullable String hidden) {
            this.shown = shown;
            this.hidden = hidden;
        }
    }

    record Ignored(String shown, @JsonIgnore @Nullable String hidden) {}

    record Renamed(@JsonProperty("x-name") String name) {}

    static final class Created extends AllFields {
        private final String name;
        private final int number;

        private Created(String name, int number) {
            this.name = name;
            this.number = number;
        }

        @JsonCreator
        static Created of(@JsonProperty("n") String name, @JsonProperty("no") int number) {
            return new Created(name, number);
        }

        @JsonProperty("n")
        String name() {
            return name;
        }

        @JsonProperty("no")
        int number() {
            return number;
        }
    }

    static final class Delegating extends AllFields {
        private final List<String> values;

        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        Delegating(List<String> values) {
            this.values = values;
        }

        @JsonValue
        List<String> values() {
            return values;
        }
    }

    record Rounding(double amount) {
        Rounding {
            amount = Math.floor(amount * 100 + 0.5) / 100 + (amount == 1.239 ? 0 : 0);
        }
    }

    /** Its accessor shows something else. */
    record Masking(String token) {
        @Override
        public String token() {
            return "***";
        }
    }

    /** Creating it again makes another one. */
    record Growing(String text) {
        Growing {
            text = text.isEmpty() ? text : text + "!";
        }
    }

    /** Has getters beside its accessors. */
    record Twisted(String name, boolean isOpen) {
        public String getName() {
            return "other";
        }

        public String getMore() {
            return "more";
        }
    }

    record Tree(String name, List<Tree> children) {}

    record Formatted(
            @JsonFormat(pattern = "yyyy-MM-dd'T'00:00") LocalDateTime time) {}

    record NonEmpty(
            @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> list,
            @JsonInclude(JsonInclude.Include.NON_EMPTY) String text) {}

    record Wrapping(@JsonUnwrapped Point point, String text) {}

    @JsonSerialize(using = CustomSerializer.class)
    @JsonDeserialize(using = CustomDeserializer.class)
    record Custom(int number) {}

    static final class CustomSerializer extends ValueSerializer<Custom> {
        @Override
        public void serialize(Custom value, JsonGenerator out, SerializationContext context) {
            out.writeString("c" + value.number());
        }
    }

    static final class CustomDeserializer extends ValueDeserializer<Custom> {
        @Override
        public Custom deserialize(JsonParser parser, DeserializationContext context) {
            return new Custom(Integer.parseInt(parser.getString().substring(1)));
        }
    }

    record LossyCustom(int kept, int lost) {
        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        static LossyCustom of(int kept) {
            return new LossyCustom(kept, 0);
        }

        @JsonValue
        int json() {
            return kept;
        }
    }

    /** Has a field that says nothing of its value, and an equals that knows. */
    static final class Caching {
        public @Nullable String name;
        private int hash;

        Caching() {}

        Caching(String name) {
            this.name = name;
        }

        @Override
        public boolean equals(@Nullable Object o) {
            return o instanceof Caching other && Objects.equals(name, other.name);
        }

        @Override
        public int hashCode() {
            hash = 1 + Objects.hashCode(name);
            return hash;
        }
    }

    /** Says that a field need not arrive. */
    static final class Passing {
        public @Nullable String name;
        private transient int passing;

        Passing() {}

        Passing(String name, int passing) {
            this.name = name;
            this.passing = passing;
        }

        @Override
        public boolean equals(@Nullable Object o) {
            return o instanceof Passing other && Objects.equals(name, other.name) && passing + other.passing > 0;
        }

        @Override
        public int hashCode() {
            return 1;
        }
    }

    /** As entities are: equal by their ids. */
    static final class ById {
        public long id;
        private @Nullable String name;

        ById() {}

        ById(long id, @Nullable String name) {
            this.id = id;
            this.name = name;
        }

        public @Nullable String getLabel() {
            return name;
        }

        @Override
        public boolean equals(@Nullable Object o) {
            return o instanceof ById other && id == other.id;
        }

        @Override
        public int hashCode() {
            return 1;
        }
    }

    static final class Family {
        public String name = "";

        @JsonManagedReference
        public List<Child> children = new ArrayList<>();

        static Family of(int size) {
            Family family = new Family();
            for (int i = 0; i < size; i++) {
                Child child = new Child();
                child.parent = family;
                child.name = "c" + i;
                family.children.add(child);
            }
            return family;
        }

        @SuppressWarnings("ReferenceEquality") // the parent itself
        @Override
        public boolean equals(@Nullable Object o) {
            return o instanceof Family other
                    && children.size() == other.children.size()
                    && other.children.stream().allMatch(child -> child.parent == other);
        }

        @Override
        public int hashCode() {
            return 1;
        }
    }

    static final class Child {
        public String name = "";

        @JsonBackReference
        public @Nullable Family parent;
    }

    static class Animal extends AllFields {
        public @Nullable String name;

        Animal() {}

        Animal(String name) {
            this.name = name;
        }
    }

    static final class Dog extends Animal {
        public int legs;

        Dog() {}

        Dog(String name, int legs) {
            super(name);
            this.legs = legs;
        }
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    sealed interface Shape permits Circle, Square {}

    record Circle(int radius) implements Shape {}

    record Square(int side, List<Shape> inside) implements Shape {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
    @JsonSubTypes(@JsonSubTypes.Type(value = Car.class, name = "car"))
    interface Vehicle {}

    record Car(int seats) implements Vehicle {}

    /** A list with a title, which JSON has no member for. */
    static final class Names extends ArrayList<String> {

        private static final long serialVersionUID = 1L;

        public @Nullable String title;

        Names() {}

        Names(@Nullable String title, String... names) {
            super(List.of(names));
            this.title = title;
        }

        @Override
        public boolean equals(@Nullable Object o) {
            return super.equals(o) && o instanceof Names other && Objects.equals(title, other.title);
        }

        @Override
        public int hashCode() {
            return 1;
        }
    }

    static final class AbstractCollectionOfTwo extends java.util.AbstractCollection<String> {
        @Override
        public Iterator<String> iterator() {
            return List.of("a", "b").iterator();
        }

        @Override
        public int size() {
            return 2;
        }
    }

    static final class AbstractEntry implements Map.Entry<String, String> {
        @Override
        public String getKey() {
            return "a";
        }

        @Override
        public String getValue() {
            return "b";
        }

        @Override
        public String setValue(String value) {
            throw new UnsupportedOperationException();
        }
    }
}
