package dev.jobs.codec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Currency;
import java.util.Date;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.AbstractThrowableAssert;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.TokenStreamFactory;

class ArgumentDecodingTests {

    private final ArgumentCodec codec = new ArgumentCodec();

    @Test
    void bindsByPosition() throws ArgumentException {
        Object[] values = decode(
                "[\"a\", 1, 2, 3.5, true, 4]",
                String.class,
                int.class,
                Long.class,
                double.class,
                boolean.class,
                byte.class);

        assertThat(values).containsExactly("a", 1, 2L, 3.5, true, (byte) 4);
    }

    @SuppressWarnings("unused")
    void generics(
            List<Instant> instants,
            Map<String, List<Order>> orders,
            Optional<LocalDate> date,
            Set<Color> colors,
            Map<Integer, Optional<Long>> numbers,
            List<Order>[] arrays,
            SortedMap<LocalDate, BigDecimal> prices,
            EnumSet<Color> enums) {}

    @Test
    void bindsGenericTypes() throws ArgumentException {
        Object[] values = decode("""
                [["2026-01-02T03:04:05Z"], {"x":[{"id":1,"price":"19.90"}]}, "2026-01-02", ["RED"], {"7":8,"9":null},
                 [[{"id":2}]], {"2026-01-02":1.10}, ["GREEN"]]""", generic("generics"));

        assertThat(values)
                .containsExactly(
                        List.of(Instant.parse("2026-01-02T03:04:05Z")),
                        Map.of("x", List.of(new Order(1, new BigDecimal("19.90"), null))),
                        Optional.of(LocalDate.parse("2026-01-02")),
                        Set.of(Color.RED),
                        Map.of(7, Optional.of(8L), 9, Optional.empty()),
                        new Object[] {List.of(new Order(2, null, null))},
                        Map.of(LocalDate.parse("2026-01-02"), new BigDecimal("1.10")),
                        EnumSet.of(Color.GREEN));
    }

    @Test
    void everythingItWritesComesBackEqual() throws ArgumentException, JsonException {
        Object[] values = {
            "é\u0000😀",
            "",
            1,
            -2L,
            (short) 3,
            (byte) 4,
            'c',
            1.5,
            2.5f,
            true,
            new BigInteger("123456789012345678901234567890"),
            new BigDecimal("0.10"),
            new BigDecimal("-1000.000"),
            new BigDecimal("-1E+3"),
            Instant.parse("2026-01-02T03:04:05.123456789Z"),
            Instant.MIN,
            Instant.MAX,
            LocalDate.of(2026, 1, 2),
            LocalDateTime.of(2026, 1, 2, 3, 4, 5, 6),
            LocalTime.of(1, 2),
            OffsetDateTime.parse("2026-01-02T03:04:05+02:00"),
            OffsetTime.parse("03:04:05+02:00"),
            ZonedDateTime.parse("2026-10-25T02:30:00+01:00[Europe/Berlin]"),
            ZonedDateTime.parse("2026-01-02T03:04:05Z[UTC]"),
            ZonedDateTime.parse("2026-01-02T03:04:05Z"),
            Duration.ofNanos(1),
            Duration.ofDays(-4),
            Period.ofMonths(3),
            Year.of(2026),
            YearMonth.of(2026, 2),
            ZoneId.of("Europe/Berlin"),
            DayOfWeek.MONDAY,
            new Date(1234567890123L),
            UUID.randomUUID(),
            URI.create("a:b"),
            Locale.GERMANY,
            Currency.getInstance("EUR"),
            Color.GREEN,
            Optional.of("x"),
            Optional.empty(),
            OptionalInt.of(3),
            OptionalInt.empty(),
            OptionalLong.of(4),
            OptionalDouble.of(0.5),
            new byte[] {1, -1},
            new byte[0],
            "ab".toCharArray(),
            new int[] {1, 2},
            new double[] {1e7, 1e-7, 1e300},
            new String[] {"a", null},
            new Order(7, new BigDecimal("1.00"), List.of("a")),
            new Bean(),
            String.class.getSimpleName()
        };
        for (Object value : values) {
            Class<?> type =
                    value instanceof ZoneId ? ZoneId.class : value instanceof Color ? Color.class : value.getClass();
            byte[] args = codec.encode(List.of(value));
            Object back = codec.decode(args, List.of(new ParameterType("p", type)))[0];
            // OptionalXxx, Optional and null-like values included
            assertThat(back)
                    .as("%s %s", type, new String(args, UTF_8))
                    .isEqualTo(value)
                    .hasSameClassAs(value);
            codec.check(new ParameterType("p", type));
        }
    }

