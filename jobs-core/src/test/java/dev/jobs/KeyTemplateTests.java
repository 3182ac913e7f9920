package dev.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.jobs.codec.ArgumentCodec;
import dev.jobs.codec.JsonException;
import dev.jobs.codec.ParameterType;
import dev.jobs.codec.RawJson;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Equal arguments have one key, in every process; different ones have different keys. */
class KeyTemplateTests {

    private final ArgumentCodec codec = new ArgumentCodec();

    @SuppressWarnings("unused")
    void job(
            String text,
            String other,
            int number,
            double ratio,
            BigDecimal decimal,
            BigInteger big,
            Object open,
            Set<String> set,
            List<String> list,
            Optional<Set<Integer>> optional,
            Set<Set<String>> sets,
            Map<String, Set<String>> map,
            Order order,
            Bean bean,
            Shape shape,
            List<Shape> shapes,
            Wrapped wrapped,
            Boxed boxed,
            Set<String>[] array) {}

    record Order(long id, Set<String> tags, List<String> lines, double total) {}

    static final class Bean {
        public Set<Order> orders = Set.of();
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    sealed interface Shape permits Tagged, Listed {}

    record Tagged(Set<String> values) implements Shape {}

    record Listed(List<String> values) implements Shape {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, include = JsonTypeInfo.As.WRAPPER_ARRAY)
    record Wrapped(Set<String> values) {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, include = JsonTypeInfo.As.WRAPPER_OBJECT)
    record Boxed(Set<String> values) {}

    private static List<ParameterType> parameters(String... names) {
        Method method = Arrays.stream(KeyTemplateTests.class.getDeclaredMethods())
                .filter(each -> each.getName().equals("job"))
                .findFirst()
                .orElseThrow();
        List<ParameterType> found = new ArrayList<>();
        for (String name : names) {
            Arrays.stream(method.getParameters())
                    .filter(each -> each.getName().equals(name))
                    .forEach(each -> found.add(new ParameterType(name, each.getParameterizedType())));
        }
        return found;
    }

    private String key(String template, List<ParameterType> parameters, @Nullable Object... arguments) {
        try {
            byte[] args = codec.encodeByName(Arrays.asList(arguments), parameters);
            return key(template, parameters, args);
        } catch (JsonException e) {
            throw new AssertionError(e);
        }
    }

    private String key(String template, List<ParameterType> parameters, byte[] args) {
        Payload payload = Payload.of(Map.of("args", new RawJson(args)));
        KeyTemplate parsed = KeyTemplate.of(template, parameters, codec);
        return parsed.isEmpty() ? parsed.wholeKey(payload.args()) : parsed.key(payload.args(), "it");
    }

