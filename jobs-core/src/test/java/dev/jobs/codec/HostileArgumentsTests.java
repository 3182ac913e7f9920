package dev.jobs.codec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.jobs.Payload;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Text that names classes must never load one, whatever the parameter is. */
class HostileArgumentsTests {

    private static final String GADGET = HostileArgumentsTests.class.getName() + "$Gadget";

    private final ArgumentCodec codec = new ArgumentCodec();

    static Stream<String> corpus() {
        return Stream.of(
                        "{\"@class\":\"%s\",\"command\":\"x\"}",
                        "{\"@type\":\"%s\",\"command\":\"x\"}",
                        "{\"@c\":\"%s\"}",
                        "{\"class\":\"%s\"}",
                        "{\"type\":\"%s\",\"value\":{\"@class\":\"%1$s\"}}",
                        "[\"%s\",{\"command\":\"x\"}]",
                        "[[\"%s\",{}]]",
                        "\"%s\"",
                        "{\"%s\":{}}",
                        "{\"name\":\"%s\",\"anything\":[\"%1$s\",{}],\"nested\":{\"@class\":\"%1$s\"}}",
                        "{\"nested\":{\"%s\":1},\"anything\":{\"%1$s\":1}}",
                        "{\"anything\":{\"@class\":\"%s\",\"@type\":\"%1$s\"}}",
                        "{\"javaClass\":\"%s\",\"json_class\":\"%1$s\",\"^o\":\"%1$s\",\"!\":\"%1$s\"}")
                .map(json -> json.formatted(GADGET));
    }

    @ParameterizedTest
    @MethodSource("corpus")
    void classNamesArePlainData(String json) throws JsonException {
        for (Class<?> type : List.of(
                Object.class,
                Map.class,
                List.class,
                String.class,
                Open.class,
                ByClass.class,
                ByMinimalClass.class,
                Annotated.class,
                Class.class,
                Object[].class,
                Number.class,
                Comparable.class,
                Throwable.class,
                ByClassKey.class)) {
            try {
                codec.decode(("[" + json + "]").getBytes(UTF_8), List.of(new ParameterType("p", type)));
            } catch (ArgumentException e) {
                assertThat(e).hasMessageNotContaining("Gadget");
            }
        }
        CanonicalValues canonical = codec.canonical();
        for (Class<?> type : List.of(
                Object.class, Open.class, ByClass.class, ByMinimalClass.class, Annotated.class, ByClassKey.class)) {
            assertThat(canonical.of(type, JsonText.decode(json.getBytes(UTF_8))))
                    .isNotNull();
        }
        Payload payload = Payload.parse(("{\"args\":[" + json + "],\"class\":\"" + GADGET + "\"}").getBytes(UTF_8));
        assertThat(payload.args()).hasSize(1);
        assertThat(payload.with("x", payload.get("args")).has("x")).isTrue();

        assertThat(System.getProperty(GADGET)).as("the gadget has been loaded").isNull();
    }

    @Test
    void theCorpusWouldHaveNoticedALoadedClass() throws ClassNotFoundException {
        String witness = HostileArgumentsTests.class.getName() + "$Witness";
        assertThat(System.getProperty(witness)).isNull();

        Class.forName(witness);

        assertThat(System.getProperty(witness)).isEqualTo("loaded");
        System.clearProperty(witness);
    }

    @Test
    void aClassIsNeverBoundFromItsName() {
        assertThatThrownBy(() -> codec.decode(
                        "[\"java.lang.String\"]".getBytes(UTF_8), List.of(new ParameterType("p", Class.class))))
                .isInstanceOf(ArgumentException.class);
    }

    @Test
    void plainDataKeepsItsOddMembers() throws ArgumentException {
        Object value = codec.decode(
                        "[{\"@class\":\"java.lang.ProcessBuilder\",\"@type\":\"x\"}]".getBytes(UTF_8),
                        List.of(new ParameterType("p", Object.class)))[0];

        assertThat(value).isEqualTo(Map.of("@class", "java.lang.ProcessBuilder", "@type", "x"));
    }

    @SuppressWarnings("unused")
    static final class Gadget {
        static {
            System.setProperty(HostileArgumentsTests.class.getName() + "$Gadget", "loaded");
        }

        public void setCommand(String command) {}
    }

    @SuppressWarnings("unused")
    static final class Witness {
        static {
            System.setProperty(HostileArgumentsTests.class.getName() + "$Witness", "loaded");
        }
    }

    record ByClassKey(Map<Class<?>, Object> nested, Map<Class<?>, Object> anything) {}

    record Open(String name, Object anything, Map<String, Object> nested) {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS)
    interface ByClass {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.MINIMAL_CLASS)
    interface ByMinimalClass {}

    record Annotated(
            @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS) Object anything) {}
}