    @Test
    void atomicsComeBackWithTheirValues() throws ArgumentException, JsonException {
        byte[] args = codec.encode(List.of(new AtomicInteger(5), new AtomicLong(6)));
        Object[] values = codec.decode(args, parameters(AtomicInteger.class, AtomicLong.class));

        assertThat(((AtomicInteger) values[0]).get()).isEqualTo(5);
        assertThat(((AtomicLong) values[1]).get()).isEqualTo(6);
    }

    @Test
    void nullArgumentsBecomeNothingOrZero() throws ArgumentException {
        Type[] types = {
            String.class,
            int.class,
            long.class,
            short.class,
            byte.class,
            char.class,
            boolean.class,
            float.class,
            double.class,
            Integer.class,
            Optional.class,
            OptionalInt.class,
            OptionalLong.class,
            OptionalDouble.class,
            List.class,
            generic("generics")[2]
        };
        Object[] expected = {
            null,
            0,
            0L,
            (short) 0,
            (byte) 0,
            '\0',
            false,
            0f,
            0d,
            null,
            Optional.empty(),
            OptionalInt.empty(),
            OptionalLong.empty(),
            OptionalDouble.empty(),
            null,
            Optional.empty()
        };

        assertThat(decode("[" + "null,".repeat(types.length - 1) + "null]", types))
                .containsExactly(expected);
        assertThat(decode("[]")).isEmpty();
    }

    @Test
    void aMissingArgumentIsAnErrorThatSaysHowToDeclareIt() {
        assertThatThrownBy(() -> decode("[\"a\"]", String.class, int.class))
                .isInstanceOf(ArgumentException.class)
                .hasMessage(
                        "Argument 2 (p2: int) is missing: the job has 1 argument. If the parameter was added, declare"
                                + " its value for jobs of former versions: with @JobParam(defaultValue = \"…\"), as an"
                                + " Optional, or as @Nullable.");
        assertThatThrownBy(() -> decode("[]", String.class)).hasMessageContaining("(p1: String) is missing");
        assertThatThrownBy(() -> decode("[]", List.class)).hasMessageContaining("(p1: List) is missing");
    }

    @Test
    void aMissingArgumentBecomesWhatItsParameterDeclares() throws ArgumentException {
        Type[] optionals = {
            Optional.class, OptionalInt.class, OptionalLong.class, OptionalDouble.class, generic("generics")[2]
        };
        assertThat(decode("[]", optionals))
                .containsExactly(
                        Optional.empty(),
                        OptionalInt.empty(),
                        OptionalLong.empty(),
                        OptionalDouble.empty(),
                        Optional.empty());
        List<ParameterType> declared = List.of(
                new ParameterType("to", String.class),
                new ParameterType("count", int.class, "5"),
                new ParameterType("note", String.class, "null"),
                new ParameterType("all", List.class, "[1]"));
        Object[] first = codec.decode("[\"a\"]".getBytes(UTF_8), declared);
        assertThat(first).containsExactly("a", 5, null, List.of(1));
        assertThat(codec.decode("[\"a\"]".getBytes(UTF_8), declared)[3])
                .as("each job has its own")
                .isNotSameAs(first[3]);
        assertThat(codec.decode("[\"a\",null]".getBytes(UTF_8), declared)[1])
                .as("null is not missing")
                .isEqualTo(0);
    }

