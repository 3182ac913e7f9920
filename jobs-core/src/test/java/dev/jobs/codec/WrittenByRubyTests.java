package dev.jobs.codec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.Payload;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Ruby's reader and generator side by side with ours.
 *
 * <p>The file holds pairs of lines: a JSON object as written by hand, and the same object read and written again by
 * Ruby, on which json 2.6.1 and 2.21.1 agree. In the first line ¶ stands for a line feed and § for a carriage return.
 */
@Tag("sidekiq-3")
class WrittenByRubyTests {

    /** What Ruby's generator escapes, and how; everything else stays as it is. */
    private static final Pattern STRING =
            Pattern.compile("\"(?:[^\\x00-\\x1f\"\\\\]|\\\\[\"\\\\bfnrt]|\\\\u00(?:0[0-7be-f]|1[0-9a-f]))*\"");

    private static final Pattern BETWEEN_STRINGS =
            Pattern.compile("(?:[\\[\\]{}:,]|true|false|null|-?\\d+(?:\\.\\d+)?)*");

    private static final String CHARACTERS =
            "a/ \"\\\b\f\n\r\t\u0000\u0001\u000b\u001f\u007f\u0080é漢\u2028\u2029\ufeff😀<>&'";

    private record Pair(String byHand, String byRuby) {}

    private static List<Pair> pairs() throws IOException {
        try (InputStream file = Objects.requireNonNull(
                WrittenByRubyTests.class.getResourceAsStream("written-by-ruby.txt"), "written-by-ruby.txt")) {
            String[] lines = new String(file.readAllBytes(), UTF_8).split("\n");
            List<Pair> pairs = new ArrayList<>();
            for (int i = 0; i < lines.length; i += 2) {
                pairs.add(new Pair(lines[i].replace('¶', '\n').replace('§', '\r'), lines[i + 1]));
            }
            return pairs;
        }
    }

    @Test
    void readsWhatRubyReadsAndWritesWhatRubyWrites() throws IOException {
        assertThat(pairs()).hasSize(300).allSatisfy(pair -> {
            Payload read = Payload.parse(pair.byHand().getBytes(UTF_8));
            assertThat(new String(Payload.of(read.asMap()).bytes(), UTF_8)).isEqualTo(pair.byRuby());
        });
    }

    @Test
    @Tag("sidekiq-0.8")
    void writesWhatRubyWroteByteForByteAfterAnEdit() throws IOException {
        assertThat(pairs()).allSatisfy(pair -> {
            Payload stored = Payload.parse(pair.byRuby().getBytes(UTF_8));
            Payload edited = stored.with("added by us", 1).without("added by us");
            assertThat(new String(edited.bytes(), UTF_8)).isEqualTo(pair.byRuby());
        });
    }

    @Test
    void writesNothingThatRubyWouldWriteOtherwise() {
        Random random = new Random(8);
        for (int i = 0; i < 5_000; i++) {
            Map<String, Object> members = object(random, 1);
            String text = new String(Payload.of(members).bytes(), UTF_8);

            String rest = STRING.matcher(text).replaceAll("");
            assertThat(rest).as(text).matches(BETWEEN_STRINGS);
            assertThat(Payload.parse(text.getBytes(UTF_8)).asMap()).as(text).isEqualTo(members);
        }
    }

    private static Map<String, Object> object(Random random, int depth) {
        Map<String, Object> members = new LinkedHashMap<>();
        for (int i = random.nextInt(5); i > 0; i--) {
            members.put(text(random), value(random, depth));
        }
        return members;
    }

    private static Object value(Random random, int depth) {
        switch (random.nextInt(depth > 4 ? 5 : 7)) {
            case 0:
                return random.nextBoolean();
            case 1:
                return random.nextLong() >> random.nextInt(64);
            case 2: // as far as every version of the generator writes plain decimals
                return (random.nextBoolean() ? 1 : -1) * Math.pow(10, -4 + random.nextDouble() * 18.9);
            case 3:
                return new java.math.BigInteger(64 + random.nextInt(300), random).setBit(63);
            case 4:
                return text(random);
            case 5:
                List<Object> elements = new ArrayList<>();
                for (int i = random.nextInt(4); i > 0; i--) {
                    elements.add(value(random, depth + 1));
                }
                return elements;
            default:
                return object(random, depth + 1);
        }
    }

    private static String text(Random random) {
        int[] characters = CHARACTERS.codePoints().toArray();
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(6); i > 0; i--) {
            text.appendCodePoint(characters[random.nextInt(characters.length)]);
        }
        return text.toString();
    }
}
