package dev.jobs.codec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonCutTests {

    private static String cut(String value, int most) throws JsonException {
        return new String(JsonCut.cut(value.getBytes(UTF_8), most), UTF_8);
    }

    private static Object read(String value) {
        return JsonReader.read(value.getBytes(UTF_8), 0);
    }

    @Test
    void leavesWhatIsShortAsItIs() throws JsonException {
        assertThat(cut(" [ 1,2 ]", 10)).isEqualTo(" [ 1,2 ]");
    }

    @Test
    void shortensALongTextWhereItStands() throws JsonException {
        String shown = "x".repeat(199) + "…";
        assertThat(read(cut("[1,\"" + "x".repeat(1_000_000) + "\",true]", 1_000)))
                .isEqualTo(List.of(1L, shown, true));
        assertThat(read(cut("{\"a\":{\"b\":\"" + "x".repeat(5_000) + "\"},\"c\":null}", 1_000)))
                .isEqualTo(java.util.Collections.unmodifiableMap(members(shown)));
    }

    private static Map<String, Object> members(String shown) {
        Map<String, Object> members = new java.util.LinkedHashMap<>();
        members.put("a", Map.of("b", shown));
        members.put("c", null);
        return members;
    }

    @Test
    void leavesOutWhatComesAfterEnoughAndSaysSo() throws JsonException {
        String many = "[" + "123456789,".repeat(1_000) + "1]";
        List<?> left = (List<?>) read(cut(many, 100));
        assertThat(left).hasSize(11).last().isEqualTo("…");
        String named = "{" + "\"name\":[1,2,3],".repeat(1_000) + "\"last\":1}";
        assertThat(cut(named, 30)).isEqualTo("{\"name\":[1,2,3],\"name\":[1,2,3],\"…\":\"…\"}");
        String nested = "[[[1,[" + "22,".repeat(1_000) + "2]]],5]";
        assertThat(cut(nested, 10)).isEqualTo("[[[1,[22,22,\"…\"]]]]");
        assertThat(cut("1".repeat(5_000), 100)).isEqualTo("\"…\"");
    }

    @Test
    void cutsNoCharacterInTwo() throws JsonException {
        for (String character : List.of("é", "€", "😀", "\\n", "\\u00e9", "\\ud83d\\ude00", "\\\\", "\\\"")) {
            for (String before : List.of("", "a", "ab", "abc", "abcd", "abcde")) {
                String shortened = cut('"' + before + character.repeat(2_000) + '"', 100);
                assertThat(JsonObject.parse(("{\"a\":" + shortened + "}").getBytes(UTF_8))
                                .get("a"))
                        .asString()
                        .startsWith(before)
                        .endsWith("…")
                        .doesNotContain("\ufffd")
                        .matches(text -> UTF_8.newEncoder().canEncode(text));
            }
        }
    }

    @Test
    void closesAllThatIsOpen() throws JsonException {
        String deep = "[".repeat(90) + "\"" + "x".repeat(300) + "\"" + "]".repeat(90);
        assertThat(cut(deep, 50)).isEqualTo("[".repeat(50) + "\"…\"" + "]".repeat(50));
    }
}