    @Test
    void declaredArgumentsOfFormerVersionsAreIgnored() throws ArgumentException {
        List<ParameterType> parameters = parameters(String.class);
        assertThat(codec.decode("[\"a\",{\"b\":[1]},2]".getBytes(UTF_8), parameters, 2))
                .containsExactly("a");
        assertThatThrownBy(() -> codec.decode("[\"a\",1,2,[3]]".getBytes(UTF_8), parameters, 2))
                .hasMessage("There are 4 arguments, but the method takes 1 (p1).");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "java.lang.String|5|\"5\"",
                "java.lang.String|a \"quoted\" text|\"a \\\"quoted\\\" text\"",
                "int|5|5",
                "boolean|true|true",
                "double|0.5|0.5",
                "java.math.BigDecimal|19.90|\"19.90\"",
                "java.time.LocalDate|2026-01-02|\"2026-01-02\"",
                "dev.jobs.codec.ArgumentDecodingTests$Color|RED|\"RED\"",
                "java.util.List|[1,2]|[1,2]",
                "java.lang.Object|5|\"5\""
            })
    void aDefaultIsTextForTypesStoredAsTextAndJsonForOthers(String type, String text, String json)
            throws ArgumentException, ClassNotFoundException {
        Type found =
                switch (type) {
                    case "int" -> int.class;
                    case "boolean" -> boolean.class;
                    case "double" -> double.class;
                    default -> Class.forName(type);
                };
        assertThat(codec.readDefault(new ParameterType("p", found), text)).isEqualTo(json);
    }

    @ParameterizedTest
    @ValueSource(strings = {"five", "", "1,2", "1]", "5.5", "[5]"})
    void aDefaultThatDoesNotFitIsRefused(String text) {
        assertThatThrownBy(() -> codec.readDefault(new ParameterType("p", int.class), text))
                .isInstanceOf(ArgumentException.class);
    }

    @Test
    void extraArgumentsAreAnErrorThatCountsThem() {
        assertThatThrownBy(() -> decode("[1,[2,3],{\"a\":[]},4]", int.class, List.class))
                .isInstanceOf(ArgumentException.class)
                .hasMessage("There are 4 arguments, but the method takes 2 (p1, p2).");
        assertThatThrownBy(() -> decode("[null]")).hasMessage("There is 1 argument, but the method takes none.");
    }

    @Test
    void recordsMayGrowWhileJobsWait() throws ArgumentException {
        assertThat(decode("[{\"id\":1,\"gone\":{\"deep\":[1,2]},\"@class\":\"x\"}]", Grown.class))
                .containsExactly(new Grown(1, 0, 0L, false, '\0', 0d, null, null));
        assertThat(decode("[{\"id\":null,\"count\":null,\"flag\":null}]", Grown.class))
                .containsExactly(new Grown(0, 0, 0L, false, '\0', 0d, null, null));
        assertThat(decode("[{}]", Grown.class)).containsExactly(new Grown(0, 0, 0L, false, '\0', 0d, null, null));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1.5|int|a number with a fraction or an exponent can't be read as int",
                "1.0|int|a number with a fraction or an exponent can't be read as int",
                "1.0|long|a number with a fraction or an exponent can't be read as long",
                "1e2|java.lang.Integer|a number with a fraction or an exponent can't be read as Integer",
                "1.0|java.math.BigInteger|a number with a fraction or an exponent can't be read as BigInteger",
                "2147483648|int|the number is out of the range of int",
                "-2147483649|java.lang.Integer|the number is out of the range of int",
                "9223372036854775808|long|the number is out of the range of long",
                "-9223372036854775809|java.lang.Long|the number is out of the range of long",
                "128|byte|the number is out of the range of byte",
                "-129|byte|the number is out of the range of byte",
                "32768|short|the number is out of the range of short",
                "1e400|double|the number is out of the range of double",
                "1e39|float|the number is out of the range of float",
                "-1e400|java.lang.Double|the number is out of the range of Double",
                "1e400|java.util.OptionalDouble|the number is out of the range of OptionalDouble",
                "'\"NaN\"'|java.util.OptionalDouble|text can't be read as OptionalDouble",
                "'[\"NaN\"]'|[D|the value can't be read as double[]",
                "[1e400]|[D|the value can't be read as double[]",
                "[1e39]|[F|the value can't be read as float[]",
                "256|java.lang.Byte|the number is out of the range of Byte",
                "1|boolean|an integer can't be read as boolean",
                "1|java.lang.Boolean|an integer can't be read as Boolean",
                "true|int|a boolean can't be read as int",
                "1|java.lang.String|an integer can't be read as String",
                "1.5|java.lang.String|a number with a fraction or an exponent can't be read as String",
                "true|java.lang.String|a boolean can't be read as String",
                "'\"1\"'|int|text can't be read as int",
                "'\"1\"'|long|text can't be read as long",
                "'\"\"'|int|text can't be read as int",
                "'\" \"'|java.lang.Integer|text can't be read as Integer",
                "'\"1.5\"'|double|text can't be read as double",
                "'\"NaN\"'|double|text can't be read as double",
                "'\"Infinity\"'|float|text can't be read as float",
                "'\"true\"'|boolean|text can't be read as boolean",
                "[1]|int|an array can't be read as int",
                "[]|java.lang.String|an array can't be read as String",
                "'[\"a\"]'|java.lang.String|an array can't be read as String",
                "{}|java.lang.String|an object can't be read as String",
                "{}|int|an object can't be read as int",
                "1|java.time.Instant|an integer can't be read as Instant",
                "1.5|java.time.Instant|a number with a fraction or an exponent can't be read as Instant",
                "1|java.util.Date|an integer can't be read as Date",
                "1|java.time.LocalDate|an integer can't be read as LocalDate",
                "1|java.time.Duration|an integer can't be read as Duration",
                "'\"\"'|java.time.Instant|text can't be read as Instant",
                "'\"soon\"'|java.time.Instant|text can't be read as Instant",
                "'\"2026-02-30\"'|java.time.LocalDate|text can't be read as LocalDate",
                "'\"1795237556\"'|java.time.Instant|text can't be read as Instant",
                "'\"\"'|java.util.UUID|text can't be read as UUID",
                "'\"x\"'|java.util.UUID|text can't be read as UUID",
                "'\"x\"'|java.math.BigDecimal|text can't be read as BigDecimal",
                "'\"1e99999\"'|java.math.BigDecimal|text can't be read as BigDecimal",
                "1e1001|java.math.BigDecimal|a number with a fraction or an exponent can't be read as BigDecimal",
                "1e-1001|java.math.BigDecimal|a number with a fraction or an exponent can't be read as BigDecimal",
                "'\"1e9999999999\"'|java.math.BigDecimal|text can't be read as BigDecimal",
                "'\"2026-01-02T03:04:05Z\"'|java.time.LocalDate|text can't be read as LocalDate",
                "'\"2026-01-02T03:04:05Z\"'|java.time.LocalDateTime|text can't be read as LocalDateTime",
                "'\"2026-02-30T00:00:00Z\"'|java.util.Date|text can't be read as Date",
                "1e99999999|java.math.BigDecimal|a number with a fraction or an exponent can't be read as BigDecimal",
                "'\" 1\"'|java.math.BigInteger|text can't be read as BigInteger",
                "'\"1.0\"'|java.math.BigInteger|text can't be read as BigInteger",
                "'\"٣\"'|java.math.BigInteger|text can't be read as BigInteger",
                "true|java.math.BigInteger|a boolean can't be read as BigInteger",
                "[1]|java.math.BigDecimal|an array can't be read as BigDecimal",
                "'\"x\"'|java.util.List|text can't be read as ArrayList",
                "'\"\"'|java.util.List|text can't be read as ArrayList",
                "{}|java.util.List|an object can't be read as ArrayList",
                "[]|java.util.Map|an array can't be read as LinkedHashMap",
                "'\"ab\"'|char|text can't be read as char",
                "'\"\"'|char|text can't be read as char",
                "65|char|an integer can't be read as char",
                "'\"#\"'|[B|text can't be read as byte[]"
            })
    void neverGuesses(String json, String type, String reason) throws ClassNotFoundException {
        Class<?> target = type.contains(".") || type.startsWith("[") ? Class.forName(type) : primitive(type);

        assertUnfit(json, target).hasMessageEndingWith("does not fit: " + reason + ".");
    }

    @Test
    void integersFitFloatingPointAndTextFitsBigNumbers() throws ArgumentException {
        assertThat(decode("[1,2,3,4]", double.class, Float.class, BigDecimal.class, Object.class))
                .containsExactly(1.0, 2f, new BigDecimal("3"), 4);
        assertThat(decode(
                        "[\"12345678901234567890\",\"-1.50\",\"1E+2\"]",
                        BigInteger.class,
                        BigDecimal.class,
                        BigDecimal.class))
                .containsExactly(
                        new BigInteger("12345678901234567890"), new BigDecimal("-1.50"), new BigDecimal("1E+2"));
    }

    @Test
    void decimalsMayHaveAThousandPlaces() throws ArgumentException {
        assertThat(decode("[1e1000,1e-1000]", BigDecimal.class, BigDecimal.class))
                .containsExactly(new BigDecimal("1e1000"), new BigDecimal("1e-1000"));
    }

    @Test
    void bigNumbersStayExactEvenInUntypedValues() throws ArgumentException {
        assertThat(decode(
                        "[12345678901234567890123456789, 0.1000000000000000055511151231257827, 12345678901234567890]",
                        BigInteger.class,
                        BigDecimal.class,
                        Object.class))
                .containsExactly(
                        new BigInteger("12345678901234567890123456789"),
                        new BigDecimal("0.1000000000000000055511151231257827"),
                        new BigInteger("12345678901234567890"));
        assertThat(decode("[{\"a\":[1,2147483648,1.0,\"x\",null,true,{}]}]", Object.class)[0])
                .isEqualTo(Map.of("a", Arrays.asList(1, 2147483648L, 1.0, "x", null, true, Map.of())));
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                BigDecimal.class,
                BigInteger.class,
                long.class,
                int.class,
                Long.class,
                Integer.class,
                short.class,
                byte.class,
                AtomicLong.class,
                AtomicInteger.class,
                OptionalInt.class,
                OptionalLong.class,
                Instant.class,
                Duration.class,
                LocalDate.class,
                LocalTime.class,
                Date.class,
                Calendar.class,
                Year.class,
                Color.class,
                Number.class,
                Object.class,
                double.class,
                float.class,
                String.class,
                boolean.class,
                UUID.class,
                ZoneId.class,
                Grown.class,
                DayOfWeek.class,
                char.class,
                OptionalDouble.class,
                Period.class
            })
    void absurdNumbersFailFastForEveryType(Class<?> type) {
        assertTimeoutPreemptively(Duration.ofSeconds(5), () -> {
            for (String number : List.of(
                    "1e99999999",
                    "-1e99999999",
                    "1e-99999999",
                    "1E+2147483647",
                    "1e9999999999999",
                    "1".repeat(1000),
                    "\"1e99999999\"",
                    "1".repeat(999) + "e999",
                    "0." + "0".repeat(990) + "1")) {
                try {
                    Object value = decode("[" + number + "]", type)[0];
                    assertThat(String.valueOf(value)).hasSizeLessThan(2_000);
                    if (value instanceof BigDecimal decimal) {
                        assertThat(decimal.toBigInteger().bitLength()).isLessThan(10_000);
                    }
                } catch (ArgumentException e) {
                    assertThat(e).message().hasSizeLessThan(300);
                }
            }
        });
        if (type != Object.class
                && type != Number.class
                && type != double.class
                && type != float.class
                && type != OptionalDouble.class) {
            assertUnfit("1e99999999", type);
        }
    }

    @Test
    void namesThePositionTheParameterTheTypeAndThePath() {
        List<ParameterType> parameters =
                List.of(new ParameterType("to", String.class), new ParameterType("orders", generic("generics")[1]));

        assertThatThrownBy(() ->
                        codec.decode("[\"a\",{\"key\":[{\"id\":1},{\"id\":\"hunter2\"}]}]".getBytes(UTF_8), parameters))
                .isInstanceOf(ArgumentException.class)
                .hasMessage(
                        "Argument 2 (orders: Map<String, List<dev.jobs.codec.ArgumentDecodingTests$Order>>) does not fit"
                                + " at [key][1].id: text can't be read as int.");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[\"hunter2\"]|int",
                "[\"hunter2\"]|java.time.Instant",
                "[\"hunter2\"]|dev.jobs.codec.ArgumentDecodingTests$Color",
                "[\"hunter2\"]|java.util.UUID",
                "[\"hunter2\"]|java.util.Currency",
                "[\"hunter2 x\"]|java.net.URI",
                "[\"hunter2\"]|java.math.BigDecimal",
                "[{\"id\":\"hunter2\"}]|dev.jobs.codec.ArgumentDecodingTests$Order",
                "[{\"values\":{\"hunter2\":1}}]|dev.jobs.codec.ArgumentDecodingTests$ByNumber",
                "[{\"type\":\"hunter2\"}]|dev.jobs.codec.ArgumentDecodingTests$Shape",
                "[\"hunter2\"]|[B",
                "[hunter2]|int",
                "[{\"id\":hunter2}]|dev.jobs.codec.ArgumentDecodingTests$Order"
            })
    void messagesNeverQuoteValues(String json, String type) throws ClassNotFoundException {
        Class<?> target = type.contains(".") || type.startsWith("[") ? Class.forName(type) : primitive(type);

        assertThatThrownBy(() -> decode(json, target))
                .isInstanceOf(ArgumentException.class)
                .hasMessageContaining("rgument")
                .hasMessageNotContaining("hunter2")
                .hasNoCause();
    }

    @Test
    void keepsTheCauseWhenAConstructorRefuses() {
        assertThatThrownBy(() -> decode("[{\"name\":\"x\"}]", Choosy.class))
                .hasMessage("Argument 1 (p1: dev.jobs.codec.ArgumentDecodingTests$Choosy) does not fit: creating "
                        + "dev.jobs.codec.ArgumentDecodingTests$Choosy failed with java.lang.IllegalArgumentException.")
                .hasCauseInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void doublesAndFloatsComeBackBitForBit() throws ArgumentException, JsonException {
        Random random = new Random(3);
        List<ParameterType> parameters = parameters(double.class, Double.class, float.class, double[].class);
        for (int i = 0; i < 20_000; i++) {
            double number = Double.longBitsToDouble(random.nextLong());
            float small = Float.intBitsToFloat(random.nextInt());
            if (Double.isFinite(number) && Float.isFinite(small)) {
                byte[] args = codec.encode(List.of(number, -number, small, new double[] {number}));
                assertThat(codec.decode(args, parameters))
                        .containsExactly(number, -number, small, new double[] {number});
            }
        }
    }

    @Test
    void severalThreadsMayShareIt() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Callable<Void>> tasks = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                Object[] expected = {new Order(i, BigDecimal.valueOf(i), List.of("t" + i)), "text" + i, i};
                tasks.add(() -> {
                    for (int round = 0; round < 200; round++) {
                        byte[] args = codec.encode(List.of(expected));
                        assertThat(codec.decode(args, parameters(Order.class, String.class, int.class)))
                                .containsExactly(expected);
                    }
                    return null;
                });
            }
            for (Future<Void> done : threads.invokeAll(tasks)) {
                done.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void enumsAreNamesOnly() throws ArgumentException {
        assertThat(decode("[\"RED\",[\"GREEN\"]]", Color.class, Color[].class))
                .containsExactly(Color.RED, new Color[] {Color.GREEN});
        assertUnfit("0", Color.class).hasMessageContaining("an integer");
        assertUnfit("\"rojo\"", Color.class).hasMessageContaining("text can't be read as");
        assertUnfit("\"red\"", Color.class);
        assertUnfit("\"\"", Color.class);
    }

    @Test
    void aNumberIsATimeWhereTheTypeSaysSo() throws ArgumentException {
        assertThat(decode("[{\"at\":1795237556}]", Stamped.class))
                .containsExactly(new Stamped(Instant.ofEpochSecond(1795237556)));
    }

    @Test
    void subtypesWorkByDeclaredNamesOnly() throws ArgumentException {
        assertThat(decode("[{\"type\":\"circle\",\"radius\":2}]", Shape.class)).containsExactly(new Circle(2));
        assertUnfit("{\"type\":\"dev.jobs.codec.ArgumentDecodingTests$Circle\",\"radius\":2}", Shape.class);
        assertUnfit("{\"radius\":2}", Shape.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "1",
                "null",
                "\"x\"",
                "",
                "[",
                "[1",
                "[1,]",
                "[1 2]",
                "[NaN]",
                "[1] 2",
                "[1]]",
                "[01]",
                "[\"\\q\"]"
            })
    void refusesAnythingButAnArray(String json) {
        assertThatThrownBy(() -> decode(json, int.class, int.class)).isInstanceOf(ArgumentException.class);
    }

    @Test
    void acceptsCommentsAndSpace() throws ArgumentException {
        assertThat(decode(" [ /* a */ 1 , // b\n {\"a\":/**/2} ] ", int.class, Map.class))
                .containsExactly(1, Map.of("a", 2));
    }

    @Test
    void deepNestingIsAnErrorAndNoStackOverflow() {
        String deep = "[" + "[".repeat(100_000) + "]".repeat(100_000) + "]";
        assertUnfit(deep, Object.class);
        assertUnfit(deep, Order.class);
        assertUnfit("{\"tags\":" + deep + "}", Order.class);
        assertUnfit("{\"unknown\":" + deep + "}", Order.class);
    }

    @Test
    void remembersNoMemberNames() {
        TokenStreamFactory factory = StrictMapper.create(List.of()).tokenStreamFactory();

        assertThat(factory.isEnabled(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES))
                .isFalse();
        assertThat(factory.isEnabled(TokenStreamFactory.Feature.INTERN_PROPERTY_NAMES))
                .isFalse();
    }

    @Test
    void longTextsAreBoundWhole() throws ArgumentException, JsonException {
        String text = "é".repeat(3_000_000);
        byte[] args = codec.encode(List.of(text, List.of(text)));

        Object[] values = codec.decode(args, parameters(String.class, Object.class));

        assertThat(values[0].equals(text)).isTrue();
        assertThat(((List<?>) values[1]).get(0).equals(text)).isTrue();
    }

    @Test
    void valuesOfMutableTypesAreFreshEachTime() throws ArgumentException {
        List<ParameterType> parameters = parameters(Bean.class, HashMap.class);

        Object[] first = codec.decode("[{\"name\":\"a\"},{}]".getBytes(UTF_8), parameters);
        Object[] second = codec.decode("[{\"name\":\"a\"},{}]".getBytes(UTF_8), parameters);

        assertThat(first[0]).isEqualTo(second[0]).isNotSameAs(second[0]);
        assertThat(first[1]).isNotSameAs(second[1]);
    }

    private AbstractThrowableAssert<?, ? extends Throwable> assertUnfit(String json, Class<?> type) {
        return assertThatThrownBy(() -> decode("[" + json + "]", type))
                .as(type.getName())
                .isExactlyInstanceOf(ArgumentException.class)
                .hasMessageStartingWith("Argument 1 (p1: ");
    }

    private @Nullable Object[] decode(String json, Type... types) throws ArgumentException {
        return codec.decode(json.getBytes(UTF_8), parameters(types));
    }

    private static List<ParameterType> parameters(Type... types) {
        Map<String, Type> named = new LinkedHashMap<>();
        for (Type type : types) {
            named.put("p" + (named.size() + 1), type);
        }
        return named.entrySet().stream()
                .map(e -> new ParameterType(e.getKey(), e.getValue()))
                .toList();
    }

    private static Type[] generic(String method) {
        return Arrays.stream(ArgumentDecodingTests.class.getDeclaredMethods())
                .filter(m -> m.getName().equals(method))
                .map(Method::getGenericParameterTypes)
                .findFirst()
                .orElseThrow();
    }

    private static Class<?> primitive(String name) {
        return switch (name) {
            case "int" -> int.class;
            case "long" -> long.class;
            case "short" -> short.class;
            case "byte" -> byte.class;
            case "char" -> char.class;
            case "boolean" -> boolean.class;
            case "float" -> float.class;
            default -> double.class;
        };
    }

    record Order(
            int id, @Nullable BigDecimal price, @Nullable List<String> tags) {}

    record Grown(
            int id,
            int count,
            long total,
            boolean flag,
            char letter,
            double ratio,
            @Nullable Integer boxed,
            @Nullable String name) {}

    record ByNumber(Map<Integer, Integer> values) {}

    record Choosy(String name) {
        Choosy {
            throw new IllegalArgumentException("bad name " + name);
        }
    }

    record Stamped(
            @JsonFormat(shape = JsonFormat.Shape.NUMBER) Instant at) {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
    @JsonSubTypes(@JsonSubTypes.Type(value = Circle.class, name = "circle"))
    sealed interface Shape permits Circle {}

    record Circle(int radius) implements Shape {}

    static final class Bean {
        private String name = "bean";

        public String getName() {
            return name;
        }

        public void setName(String name) {
            this.name = name;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Bean bean && bean.name.equals(name);
        }

        @Override
        public int hashCode() {
            return name.hashCode();
        }
    }

    enum Color {
        RED,
        GREEN;

        @Override
        public String toString() {
            return "rojo";
        }
    }
}
