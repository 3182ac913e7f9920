package dev.jobs.codec;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.io.Serializable;
import java.time.LocalDate;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.json.JsonMapper;

/** Which records need not be read to know that they arrive: those whose JSON is made of their components alone. */
class SureRecordTests {

    record Plain(String name) {}

    record Saved(String name) implements Serializable, Comparable<Saved> {

        private static final long serialVersionUID = 1;

        @Override
        public int compareTo(Saved other) {
            return name.compareTo(other.name);
        }
    }

    interface Named {
        String name();
    }

    record OfOurs(String name) implements Named {}

    interface Hidden {
        @JsonIgnore
        String name();
    }

    record Hides(String name) implements Hidden {}

    interface Renamed {
        @JsonProperty("title")
        String name();
    }

    interface More extends Renamed {}

    record Renames(String name) implements More {}

    interface Monthly {
        @JsonFormat(pattern = "yyyy-MM")
        LocalDate day();
    }

    record LosesTheDay(LocalDate day) implements Monthly {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.SIMPLE_NAME)
    interface Typed {}

    record HasType(String name) implements Typed {}

    interface Labelled {
        default String getLabel() {
            return "a label";
        }
    }

    record HasLabel(String name) implements Labelled {}

    record Changes(String name) implements Serializable {

        private static final long serialVersionUID = 1;

        Changes {
            name = name + "!";
        }
    }

    private final JsonMapper mapper = JsonMapper.shared();
    private final SureValues values = new SureValues(mapper, false);

    private boolean isSure(Object value) {
        return values.of(mapper.constructType(value.getClass())).test(value);
    }

    static Object[] sure() {
        return new Object[] {new Plain("a"), new Saved("a"), new OfOurs("a")};
    }

    static Object[] read() {
        return new Object[] {
            new Hides("a"),
            new Renames("a"),
            new LosesTheDay(LocalDate.of(2026, 11, 29)),
            new HasType("a"),
            new HasLabel("a"),
            new Changes("a")
        };
    }

    @ParameterizedTest
    @MethodSource("sure")
    void arrivesForSure(Object value) {
        assertThat(isSure(value)).isTrue();
    }

    @ParameterizedTest
    @MethodSource("read")
    void hasToBeRead(Object value) {
        assertThat(isSure(value)).isFalse();
    }
}
