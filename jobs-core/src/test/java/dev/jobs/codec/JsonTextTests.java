package dev.jobs.codec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The expected texts were written by Ruby's json 2.21.1. */
@Tag("sidekiq-3")
class JsonTextTests {

    @Test
    void leavesTextRawExceptForQuotesBackslashesAndControlCharacters() throws JsonException {
        StringBuilder all = new StringBuilder();
        for (char c = 0; c < 128; c++) {
            all.append(c);
        }

        assertThat(text(all))
                .isEqualTo(
                        "\"\\u0000\\u0001\\u0002\\u0003\\u0004\\u0005\\u0006\\u0007\\b\\t\\n\\u000b\\f\\r\\u000e\\u000f"
                                + "\\u0010\\u0011\\u0012\\u0013\\u0014\\u0015\\u0016\\u0017\\u0018\\u0019\\u001a\\u001b\\u001c"
                                + "\\u001d\\u001e\\u001f !\\\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\\\]^_`"
                                + "abcdefghijklmnopqrstuvwxyz{|}~\u007f\"");
    }

    @ParameterizedTest
    @CsvSource({
        "\u0080, c280",
        "é, c3a9",
        "\u07ff, dfbf",
        "\u0800, e0a080",
        "漢, e6bca2",
        "'\u2028', e280a8",
        "'\u2029', e280a9",
        "\ud7ff, ed9fbf",
        "\ue000, ee8080",
        "\ufeff, efbbbf",
        "\uffff, efbfbf",
        "\ud800\udc00, f0908080",
        "😀, f09f9880",
        "\udbff\udfff, f48fbfbf"
    })
    void writesCharactersAsUtf8(String character, String hex) throws JsonException {
        assertThat(HexFormat.of().formatHex(JsonText.encode(character))).isEqualTo("22" + hex + "22");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\ud800",
                "\udc00",
                "x\ud800",
                "\ud800x",
                "\udc00\ud800",
                "\ud800\ud800\udc00",
                "ok\udbff",
                "\udc00\udc00"
            })
    void refusesHalfSurrogatePairsInTextAndNames(String text) {
        assertThatThrownBy(() -> JsonText.encode(text))
                .isInstanceOf(JsonException.class)
                .hasMessageContaining("not valid Unicode");
        assertThatThrownBy(() -> JsonText.encode(Map.of(text, 1)))
                .isInstanceOf(JsonException.class)
                .hasMessageContaining("not valid Unicode")
                .hasMessageNotContaining(text);
    }

    @Test
    void growsItsBufferAtEveryKindOfCharacter() throws JsonException {
        for (String piece : List.of("a", "\n", "\u0001", "é", "漢", "😀", "\"")) {
            for (int count = 0; count < 600; count += 7) {
                String text = piece.repeat(count) + "x".repeat(count % 13);
                assertThat(JsonReader.read(JsonText.encode(text), 0)).isEqualTo(text);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "0.0, 0.0",
        "-0.0, -0.0",
        "1.0, 1.0",
        "-1.5, -1.5",
        "0.1, 0.1",
        "100.0, 100.0",
        "10000000.0, 10000000.0",
        "12345678.9, 12345678.9",
        "1.795237951496519E9, 1795237951.496519",
        "0.001, 0.001",
        "1.0E-4, 0.0001",
        "1.234E-4, 0.0001234",
        "1.0E-5, 0.00001",
        "1.5E-9, 0.0000000015",
        "1.0E-10, 1e-10",
        "1.5E-10, 1.5e-10",
        "1.0E14, 100000000000000.0",
        "9.99999999999999E14, 999999999999999.0",
        "9.999999999999999E14, 999999999999999.9",
        "1.0E15, 1e+15",
        "1.5E15, 1.5e+15",
        "1.0000000000000005E15, 1000000000000000.5",
        "1.0E20, 1e+20",
        "-1.0E20, -1e+20",
        "1.2345678901234567E16, 1.2345678901234568e+16",
        "1.7976931348623157E308, 1.7976931348623157e+308",
        "2.2250738585072014E-308, 2.2250738585072014e-308",
        "2.0E-3, 0.002",
        "2.2E-322, 2.2e-322",
        "2.0E23, 2e+23"
    })
    void writesDoublesAsRubyDoes(double value, String expected) throws JsonException {
        assertThat(text(value)).isEqualTo(expected);
    }

    @Test
    void doublesSurviveTheRoundTrip() throws JsonException {
        Random random = new Random(1);
        for (int i = 0; i < 100_000; i++) {
            double value = i % 2 == 0 ? Double.longBitsToDouble(random.nextLong()) : random.nextInt() / 1000.0;
            if (!Double.isNaN(value) && !Double.isInfinite(value)) {
                assertThat(Double.parseDouble(text(value))).isEqualTo(value);
                assertThat(JsonReader.read(JsonText.encode(value), 0)).isEqualTo(value);
            }
        }
    }

    @Test
    void writesFloatsByTheirOwnDigits() throws JsonException {
        assertThat(text(0.1f)).isEqualTo("0.1");
        assertThat(text(16777216f)).isEqualTo("16777216.0");
        assertThat(text(3.4028235e38f)).isEqualTo("3.4028235e+38");
        assertThat(text(-0.0f)).isEqualTo("-0.0");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0",
                "7",
                "-1",
                "10",
                "99",
                "100",
                "1000000000",
                "9223372036854775807",
                "-9223372036854775808",
                "9223372036854775808",
                "-9223372036854775809",
                "12345678901234567890123456789"
            })
    void writesIntegersOfEverySizeExactly(String digits) throws JsonException {
        BigInteger value = new BigInteger(digits);

        assertThat(text(value)).isEqualTo(digits);
        if (value.bitLength() < 64) {
            assertThat(text(value.longValueExact())).isEqualTo(digits);
        }
    }

    @Test
    @Tag("sidekiq-0.10")
    void distinguishesIntegersFromFloatingPoint() throws JsonException {
        assertThat(text(List.of(1, 1L, (short) 1, (byte) 1, 1.0, 1.0f))).isEqualTo("[1,1,1,1,1.0,1.0]");
    }

    @Test
    void writesDecimalsAsText() throws JsonException {
        assertThat(text(new BigDecimal("19.90"))).isEqualTo("\"19.90\"");
        assertThat(text(new BigDecimal("1E+3"))).isEqualTo("\"1E+3\"");
        assertThat(text(new BigDecimal("1E-10"))).isEqualTo("\"0.0000000001\"");
    }

    @Test
    void encodesTheSameOnlyIfItIsReadAsTheSame() throws JsonException {
        Map<String, Object> same = new LinkedHashMap<>();
        same.put("a", Arrays.asList(1, 2L, 1.5, 0.5f, BigInteger.TWO.pow(70), "text", true, null));
        same.put("b", Map.of("c", List.of()));

        assertThat(JsonText.encodeSame(same)).isEqualTo(JsonText.encode(same));
        for (Object other : List.of(
                new BigDecimal("1.5"),
                Set.of(1),
                new Object[] {1},
                'c',
                new StringBuilder("s"),
                Optional.of(1),
                Map.of("a", List.of(1, Set.of())))) {
            assertThatThrownBy(() -> JsonText.encodeSame(other))
                    .isInstanceOf(JsonException.class)
                    .hasMessageContaining("which would be read as ");
        }
    }

    @Test
    void refusesNumbersThatNoReaderAccepts() throws JsonException {
        BigInteger thousandDigits = BigInteger.TEN.pow(1000).subtract(BigInteger.ONE);

        assertThat(text(thousandDigits)).hasSize(1000);
        assertThat(text(thousandDigits.negate())).hasSize(1001);
        assertThatThrownBy(() -> JsonText.encode(BigInteger.TEN.pow(1000)))
                .hasMessageContaining("more than 1000 digits");
        assertThatThrownBy(() -> JsonText.encode(BigInteger.ONE.shiftLeft(3_400)))
                .hasMessageContaining("more than 1000 digits");
        assertTimeoutPreemptively(Duration.ofSeconds(5), () -> {
            assertThatThrownBy(() -> JsonText.encode(BigInteger.ONE.shiftLeft(100_000_000)))
                    .hasMessageContaining("more than 1000 digits");
            assertThatThrownBy(() -> JsonText.encode(new BigDecimal("1E+99999999")))
                    .hasMessageContaining("more than 1000 digits");
            assertThatThrownBy(() -> JsonText.encode(new BigDecimal(BigInteger.ONE, Integer.MIN_VALUE)))
                    .hasMessageContaining("more than 1000 digits");
        });
        for (Object value : List.of(Double.NaN, Double.NEGATIVE_INFINITY, Float.NaN, Float.POSITIVE_INFINITY)) {
            assertThatThrownBy(() -> JsonText.encode(value))
                    .isInstanceOf(JsonException.class)
                    .hasMessage(
                            "The value can't be stored: NaN and Infinity have no JSON form; pass null or text instead.");
        }
    }

    @Test
    void keepsTheOrderOfMaps() throws JsonException {
        Map<String, Object> map = new LinkedHashMap<>();
        for (String name : List.of("z", "a", "é", "B")) {
            map.put(name, null);
        }

        assertThat(text(map)).isEqualTo("{\"z\":null,\"a\":null,\"é\":null,\"B\":null}");
    }

    @Test
    void refusesKeysThatAreNotText() {
        assertThatThrownBy(() -> JsonText.encode(Map.of(1, 2))).hasMessageContaining("a map needs text as keys");
        assertThatThrownBy(() -> JsonText.encode(Collections.singletonMap(null, 2)))
                .hasMessageContaining("a map needs text as keys");
    }

    @Test
    void stopsAtAHundredLevelsAndAtCycles() throws JsonException {
        Object nested = Map.of();
        for (int i = 1; i < 100; i++) {
            nested = i % 2 == 0 ? Map.of("a", nested) : List.of(nested);
        }
        Object legal = nested;
        List<Object> cycle = new ArrayList<>();
        cycle.add(cycle);

        assertThat(text(legal)).hasSizeGreaterThan(200);
        assertThatThrownBy(() -> JsonText.encode(List.of(legal))).hasMessageContaining("nested deeper than 100 levels");
        assertThatThrownBy(() -> JsonText.encode(cycle))
                .isInstanceOf(JsonException.class)
                .hasMessageContaining("contains itself")
                .message()
                .hasSizeLessThan(500);
    }

    @Test
    void messagesStayOnOneLineAndShort() {
        assertThatThrownBy(() -> JsonText.encode(Map.of("a\nb" + "c".repeat(10_000), Double.NaN)))
                .message()
                .hasLineCount(1)
                .hasSizeLessThan(300);
    }

    @Test
    void writesEachDigitOfIntegersOfAnyLength() throws JsonException {
        for (long power = 1; power > 0 && power <= Long.MAX_VALUE / 10; power *= 10) {
            for (long number : new long[] {power - 1, power, power + 1, 7 * power, -power, 1 - power}) {
                assertThat(text(number)).isEqualTo(Long.toString(number));
            }
        }
        for (long number :
                new long[] {Long.MIN_VALUE, -Long.MAX_VALUE, Long.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE + 1L
                }) {
            assertThat(text(number)).isEqualTo(Long.toString(number));
        }
    }

    @Test
    void replacesHalfSurrogatePairsOnRequest() {
        String fine = "é😀";

        assertThat(JsonText.wellFormed(fine)).isSameAs(fine);
        assertThat(JsonText.wellFormed("a\ud800b\udc00😀\udbff")).isEqualTo("a\ufffdb\ufffd😀\ufffd");
    }

    private static String text(Object value) throws JsonException {
        return new String(JsonText.encode(value), UTF_8);
    }
}