    private static List<Set<String>> orders(String... elements) {
        List<String> reversed = new ArrayList<>(List.of(elements));
        Collections.reverse(reversed);
        return List.of(new LinkedHashSet<>(List.of(elements)), new LinkedHashSet<>(reversed), Set.of(elements));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{0}", "x{0}y"})
    void theOrderOfASetDoesNotMatterAtAnyDepth(String template) {
        List<Set<String>> orders = orders("berlin", "paris", "rome", "oslo");
        Map<String, Set<String>> keys = new HashMap<>();
        for (Set<String> order : orders) {
            Bean bean = new Bean();
            Set<Order> both = new LinkedHashSet<>();
            for (String id : order) {
                both.add(new Order(id.length(), order, List.of("a", "b"), 1));
            }
            bean.orders = both;
            Map.<String, Object>of(
                            "set", order,
                            "sets", new LinkedHashSet<>(List.of(order, Set.of("x"))),
                            "map", Map.of("b", order, "a", order),
                            "order", new Order(1, order, List.of("a", "b"), 1),
                            "bean", bean,
                            "shape", new Tagged(order),
                            "shapes", List.of(new Tagged(order), new Listed(List.of("b", "a"))),
                            "wrapped", new Wrapped(order),
                            "boxed", new Boxed(order))
                    .forEach((name, value) -> keys.computeIfAbsent(name, each -> new TreeSet<>())
                            .add(key(template, parameters(name), value)));
        }
        assertThat(keys).hasSize(9).allSatisfy((name, all) -> assertThat(all).hasSize(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"list", "shapes"})
    void theOrderOfAListDoes(String name) {
        Object one = name.equals("list") ? List.of("b", "a") : List.of(new Listed(List.of("b", "a")));
        Object other = name.equals("list") ? List.of("a", "b") : List.of(new Listed(List.of("a", "b")));

        assertThat(key("{0}", parameters(name), one)).isNotEqualTo(key("{0}", parameters(name), other));
    }

    @Test
    void whatIsReadAsTheSameHasOneKey() {
        assertThat(key("{0}", parameters("ratio"), 1)).isEqualTo(key("{0}", parameters("ratio"), 1.0));
        assertThat(key("{0}", parameters("decimal"), 1.5))
                .isEqualTo(key("{0}", parameters("decimal"), new BigDecimal("1.5")))
                .isEqualTo("1.5");
        assertThat(key("{0}", parameters("big"), "15"))
                .isEqualTo(key("{0}", parameters("big"), BigInteger.valueOf(15)));
        assertThat(key("{0}", parameters("set"), List.of("a", "b", "a")))
                .isEqualTo(key("{0}", parameters("set"), Set.of("a", "b")));
        assertThat(key("", parameters("order"), Map.of("total", 1, "tags", List.of("b", "a"))))
                .isEqualTo(key("", parameters("order"), Map.of("tags", List.of("a", "b"), "total", 1.0)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "{0}|shop-5|x|shop-5",
                "shop:{0}|5|x|shop:5",
                "{0}:{1}|x|y|x:y",
                "{0}:{1}|x:y|z|\"x:y\":z",
                "{0}:{1}|x|y:z|x:y:z",
                "{0}{1}|ab|c|\"ab\"c",
                "{0}|null|x|\"null\"",
                "{0}|'\"a'|x|\"\\\"a\"",
                "{0}|<a|x|<a",
                "{0}|''|x|''",
            })
    void textStandsAsItIsUnlessItCouldBeSomethingElse(String template, String one, String other, String key) {
        assertThat(key(template, parameters("text", "other"), one, other)).isEqualTo(key);
    }

    @Test
    void differentArgumentsHaveDifferentKeys() {
        Random random = new Random(5);
        List<Object> texts =
                List.of("", "a", "b", ":", "a:", ":b", "\"", "\"a\"", "<1>", "<", "null", "1", "-1", "[", "{}");
        List<Object> numbers = List.of(0, 1, -1, 11, 12, 2, 21);
        for (String template : List.of(
                "{0}:{1}", "{0}{1}", "{0}-{1}", "{0}1{1}", "{1}:{0}:", "x{0}::{1}y", "{0}\"{1}", "{0}<{1}", "")) {
            for (List<String> names : List.of(
                    List.of("text", "other"),
                    List.of("text", "number"),
                    List.of("number", "text"),
                    List.of("open", "text"),
                    List.of("open", "open"),
                    List.of("number", "number"))) {
                List<ParameterType> parameters = parameters(names.toArray(String[]::new));
                Map<String, List<@Nullable Object>> byKey = new HashMap<>();
                for (int i = 0; i < 400; i++) {
                    List<@Nullable Object> arguments = new ArrayList<>();
                    for (String name : names) {
                        boolean text = !name.equals("number") && (!name.equals("open") || random.nextBoolean());
                        List<Object> from = text ? texts : numbers;
                        int index = random.nextInt(from.size() + 1);
                        arguments.add(
                                index == from.size() && !name.equals("number") ? null : from.get(index % from.size()));
                    }
                    List<@Nullable Object> before =
                            byKey.put(key(template, parameters, arguments.toArray()), arguments);
                    assertThat(before == null || before.equals(arguments))
                            .as("%s of %s and %s", template, before, arguments)
                            .isTrue();
                }
            }
        }
    }

    @Test
    void argumentsOfOtherVersionsHaveKeysToo() {
        byte[] odd = "[{\"tags\":{\"a\":1},\"total\":\"x\"},[[1]],\"x\",5]"
                .getBytes(java.nio.charset.StandardCharsets.UTF_8);

        assertThat(key("", parameters("order", "sets", "set", "map"), odd))
                .isEqualTo("[{\"tags\":{\"a\":1},\"total\":\"x\"},[[1]],\"x\",5]");
        assertThat(key("{1}", parameters("order", "set"), "[]".getBytes(java.nio.charset.StandardCharsets.UTF_8)))
                .isEqualTo("null");
    }
}
