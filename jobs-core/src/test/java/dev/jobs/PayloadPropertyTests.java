package dev.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.core.json.JsonReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Compares payloads with Jackson's trees for random objects, written with random space, escapes and comments. */
class PayloadPropertyTests {

    private static final int CASES = 20_000;

    private final JsonMapper jackson = JsonMapper.builder()
            .enable(JsonReadFeature.ALLOW_JAVA_COMMENTS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    private final JsonMapper doubles =
            JsonMapper.builder().enable(JsonReadFeature.ALLOW_JAVA_COMMENTS).build();

    @Test
    @Tag("sidekiq-0.8")
    @Tag("sidekiq-3")
    void anEditChangesOneMemberAndNothingElse() {
        RandomJson random = new RandomJson(new Random(20260721));
        for (int i = 0; i < CASES; i++) {
            String json = random.object(0);
            String name = random.pick(random.names);
            Payload before = Payload.parse(json.getBytes(UTF_8));
            ObjectNode expected = (ObjectNode) jackson.readTree(json);

            Payload with = before.with(name, "né\u0001w");
            assertSame(with, expected.deepCopy().put(name, "né\u0001w"), json);
            assertThat(before.bytesWith(name, "né\u0001w")).as(json).isEqualTo(with.bytes());
            Payload without = before.without(name);
            assertSame(without, expected.deepCopy().without(name), json);
            Payload both = with.with("other\"", 5).without(name);
            assertSame(both, expected.deepCopy().put("other\"", 5).without(name), json);

            assertThat(before.bytes()).as(json).isEqualTo(json.getBytes(UTF_8));
            for (String other : before.names()) {
                if (!other.equals(name)) {
                    assertThat(with.raw(other)).as(json).isEqualTo(before.raw(other));
                    assertThat(without.raw(other)).as(json).isEqualTo(before.raw(other));
                }
            }
        }
    }

    @Test
    @Tag("sidekiq-3")
    void readsWhatJacksonReadsAndWritesItBackUnchanged() {
        RandomJson random = new RandomJson(new Random(99));
        for (int i = 0; i < CASES; i++) {
            String json = random.object(0);
            Payload payload = Payload.parse(json.getBytes(UTF_8));

            Map<String, Object> decoded = payload.asMap();
            JsonNode expected = doubles.readTree(json);

            Payload built = Payload.of(decoded);
            assertThat(doubles.readTree(built.bytes())).as(json).isEqualTo(expected);
            for (String name : random.names) {
                assertThat(built.bytesWith(name, 5))
                        .as(json)
                        .isEqualTo(built.with(name, 5).bytes());
                assertThat(built.has(name)).as(json).isEqualTo(decoded.containsKey(name));
            }
            assertThat(new ArrayList<>(decoded.keySet())).as(json).isEqualTo(new ArrayList<>(expected.propertyNames()));
            for (String name : decoded.keySet()) {
                assertThat(payload.get(name)).as(json).isEqualTo(decoded.get(name));
                assertThat(doubles.readTree(payload.raw(name))).as(json).isEqualTo(expected.get(name));
            }
        }
    }

    @Test
    void brokenTextIsRefusedByBothOrReadAlike() {
        RandomJson random = new RandomJson(new Random(4711));
        int refused = 0;
        for (int i = 0; i < CASES; i++) {
            byte[] json = random.broken(random.object(1).getBytes(UTF_8));
            String text = new String(json, UTF_8);
            boolean utf8 = Arrays.equals(text.getBytes(UTF_8), json);
            JsonNode expected = utf8 ? tree(text) : null;
            Payload payload = null;
            try {
                payload = Payload.parse(json);
            } catch (InvalidPayloadException e) {
                refused++;
            }
            assertThat(payload == null).as(text).isEqualTo(expected == null || !expected.isObject());
            if (payload != null) {
                String rewritten = new String(payload.with("x", 1).without("x").bytes(), UTF_8);
                assertThat(doubles.readTree(rewritten)).as(text).isEqualTo(((ObjectNode) expected).without("x"));
            }
        }
        assertThat(refused).isBetween(CASES / 3, CASES - CASES / 100);
    }

    private @Nullable JsonNode tree(String text) {
        try {
            return doubles.readTree(text);
        } catch (RuntimeException e) {
            return null;
        }
    }

    private void assertSame(Payload payload, ObjectNode expected, String json) {
        JsonNode actual = jackson.readTree(payload.bytes());
        assertThat(actual).as(json).isEqualTo(expected);
        assertThat(new ArrayList<>(actual.propertyNames()))
                .as(json)
                .isEqualTo(new ArrayList<>(expected.propertyNames()));
        assertThat(new ArrayList<>(payload.names())).as(json).isEqualTo(new ArrayList<>(expected.propertyNames()));
        assertThat(Payload.parse(payload.bytes())).as(json).isEqualTo(payload);
    }

    /** Writes random JSON in every legal spelling. */
    private static final class RandomJson {

        private static final List<String> SPACE =
                List.of("", "", "", "", " ", "\n", "\t", "\r\n", "  ", "/**/", "/* \" */", "// }\n", "/*é*/");

        final List<String> names =
                List.of("a", "args", "jid", "é", "漢", "😀", "a\"b", "back\\slash", "", "a b", "tab\t", "/", "other\"");

        private final Random random;

        RandomJson(Random random) {
            this.random = random;
        }

        <T> T pick(List<T> list) {
            return list.get(random.nextInt(list.size()));
        }

        String object(int depth) {
            StringBuilder json = new StringBuilder(space()).append('{').append(space());
            int members = random.nextInt(depth == 0 ? 7 : 4);
            for (int i = 0; i < members; i++) {
                json.append(i == 0 ? "" : "," + space());
                json.append(string(pick(names))).append(space()).append(':').append(space());
                json.append(value(depth + 1)).append(space());
            }
            return json.append('}').append(space()).toString();
        }

        byte[] broken(byte[] json) {
            byte[] alphabet = "{}[]\",:\\/*0123456789.eE+-truefalsn \né\ud83d\ude00".getBytes(UTF_8);
            byte[] result = json.clone();
            for (int edits = 1 + random.nextInt(2); edits > 0 && result.length > 1; edits--) {
                int at = random.nextInt(result.length);
                switch (random.nextInt(3)) {
                    case 0 -> result[at] = alphabet[random.nextInt(alphabet.length)];
                    case 1 -> result = Arrays.copyOf(result, at);
                    default -> {
                        byte[] longer = Arrays.copyOf(result, result.length + 1);
                        System.arraycopy(result, at, longer, at + 1, result.length - at);
                        longer[at] = alphabet[random.nextInt(alphabet.length)];
                        result = longer;
                    }
                }
            }
            return result;
        }

        private String value(int depth) {
            return switch (random.nextInt(depth > 4 ? 6 : 9)) {
                case 0 -> pick(List.of("true", "false", "null"));
                case 1 -> Long.toString(random.nextLong() >> random.nextInt(64));
                case 2 -> new java.math.BigInteger(1 + random.nextInt(200), random).toString();
                case 3 ->
                    pick(List.of("1.0", "-0.0", "1E+2", "1.5e-3", "10000000.0", "0.1", "123456.789", "-2.50", "0e0"));
                case 4, 5 ->
                    string(pick(List.of("", "x", "é漢😀", "\u2028\u007f", "\b\f\n\r\t", "\"\\/", "plain text")));
                case 6 -> object(depth);
                default -> array(depth);
            };
        }

        private String array(int depth) {
            StringBuilder json = new StringBuilder("[").append(space());
            int elements = random.nextInt(4);
            for (int i = 0; i < elements; i++) {
                json.append(i == 0 ? "" : "," + space())
                        .append(value(depth + 1))
                        .append(space());
            }
            return json.append(']').toString();
        }

        private String string(String text) {
            StringBuilder json = new StringBuilder("\"");
            text.codePoints().forEach(c -> {
                int style = random.nextInt(6);
                if (style == 0) {
                    for (char half : Character.toChars(c)) {
                        json.append(String.format(random.nextBoolean() ? "\\u%04x" : "\\u%04X", (int) half));
                    }
                } else if (c == '"' || c == '\\' || c == '/' && style == 1) {
                    json.append('\\').appendCodePoint(c);
                } else if (c < ' ') {
                    json.append('\\').append("btnvfr".charAt(c - 8));
                } else {
                    json.appendCodePoint(c);
                }
            });
            return json.append('"').toString();
        }

        private String space() {
            return pick(SPACE);
        }
    }
}
