package dev.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.codec.RawJson;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PayloadTests {

    private static final String IMMEDIATE = """
            {"retry":true,"queue":"default","args":["é漢😀",1,1.0,null,{"a":{}}],"class":"HJ",\
            "jid":"b12284374a88892fbc659ea4","created_at":1795237556186,"enqueued_at":1795237556186}""";
    private static final String SCHEDULED = """
            {"retry":true,"queue":"default","class":"HJ","args":[1],"jid":"a59c427e6c2a04322c25b522",\
            "created_at":1795238150075}""";
    private static final String RETRY = """
            {"class":"Boom","args":[1],"jid":"j5","retry":true,"queue":"default","error_message":"boom [1]",\
            "error_class":"RuntimeError","failed_at":1795237645739,"retry_count":0}""";
    private static final String DEAD = """
            {"class":"Boom","args":[1],"jid":"j12","retry":2,"retry_count":2,"failed_at":1700000000000,\
            "retry_queue":"low","backtrace":2,"queue":"low","error_message":"boom [1]","error_class":"RuntimeError",\
            "retried_at":1795237650303,"error_backtrace":"eJyLVkrUK0qyMlTSUUoCMYyUYgEzOAUL"}""";

    @ParameterizedTest
    @ValueSource(strings = {IMMEDIATE, SCHEDULED, RETRY, DEAD})
    @Tag("sidekiq-0.8")
    @Tag("sidekiq-3")
    @Tag("sidekiq-33")
    void keepsWhatSidekiqWroteByteForByte(String stored) {
        Payload payload = payload(stored);

        assertThat(text(payload)).isEqualTo(stored);
        assertThat(text(Payload.of(payload.asMap()))).isEqualTo(stored);
        assertThat(text(payload.with("x", 1).without("x"))).isEqualTo(stored);
    }

    @Test
    @Tag("sidekiq-4")
    @Tag("sidekiq-33")
    void buildsTheImmediateSample() {
        Payload payload = Payload.of(members(
                "retry",
                true,
                "queue",
                "default",
                "args",
                Arrays.asList("é漢😀", 1, 1.0, null, Map.of("a", Map.of())),
                "class",
                "HJ",
                "jid",
                "b12284374a88892fbc659ea4",
                "created_at",
                1795237556186L,
                "enqueued_at",
                1795237556186L));

        assertThat(text(payload)).isEqualTo(IMMEDIATE);
    }

    @Test
    @Tag("sidekiq-0.3")
    @Tag("sidekiq-33")
    void buildsTheScheduledSampleByTakingEnqueuedAtAway() {
        Payload payload = Payload.of(members(
                        "retry",
                        true,
                        "queue",
                        "default",
                        "class",
                        "HJ",
                        "args",
                        List.of(1),
                        "enqueued_at",
                        5L,
                        "jid",
                        "a59c427e6c2a04322c25b522",
                        "created_at",
                        1795238150075L))
                .without("enqueued_at");

        assertThat(text(payload)).isEqualTo(SCHEDULED);
    }

    @Test
    @Tag("sidekiq-33")
    void buildsTheRetrySampleByAddingTheErrorToAFreshJob() {
        Payload payload = payload("{\"class\":\"Boom\",\"args\":[1],\"jid\":\"j5\",\"retry\":true,\"queue\":\"x\"}")
                .with("queue", "default")
                .with("error_message", "boom [1]")
                .with("error_class", "RuntimeError")
                .with("failed_at", 1795237645739L)
                .with("retry_count", 0);

        assertThat(text(payload)).isEqualTo(RETRY);
    }

    @Test
    @Tag("sidekiq-0.10")
    @Tag("sidekiq-3")
    void keepsUnknownMembersNumbersAndArgumentBytesThroughManyEdits() {
        Payload payload = payload("""
                { "args" : [1.0, 1, 12345678901234567890123456789, 1E+2, "\\u00e9\\/" ,{"b" :1,"a":2}],
                  "zeta":{"x":[ ]}, "cattr": 1.50, "n":null,"class":"A" }""");

        Payload edited = payload.with("retry_count", 0)
                .with("retry_count", 1)
                .with("queue", "q")
                .without("queue");

        assertThat(text(edited))
                .isEqualTo(
                        "{\"args\":[1.0, 1, 12345678901234567890123456789, 1E+2, \"\\u00e9\\/\" ,{\"b\" :1,\"a\":2}],"
                                + "\"zeta\":{\"x\":[ ]},\"cattr\":1.50,\"n\":null,\"class\":\"A\",\"retry_count\":1}");
        assertThat(edited.raw("args")).isEqualTo(payload.raw("args"));
    }

    @Test
    @Tag("sidekiq-0.8")
    void leavesAnUneditedPayloadAsItWas() {
        String stored = " /* by hand */ { \"a\" : 1 , \"a\" : 2 } // end";

        assertThat(text(payload(stored))).isEqualTo(stored);
        assertThat(text(payload(stored).without("b"))).isEqualTo(stored);
    }

    @Test
    void aMemberAppendedToABuiltPayloadIsLikeTheOthers() {
        Payload built = Payload.of(members("class", "HJ", "é", List.of(1), "a\"b", 2));
        Payload grown = built.with("jid", "j1").with("c\nd", Map.of("x", 1));

        assertThat(text(built)).isEqualTo("{\"class\":\"HJ\",\"é\":[1],\"a\\\"b\":2}");
        assertThat(text(grown))
                .isEqualTo("{\"class\":\"HJ\",\"é\":[1],\"a\\\"b\":2,\"jid\":\"j1\",\"c\\nd\":{\"x\":1}}");
        assertThat(grown.length()).isEqualTo(grown.bytes().length);
        assertThat(grown.get("é")).isEqualTo(List.of(1L));
        assertThat(grown.jid()).isEqualTo("j1");
        assertThat(grown.get("c\nd")).isEqualTo(Map.of("x", 1L));
        assertThat(text(grown.with("jid", "j2").without("é").with("e", null)))
                .isEqualTo("{\"class\":\"HJ\",\"a\\\"b\":2,\"jid\":\"j2\",\"c\\nd\":{\"x\":1},\"e\":null}");
        assertThat(text(Payload.of(Map.of()).with("a", 1).with("b", 2))).isEqualTo("{\"a\":1,\"b\":2}");
    }

    @Test
    void editsLeaveTheOriginalAlone() {
        Payload payload = payload("{\"a\":1,\"b\":2}");

        Payload edited = payload.with("a", 3);
        edited.without("a");
        edited.with("b", 4);

        assertThat(text(payload)).isEqualTo("{\"a\":1,\"b\":2}");
        assertThat(text(edited)).isEqualTo("{\"a\":3,\"b\":2}");
    }

    @Test
    void handsOutBytesThatCanBeChangedWithoutHarm() {
        Payload payload = payload("{\"a\":1}");

        payload.bytes()[0] = 'x';
        payload.with("b", 2).bytes()[0] = 'x';

        assertThat(text(payload)).isEqualTo("{\"a\":1}");
    }

    @Test
    @Tag("sidekiq-3")
    void countsTheLastOfSeveralMembersWithOneName() {
        Payload payload = payload("{\"a\":1,\"b\":2,\"\\u0061\":[3],\"b\":4}");

        assertThat(payload.get("a")).isEqualTo(List.of(3L));
        assertThat(payload.names()).containsExactly("a", "b");
        assertThat(payload.asMap()).containsExactly(Map.entry("a", List.of(3L)), Map.entry("b", 4L));
        assertThat(text(payload.with("c", 5))).isEqualTo("{\"\\u0061\":[3],\"b\":4,\"c\":5}");
        assertThat(text(payload.without("a"))).isEqualTo("{\"b\":4}");
    }

    @Test
    void findsMembersWhoseNamesAreEscapedOrNotAscii() {
        Payload payload = payload("{\"\\u006aid\":\"1\",\"größe\":2,\"\\ud83d\\ude00\":3,\"a\\\"b\":4}");

        assertThat(payload.jid()).isEqualTo("1");
        assertThat(payload.get("größe")).isEqualTo(2L);
        assertThat(payload.get("😀")).isEqualTo(3L);
        assertThat(payload.get("a\"b")).isEqualTo(4L);
        assertThat(payload.has("a")).isFalse();
        assertThat(text(payload.with("größe", 5).with("a\"b", 6)))
                .isEqualTo("{\"\\u006aid\":\"1\",\"größe\":5,\"\\ud83d\\ude00\":3,\"a\\\"b\":6}");
        assertThat(payload("{}").with("größe", 1).get("größe")).isEqualTo(1L);
    }

    @Test
    @Tag("sidekiq-0.10")
    @Tag("sidekiq-3")
    void decodesEveryKindOfValue() {
        Payload payload = payload("""
                {"t":true,"f":false,"n":null,"s":"a\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9é\\ud83d\\ude00😀","i":-7,"z":-0,
                 "max":9223372036854775807,"min":-9223372036854775808,"over":9223372036854775808,
                 "big":-12345678901234567890123456789,"d":1.0,"e":1E+2,"huge":1e400,"arr":[1,[],{"a":null}],"o":{}}""");

        assertThat(payload.get("t")).isEqualTo(true);
        assertThat(payload.get("f")).isEqualTo(false);
        assertThat(payload.get("n")).isNull();
        assertThat(payload.has("n")).isTrue();
        assertThat(payload.get("missing")).isNull();
        assertThat(payload.has("missing")).isFalse();
        assertThat(payload.get("s")).isEqualTo("a\"\\/\b\f\n\r\téé😀😀");
        assertThat(payload.get("i")).isEqualTo(-7L);
        assertThat(payload.get("z")).isEqualTo(0L);
        assertThat(payload.get("max")).isEqualTo(Long.MAX_VALUE);
        assertThat(payload.get("min")).isEqualTo(Long.MIN_VALUE);
        assertThat(payload.get("over")).isEqualTo(new BigInteger("9223372036854775808"));
        assertThat(payload.get("big")).isEqualTo(new BigInteger("-12345678901234567890123456789"));
        assertThat(payload.get("d")).isEqualTo(1.0);
        assertThat(payload.get("e")).isEqualTo(100.0);
        assertThat(payload.get("huge")).isEqualTo(Double.POSITIVE_INFINITY);
        assertThat(payload.get("arr")).isEqualTo(List.of(1L, List.of(), Collections.singletonMap("a", null)));
        assertThat(payload.get("o")).isEqualTo(Map.of());
    }

    @Test
    void typedAccessorsReturnNullForOtherTypes() {
        Payload payload = payload("{\"jid\":5,\"class\":null,\"queue\":[\"q\"],\"n\":1.0,\"big\":9223372036854775808}");

        assertThat(payload.jid()).isNull();
        assertThat(payload.name()).isNull();
        assertThat(payload.queue()).isNull();
        assertThat(payload.integer("n")).isNull();
        assertThat(payload.integer("big")).isNull();
        assertThat(payload.integer("queue")).isNull();
        assertThat(payload.integer("jid")).isEqualTo(5L);
        assertThat(payload.time("queue")).isNull();
        assertThat(payload.raw("missing")).isNull();
        assertThat(payload.raw("queue")).asString(UTF_8).isEqualTo("[\"q\"]");
    }

    @Test
    void argumentsAreEmptyUnlessTheyAreAnArray() {
        assertThat(payload("{\"args\":[1,null]}").args()).containsExactly(1L, null);
        assertThat(payload("{\"args\":[1,null]}").hasArgsArray()).isTrue();
        for (String other : List.of("{}", "{\"args\":null}", "{\"args\":\"x\"}", "{\"args\":{\"0\":1}}")) {
            Payload payload = payload(other);
            assertThat(payload.hasArgsArray()).as(other).isFalse();
            assertThat(payload.args()).as(other).isEmpty();
            assertThat(payload.rawArgs()).as(other).asString(UTF_8).isEqualTo("[]");
        }
    }

    @Test
    void argumentsKeepTheirBytesWhenRead() {
        assertThat(payload("{\"args\": [1.0 , \"\\u0061\"] }").rawArgs())
                .asString(UTF_8)
                .isEqualTo("[1.0 , \"\\u0061\"]");
    }

    @Test
    void takesArgumentsThatAreAlreadyEncoded() {
        Payload payload = payload("{\"args\":[],\"class\":\"A\"}").with("args", new RawJson("[1.50]".getBytes(UTF_8)));

        assertThat(text(payload)).isEqualTo("{\"args\":[1.50],\"class\":\"A\"}");
        assertThat(payload.args()).containsExactly(1.5);
    }

    @ParameterizedTest
    @CsvSource({
        "1795237556186, 2026-11-21T05:05:56.186Z",
        "0, 1970-01-01T00:00:00Z",
        "-1, 1969-12-31T23:59:59.999Z",
        "1700000000, 1970-01-20T16:13:20Z",
        "1795237556.186, 2026-11-21T05:05:56.186Z",
        "1795237951.496519, 2026-11-21T05:12:31.496519Z",
        "1.7E9, 2023-11-14T22:13:20Z",
        "-1.5, 1969-12-31T23:59:58.500Z",
        "\"2026-11-21T05:05:56.186Z\", 2026-11-21T05:05:56.186Z",
        "\"2026-11-21T06:05:56+01:00\", 2026-11-21T05:05:56Z"
    })
    @Tag("sidekiq-0.1")
    @Tag("sidekiq-5")
    void distinguishesMillisecondsFromSecondsByTheSyntaxOfTheNumber(String json, Instant expected) {
        assertThat(payload("{\"t\":" + json + "}").time("t")).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "null",
                "true",
                "[]",
                "{}",
                "\"\"",
                "\"soon\"",
                "\"2026-11-21\"",
                "1e400",
                "-1e400",
                "1e99999999",
                "3.2e16",
                "12345678901234567890",
                "\"+999999999999-01-01T00:00:00Z\"",
                "31556889864403199.0", // as a double, a second after the last one
                "-31557014167219204.0"
            })
    @Tag("sidekiq-5")
    void invalidTimesAreNull(String json) {
        assertThat(payload("{\"t\":" + json + "}").time("t")).isNull();
    }

    @Test
    void survivesTheLargestIntegerAsATime() {
        assertThat(payload("{\"t\":9223372036854775807}").time("t")).isEqualTo(Instant.ofEpochMilli(Long.MAX_VALUE));
        assertThat(payload("{\"t\":-9223372036854775808}").time("t")).isEqualTo(Instant.ofEpochMilli(Long.MIN_VALUE));
    }

    @Test
    void setsEveryKindOfPlainValue() {
        Payload payload = payload("{}")
                .with("a", null)
                .with("b", "x/\u001f")
                .with("c", List.of(1, 2L, 3.0, 4.5f))
                .with("d", new BigDecimal("1E+3"))
                .with("e", new BigInteger("12345678901234567890"))
                .with("f", new Object[] {true, 'c'})
                .with("g", java.util.Optional.of(1));

        assertThat(text(payload))
                .isEqualTo("{\"a\":null,\"b\":\"x/\\u001f\",\"c\":[1,2,3.0,4.5],\"d\":\"1E+3\","
                        + "\"e\":12345678901234567890,\"f\":[true,\"c\"],\"g\":1}");
    }

    @Test
    @Tag("sidekiq-3")
    void refusesValuesWithoutAJsonFormAndSaysWhere() {
        Payload payload = payload("{}");

        assertThatThrownBy(() -> payload.with("args", List.of(1, Map.of("price", Double.NaN))))
                .isInstanceOf(InvalidJobException.class)
                .hasMessage(
                        "args[1].price can't be stored: NaN and Infinity have no JSON form; pass null or text instead.");
        assertThatThrownBy(() -> Payload.of(Map.of("args", List.of(new Object()))))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageStartingWith("args[0] can't be stored: java.lang.Object is not a plain JSON value");
        assertThatThrownBy(() -> payload.with("a b", "\ud800"))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageStartingWith("[\"a b\"] can't be stored: the text is not valid Unicode");
    }

    @Test
    @Tag("sidekiq-0.9")
    @Tag("sidekiq-3")
    void refusesArgumentsNestedDeeperThanRubyReads() {
        Object deepest = List.of();
        for (int i = 0; i < 97; i++) {
            deepest = List.of(deepest);
        }
        Object legal = deepest;

        Payload stored = Payload.of(Map.of("args", List.of(legal)));
        assertThat(Payload.parse(stored.bytes())).isEqualTo(stored);
        assertThatThrownBy(() -> Payload.of(Map.of("args", List.of(List.of(legal)))))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("nested deeper than 100 levels");
    }

    @Test
    void comparesBytes() {
        Payload payload = payload("{\"a\":1,\"b\":2}");

        assertThat(payload).isEqualTo(payload("{\"a\":1,\"b\":2}")).hasSameHashCodeAs(payload("{\"a\":1,\"b\":2}"));
        assertThat(payload).isEqualTo(payload("{\"a\":0,\"b\":2}").with("a", 1));
        assertThat(payload).isNotEqualTo(payload("{\"b\":2,\"a\":1}")).isNotEqualTo(payload("{\"a\":1, \"b\":2}"));
    }

    @Test
    void showsNoArgumentsAndNothingThatBreaksALine() {
        Payload payload = payload("{\"jid\":\"a\\nb\",\"class\":\"" + "X".repeat(500) + "\",\"args\":[\"secret\"]}");

        assertThat(payload.toString())
                .startsWith("Payload[jid=a?b, class=XXX")
                .hasSizeLessThan(150)
                .doesNotContain("secret");
        assertThat(payload("{}")).hasToString("Payload[jid=null, class=null]");
    }

    @Test
    void viewsCantBeChanged() {
        Payload payload = payload("{\"args\":[1]}");

        assertThatThrownBy(() -> payload.names().clear()).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> payload.args().clear()).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> payload.asMap().clear()).isInstanceOf(UnsupportedOperationException.class);
    }

    private static Payload payload(String json) {
        return Payload.parse(json.getBytes(UTF_8));
    }

    private static String text(Payload payload) {
        return new String(payload.bytes(), UTF_8);
    }

    private static Map<String, Object> members(Object... namesAndValues) {
        Map<String, Object> members = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            members.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return members;
    }
}
