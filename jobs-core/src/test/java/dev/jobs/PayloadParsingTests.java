package dev.jobs;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.jobs.proof.LongTest;
import java.math.BigInteger;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PayloadParsingTests {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "//",
                "{",
                "}",
                "{\"a\"",
                "{\"a\":",
                "{\"a\":1",
                "{\"a\":1,",
                "{\"a\":1,}",
                "{,}",
                "{\"a\" 1}",
                "{\"a\":1 \"b\":2}",
                "{a:1}",
                "{'a':1}",
                "{1:1}",
                "{\"a\":[1,]}",
                "{\"a\":[,1]}",
                "{\"a\":[1 2]}",
                "{\"a\":[1}",
                "{\"a\":{]}",
                "{}}",
                "{} {}",
                "{} x",
                "{},",
                "not json",
                "nul",
                "tru",
                "[1",
                "[1,]",
                "\"",
                "1 2",
                "[] []",
                "{\"a\":tru}",
                "{\"a\":True}",
                "{\"a\":nulll}",
                "{\"a\":undefined}",
                "{\"a\":}",
                "{\"a\"::1}",
                // numbers
                "{\"a\":01}",
                "{\"a\":-01}",
                "{\"a\":00}",
                "{\"a\":-}",
                "{\"a\":+1}",
                "{\"a\":.5}",
                "{\"a\":1.}",
                "{\"a\":1.e2}",
                "{\"a\":1e}",
                "{\"a\":1e+}",
                "{\"a\":0x10}",
                "{\"a\":1_000}",
                "{\"a\":--1}",
                "{\"a\":1.2.3}",
                "{\"a\":1e2.5}",
                "{\"a\":NaN}",
                "{\"a\":Infinity}",
                "{\"a\":-Infinity}",
                "{\"a\":-NaN}",
                // strings
                "{\"a\":\"}",
                "{\"a\":\"x",
                "{\"a\":\"\\\"}",
                "{\"a\":\"\\x41\"}",
                "{\"a\":\"\\u12\"}",
                "{\"a\":\"\\u12g4\"}",
                "{\"a\":\"\\u١٢٣٤\"}",
                "{\"a\":\"\\",
                "{\"a\":\"\\u",
                "{\"a\":\"\n\"}",
                "{\"a\":\"\t\"}",
                "{\"a\":\"\u0000\"}",
                "{\"a\":\"\u001f\"}",
                "{\"a\":'x'}",
                "{\"a\n\":1}",
                // comments and space
                "{\"a\":1/}",
                "{\"a\":1/*}",
                "{\"a\":1/*/}",
                "{\"a\":1}/",
                "{\"a\":1}/*",
                "/{}",
                "{\"a\":1}#",
                "{\u00a0}",
                "{\f}",
                "\ufeff{}",
                "{\u000b}",
                "\u0000{}",
                "{}\u0000"
            })
    @Tag("sidekiq-3")
    void refusesInvalidJson(String text) {
        assertThatThrownBy(() -> Payload.parse(text.getBytes(UTF_8)))
                .isInstanceOf(InvalidPayloadException.class)
                .hasMessageStartingWith("Not JSON: ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[]|an array",
                "[1,{\"a\":2}]|an array",
                " \"x\" |a string",
                "1|a number",
                "-1.5e3|a number",
                "true|a boolean",
                "false|a boolean",
                "null|null"
            })
    void refusesJsonThatIsNotAnObjectInOtherWords(String text, String kind) {
        assertThatThrownBy(() -> Payload.parse(text.getBytes(UTF_8)))
                .isInstanceOf(InvalidPayloadException.class)
                .hasMessage("JSON, but not an object: the text is " + kind + ".");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "c0 80",
                "c1 bf",
                "c2",
                "c2 20",
                "80",
                "bf",
                "e0 80 80",
                "e0 9f bf",
                "e2 82",
                "e2 82 20",
                "ed a0 80",
                "ed bf bf",
                "f0 80 80 80",
                "f0 8f bf bf",
                "f0 9f 98",
                "f4 90 80 80",
                "f5 80 80 80",
                "fe",
                "ff"
            })
    @Tag("sidekiq-3")
    void refusesInvalidUtf8Everywhere(String hex) {
        String bytes = binary(hex);
        for (String text : new String[] {
            "{\"a\":\"%s\"}", "{\"%s\":1}", "{\"a\":[{\"b\":\"%s\"}]}", "{}/*%s*/", "{}//%s", "{\"a\":\"%s"
        }) {
            byte[] json = text.formatted(bytes).getBytes(ISO_8859_1);
            assertThatThrownBy(() -> Payload.parse(json)).as(text).isInstanceOf(InvalidPayloadException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "7f",
                "c2 80",
                "df bf",
                "e0 a0 80",
                "ed 9f bf",
                "ee 80 80",
                "ef bf bf",
                "f0 90 80 80",
                "f4 8f bf bf"
            })
    void acceptsTheFirstAndLastCharactersOfEveryLength(String hex) {
        byte[] json = "{\"%1$s\":\"%1$s\"}".formatted(binary(hex)).getBytes(ISO_8859_1);

        Payload payload = Payload.parse(json);

        String character = new String(binary(hex).getBytes(ISO_8859_1), UTF_8);
        assertThat(payload.asMap()).isEqualTo(Map.of(character, character));
        assertThat(payload.with(character, character).bytes()).isEqualTo(json);
    }

    @Test
    @Tag("sidekiq-3")
    void acceptsCommentsWhereverSpaceMayBe() {
        Payload payload = payload("""
                // one
                /* two */{/**/"a"/***/:/* " } */[/*1*/1/*2*/,//3
                2/*/*/]/*x*/,"b":{/*y*/"c"/*z*/:/*0*/1e2//
                }//}
                }/* three */// four""");

        assertThat(payload.asMap()).isEqualTo(Map.of("a", java.util.List.of(1L, 2L), "b", Map.of("c", 100.0)));
        assertThat(payload.with("b", 1).raw("a")).isEqualTo(payload.raw("a"));
        assertThat(new String(payload.with("a", 1).without("b").bytes(), UTF_8)).isEqualTo("{\"a\":1}");
    }

    @Test
    @Tag("sidekiq-3")
    void acceptsEscapedHalvesOfSurrogatePairsBecauseTheJobCanStillRun() {
        assertThat(payload("{\"a\":\"x\\ud800\",\"b\":1}").with("b", 2).bytes())
                .asString(UTF_8)
                .isEqualTo("{\"a\":\"x\\ud800\",\"b\":2}");
    }

    @Test
    @Tag("sidekiq-0.9")
    @Tag("sidekiq-3")
    void stopsAtAHundredLevels() {
        assertThat(payload(nested(99)).has("a")).isTrue();
        assertThatThrownBy(() -> payload(nested(100)))
                .isInstanceOf(InvalidPayloadException.class)
                .hasMessage("Not JSON: nesting deeper than 100 levels at byte 104 of 206.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"[", "{\"a\":", "[[],", "[{\"a\":["})
    void endlessNestingIsAnErrorAndNoStackOverflow(String opening) {
        assertThatThrownBy(() -> payload("{\"a\":" + opening.repeat(200_000)))
                .isInstanceOf(InvalidPayloadException.class);
        assertThatThrownBy(() -> payload(opening.repeat(200_000))).isInstanceOf(InvalidPayloadException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-", "0.", "1e", "-1e-"})
    @Tag("sidekiq-0.10")
    @Tag("sidekiq-3")
    void keepsNumbersOfAnySize(String before) {
        String number = before + "1".repeat(1_000_000);

        Payload payload = payload("{\"a\":" + number + ",\"b\":1}");

        assertThat(payload.with("b", 2).bytes()).asString(UTF_8).isEqualTo("{\"a\":" + number + ",\"b\":2}");
        assertTimeoutPreemptively(Duration.ofSeconds(5), () -> assertThat(payload.get("a"))
                .isIn(Double.valueOf(number), Double.NEGATIVE_INFINITY));
    }

    @Test
    void decodesWholeNumbersExactlyUpToAThousandDigits() {
        String digits = "7".repeat(1_000);

        assertThat(payload("{\"a\":" + digits + "}").get("a")).isEqualTo(new BigInteger(digits));
        assertThat(payload("{\"a\":-" + digits + "}").get("a")).isEqualTo(new BigInteger("-" + digits));
        assertThat(payload("{\"a\":7" + digits + "}").get("a")).isEqualTo(Double.POSITIVE_INFINITY);
    }

    @Test
    void hugeExponentsCostNothing() {
        Payload payload = payload("{\"a\":1e99999999,\"b\":-1E+999999999999,\"c\":1e-99999999,\"args\":[1e99999999]}");

        assertTimeoutPreemptively(Duration.ofSeconds(5), () -> {
            assertThat(payload.get("a")).isEqualTo(Double.POSITIVE_INFINITY);
            assertThat(payload.get("b")).isEqualTo(Double.NEGATIVE_INFINITY);
            assertThat(payload.get("c")).isEqualTo(0.0);
            assertThat(payload.integer("a")).isNull();
            assertThat(payload.time("a")).isNull();
            assertThat(payload.args()).containsExactly(Double.POSITIVE_INFINITY);
            assertThat(payload.with("x", 1).rawArgs()).asString(UTF_8).isEqualTo("[1e99999999]");
        });
    }

    @LongTest
    @Test
    void readsPayloadsOfFiftyMegabytes() {
        String text = "é".repeat(25_000_000);

        Payload payload = payload("{\"args\":[\"" + text + "\"],\"class\":\"Big\"}");

        assertThat(payload.name()).isEqualTo("Big");
        assertThat(payload.args().get(0).equals(text)).isTrue();
        assertThat(payload.with("class", "B").rawArgs()).hasSize(50_000_004);
    }

    @Test
    void manyMembersAndLongNamesStayLinear() {
        StringBuilder json = new StringBuilder("{");
        for (int i = 0; i < 200_000; i++) {
            json.append("\"key").append(i % 150_000).append("\":").append(i).append(',');
        }
        json.append('"').append("n".repeat(1_000_000)).append("\":0}");

        assertTimeoutPreemptively(Duration.ofSeconds(10), () -> {
            Payload payload = payload(json.toString());
            assertThat(payload.asMap()).hasSize(150_001).containsEntry("key0", 150_000L);
            assertThat(payload.with("x", 1).without("key1").names()).hasSize(150_001);
        });
    }

    @Test
    void messagesTellThePositionAndNeverQuoteTheText() {
        assertThatThrownBy(() -> payload("{\"secret\":\"hunter2\" \"other\"}"))
                .hasMessage("Not JSON: '}' is missing at byte 20 of 28.");
        assertThatThrownBy(() -> payload("{\"é\":secret}")).hasMessage("Not JSON: a value is missing at byte 6 of 13.");
        assertThatThrownBy(() -> payload("")).hasMessage("Not JSON: the text is empty at byte 0 of 0.");
    }

    private static Payload payload(String json) {
        return Payload.parse(json.getBytes(UTF_8));
    }

    private static String nested(int levels) {
        return "{\"a\":" + "[".repeat(levels) + "]".repeat(levels) + "}";
    }

    private static String binary(String hex) {
        StringBuilder bytes = new StringBuilder();
        for (String part : hex.split(" ")) {
            bytes.append((char) Integer.parseInt(part, 16));
        }
        return bytes.toString();
    }
}
