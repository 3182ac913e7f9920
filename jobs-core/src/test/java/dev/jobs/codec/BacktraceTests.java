package dev.jobs.codec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Base64;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.DeflaterOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("sidekiq-11.5")
class BacktraceTests {

    @Test
    void readsWhatSidekiqWrote() {
        assertThat(Backtrace.decode("eJyLjgUAARUAuQ==")).isEmpty();
        assertThat(Backtrace.decode("eJyLVkrUK0qyMlTSUUoCMYyUYgEzOAUL")).containsExactly("a.rb:1", "b.rb:2");
    }

    @Test
    @Tag("sidekiq-30")
    void readsTheBrokenLinesOfOlderVersions() {
        assertThat(Backtrace.decode("eJyLVkrUK0qyMlTS\nUUoCMYyU\r\nYgEzOAUL\n")).containsExactly("a.rb:1", "b.rb:2");
    }

    @Test
    void writesOneLineOfZlibInPaddedBase64() {
        String text = Backtrace.encode(List.of("a.rb:1", "b.rb:2"));

        assertThat(text).matches("[A-Za-z0-9+/]+={0,2}").startsWith("eJ");
        assertThat(text.length() % 4).isZero();
        assertThat(Backtrace.encode(List.of())).isEqualTo("eJyLjgUAARUAuQ==");
    }

    @Test
    void roundTripsAnythingThatIsText() {
        List<String> lines = IntStream.range(0, 2_000)
                .mapToObj(i -> "dev.jobs.Some\"Class\\" + i + ".run(Ünïcode😀.java:" + i + ")\t")
                .toList();

        assertThat(Backtrace.decode(Backtrace.encode(lines))).isEqualTo(lines);
        assertThat(Backtrace.decode(Backtrace.encode(List.of("a\ud800")))).containsExactly("a\ufffd");
    }

    @Test
    void roundTripsEverySizeAroundAChunk() {
        for (int size = 4_080; size < 4_100; size++) {
            List<String> lines = List.of("x".repeat(size));
            assertThat(Backtrace.decode(Backtrace.encode(lines))).isEqualTo(lines);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "%%%", "eJyL", "eJyLjgUAARUAuQ", "AAAA", "not base64", "eJyLjgUAARUAug==", "é"})
    void isEmptyForAnInvalidBacktrace(String text) {
        assertThat(Backtrace.decode(text)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "\"x\"", "[1]", "[\"a\",null]", "[\"a\"] x", "[\"a\"", "", "[[\"a\"]]"})
    void isEmptyForOtherJson(String json) throws IOException {
        assertThat(Backtrace.decode(pack(json.getBytes(UTF_8)))).isEmpty();
    }

    @Test
    void unpacksNoMoreThanAMegabyte() throws IOException {
        byte[] bomb = ("[\"" + "x".repeat(20_000_000) + "\"]").getBytes(UTF_8);

        assertThat(Backtrace.decode(pack(bomb))).isEmpty();
    }

    private static String pack(byte[] json) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (DeflaterOutputStream out = new DeflaterOutputStream(packed)) {
            out.write(json);
        }
        return Base64.getEncoder().encodeToString(packed.toByteArray());
    }
}
