package dev.jobs.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.io.InputStream;
import java.io.Reader;
import java.io.Serializable;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TimeZone;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;

class ParameterCheckTests {

    private final ArgumentCodec codec = new ArgumentCodec();

    @SuppressWarnings({"unused", "rawtypes"})
    <T> void carried(
            int number,
            Long boxed,
            String text,
            CharSequence sequence,
            BigDecimal decimal,
            Instant instant,
            UUID uuid,
            byte[] bytes,
            Object anything,
            Serializable serializable,
            JsonNode tree,
            List raw,
            Map<String, Object> open,
            List<List<Order>> nested,
            Collection<String> collection,
            Iterable<String> iterable,
            Set<Kind> kinds,
            Map<Kind, Optional<Order>> map,
            Map<Instant, Map<UUID, Integer>> keys,
            Map<Name, String> ownKeys,
            Optional<List<UUID>> optional,
            OptionalInt optionalInt,
            Order[] array,
            List<Order>[] arrays,
            Order order,
            Bean bean,
            Tree recursive,
            Single single,
            Shape shape,
            Kind kind,
            TimeZone zone,
            Number someNumber,
            Generic<Order> generic) {}

    @SuppressWarnings("unused")
    <T> void uncarried(
            InputStream stream,
            Reader reader,
            Thread thread,
            Class<?> type,
            Class<String> plainType,
            JavaType jacksonType,
            Iterator<String> iterator,
            Stream<String> values,
            Future<String> future,
            InetAddress address,
            Exception exception,
            Runnable runnable,
            Supplier<String> supplier,
            Comparable<String> comparable,
            Plain plain,
            Face face,
            Abstract abstractType,
            NoConstructor noConstructor,
            T variable,
            List<T> listOfVariables,
            T[] arrayOfVariables,
            List<?> wildcard,
            List<? extends Order> bounded,
            Map<String, List<?>> deepWildcard,
            List<InputStream> listOfStreams,
            Optional<Thread> optionalThread,
            InputStream[] arrayOfStreams,
            Map<String, Face> mapOfFaces,
            Map<Plain, String> oddKeys,
            Map<Class<String>, String> classKeys,
            Holding holding,
            List<Map<String, Holding>> deep,
            Generic<Face> generic,
            ByClass byClass,
            Sealed sealed,
            List<Sealed> listOfSealed) {}

    static Stream<Named<ParameterType>> carriedTypes() {
        return parametersOf("carried");
    }

    static Stream<Named<ParameterType>> uncarriedTypes() {
        return parametersOf("uncarried");
    }

    @ParameterizedTest
    @MethodSource("carriedTypes")
    void acceptsWhatJsonCarries(ParameterType parameter) {
        assertThatCode(() -> codec.check(parameter)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @MethodSource("uncarriedTypes")
    void refusesWhatJsonCantCarry(ParameterType parameter) {
        assertThatThrownBy(() -> codec.check(parameter))
                .isInstanceOf(ArgumentException.class)
                .hasMessageStartingWith("Parameter " + parameter.name() + ": ")
                .hasMessageContaining(" can't be carried by JSON")
                .message()
                .hasSizeLessThan(500);
    }

    @Test
    void saysWhatIsWrongWhereAndWhatToDo() {
        assertMessage(
                "stream",
                "Parameter stream: java.io.InputStream can't be carried by JSON: InputStream objects live in this"
                        + " process only; take the data itself, or an id to find it by.");
        assertMessage(
                "holding",
                "Parameter holding: dev.jobs.codec.ParameterCheckTests$Holding can't be carried by JSON at"
                        + " items[…].source: InputStream objects live in this process only; take the data itself, or an id to find it by.");
        assertMessage(
                "face",
                "Parameter face: dev.jobs.codec.ParameterCheckTests$Face can't be carried by JSON:"
                        + " dev.jobs.codec.ParameterCheckTests$Face is abstract, so nothing says what to create; take a record or"
                        + " another concrete class, or let JSON name the class: with"
                        + " @JsonTypeInfo(use = JsonTypeInfo.Id.NAME) on it and @JsonSubTypes.");
        assertMessage(
                "sealed",
                "Parameter sealed: dev.jobs.codec.ParameterCheckTests$Sealed can't be carried by JSON:"
                        + " dev.jobs.codec.ParameterCheckTests$Sealed is abstract, so nothing says what to create; take a record"
                        + " or another concrete class, or let JSON name the class: with"
                        + " @JsonTypeInfo(use = JsonTypeInfo.Id.NAME) on it.");
        assertMessage(
                "noConstructor",
                "Parameter noConstructor: dev.jobs.codec.ParameterCheckTests$NoConstructor can't be"
                        + " carried by JSON: dev.jobs.codec.ParameterCheckTests$NoConstructor has no constructor to create it with;"
                        + " take a record, or give it one without parameters.");
        assertMessage(
                "wildcard",
                "Parameter wildcard: List<?> can't be carried by JSON: ? leaves the type open; name a"
                        + " concrete type.");
    }

    private void assertMessage(String name, String message) {
        ParameterType parameter = uncarriedTypes()
                .map(Named::getPayload)
                .filter(p -> p.name().equals(name))
                .findFirst()
                .orElseThrow();
        assertThatThrownBy(() -> codec.check(parameter)).hasMessage(message);
    }

    private static Stream<Named<ParameterType>> parametersOf(String name) {
        Method method = Arrays.stream(ParameterCheckTests.class.getDeclaredMethods())
                .filter(m -> m.getName().equals(name))
                .findFirst()
                .orElseThrow();
        List<Named<ParameterType>> parameters = new ArrayList<>();
        for (Parameter parameter : method.getParameters()) {
            assertThat(parameter.isNamePresent())
                    .as("compiled with -parameters")
                    .isTrue();
            parameters.add(Named.of(
                    parameter.getName(), new ParameterType(parameter.getName(), parameter.getParameterizedType())));
        }
        return parameters.stream();
    }

    record Order(int id, List<String> tags, Optional<Kind> kind) {}

    record Tree(String name, List<Tree> children, Map<String, Tree> byName) {}

    record Generic<T>(T value, List<T> values) {}

    record Holding(List<Sourced> items) {}

    record Sourced(String name, InputStream source) {}

    enum Kind {
        A
    }

    /** Can be created from a key's text, though it could not be created from a JSON value. */
    record Name(String first, String last) {
        @JsonCreator
        static Name parse(String text) {
            return new Name(text, text);
        }
    }

    interface Face {
        String name();
    }

    abstract static class Abstract {
        public String name = "";
    }

    interface Plain {}

    static final class NoConstructor {
        public String a = "";

        NoConstructor(String a, int b) {
            this.a = a + b;
        }
    }

    static final class Bean {
        private String name = "";

        public String getName() {
            return name;
        }

        public void setName(String name) {
            this.name = name;
        }
    }

    static final class Single {
        private final String value;

        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        Single(String value) {
            this.value = value;
        }

        public String value() {
            return value;
        }
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
    @JsonSubTypes(@JsonSubTypes.Type(value = Circle.class, name = "circle"))
    sealed interface Shape permits Circle {}

    record Circle(int radius) implements Shape {}

    sealed interface Sealed permits Permitted {}

    record Permitted(int number) implements Sealed {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS)
    static class ByClass {
        public String name = "";
    }
}
