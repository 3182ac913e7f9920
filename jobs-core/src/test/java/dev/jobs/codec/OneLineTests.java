package dev.jobs.codec;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OneLineTests {

    @ParameterizedTest
    @ValueSource(strings = {"\n", "\r", "\u0000", "\u001b", "\u007f", "\u0085", "\u2028", "\u2029", "\u202e"})
    void lineEndsAndControlCharactersAreReplaced(String character) {
        assertThat(OneLine.of("a" + character + "b")).isEqualTo("a?b");
    }

    @Test
    void otherTextStaysAsItIs() {
        assertThat(OneLine.of("é漢😀 <b>")).isEqualTo("é漢😀 <b>");
    }

    @Test
    void longTextIsCut() {
        assertThat(OneLine.of("x".repeat(100))).isEqualTo("x".repeat(100));
        assertThat(OneLine.of("x".repeat(101))).isEqualTo("x".repeat(100) + "…");
        assertThat(OneLine.of("xyz", 2)).isEqualTo("xy…");
    }
}
