package dev.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.jobs.codec.JsonException;
import dev.jobs.codec.RawJson;
import dev.jobs.limits.Limit;
import dev.jobs.limits.LimitRules;
import dev.jobs.ordered.JobOrder;
import dev.jobs.unique.Unique;
import dev.jobs.unique.UniqueRule;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.deser.std.StdDeserializer;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdSerializer;

/** Keys are made of the JSON that is stored, which an application may change. */
class CustomizedKeysTests {

    private static final JobJsonCustomizer SNAKES =
            mapper -> mapper.propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE);

    private static final JobJsonCustomizer NOTHING = mapper -> {};

    record Order(int shopId, Object anyValue) {}

    static class Bean {
        public int shopId;
        public Set<String> someTags = Set.of();
    }

    /** Without its module it would be stored with a set, whose order doesn't count. */
    static final class Money {

        public Set<String> parts = Set.of();

        static Money of(List<String> parts) {
            Money money = new Money();
            money.parts = new LinkedHashSet<>(parts);
            return money;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Money money && List.copyOf(money.parts).equals(List.copyOf(parts));
        }

        @Override
        public int hashCode() {
            return List.copyOf(parts).hashCode();
        }
    }

    record Tagged(Set<String> tagNames, Money money) {}

    private static final JobJsonCustomizer MONEY = mapper -> mapper.addModule(new SimpleModule("money")
            .addSerializer(new StdSerializer<Money>(Money.class) {
                @Override
                public void serialize(Money value, JsonGenerator out, SerializationContext context) {
                    out.writeStartObject();
                    out.writeArrayPropertyStart("parts");
                    value.parts.forEach(out::writeString);
                    out.writeEndArray();
                    out.writeEndObject();
                }
            })
            .addDeserializer(Money.class, new StdDeserializer<>(Money.class) {
                @Override
                public Money deserialize(JsonParser in, DeserializationContext context) {
                    JsonNode parts = in.<JsonNode>readValueAsTree().get("parts");
                    return Money.of(parts.valueStream().map(JsonNode::asString).toList());
                }
            }));

    static class Stored {
        @Job(key = "{order.shop_id}")
        @Unique(key = "{order.shop_id}") @Limit(name = "shop", key = "{order.shop_id}", concurrency = 1)
        void record(Order order) {}

        @Job(key = "{0.a.shop_id}")
        @Unique(key = "{0.a.shop_id}") @Limit(name = "shop", key = "{0.a.shop_id}", concurrency = 1)
        void map(Map<String, Bean> beans) {}

        @Job
        @Unique(key = "{0.any_value}")
        void open(Order order) {}
    }

    static class OnceEach {
        @Job
        @Unique
        void tagged(Tagged it) {}

        @Job
        @Unique
        void bean(Bean it) {}

        @Job
        @Unique(key = "{it.money.parts}")
        void money(Tagged it) {}
    }

    static class JavaNameOfUnique {
        @Job
        @Unique(key = "{order.shopId}")
        void job(Order order) {}
    }

    static class JavaNameOfLimit {
        @Job
        @Limit(name = "shop", key = "{order.shopId}", concurrency = 1)
        void job(Optional<Order> order) {}
    }

    static class JavaNameOfKey {
        @Job(key = "{0.x.shopId}")
        void job(Map<String, Order> orders) {}
    }

    static class JavaNameInBean {
        @Job(key = "{0.shopId}")
        void job(Bean bean) {}
    }

    private static JobDefinition find(JobRegistry registry, String name) {
        return registry.find(name).orElseThrow();
    }

    private static Payload payload(JobDefinition job, Object argument) {
        try {
            return Payload.of(Map.of("args", new RawJson(job.codec().encode(List.of(argument), job.parameters()))));
        } catch (JsonException e) {
            throw new AssertionError(e);
        }
    }

    private static String lock(JobDefinition job, Object argument) {
        UniqueRule rule = job.rule(UniqueRule.class);
        assertThat(rule).isNotNull();
        return rule.key(payload(job, argument).args());
    }

    private static void assertKeys(JobDefinition job, Object argument, String key) {
        Payload payload = payload(job, argument);
        assertThat(lock(job, argument)).isEqualTo(key);
        assertThat(LimitRules.of(job).get(0).key(payload.args())).isEqualTo(key);
        assertThat(JobOrder.key(payload, job)).isEqualTo(key);
    }

    @Test
    void keysNameMembersAsTheyAreStored() {
        JobRegistry registry = JobRegistry.of(SNAKES, new Stored());

        for (int shop = 1; shop <= 2; shop++) {
            Bean bean = new Bean();
            bean.shopId = shop;
            assertKeys(find(registry, "Stored.record"), new Order(shop, "x"), "" + shop);
            assertKeys(find(registry, "Stored.map"), Map.of("a", bean), "" + shop);
        }
        JobDefinition open = find(registry, "Stored.open");
        assertThat(lock(open, new Order(1, "5"))).isNotEqualTo(lock(open, new Order(1, 5)));
    }

    @Test
    void namesThatAreNotStoredFailTheStart() {
        for (Object each :
                List.of(new JavaNameOfUnique(), new JavaNameOfLimit(), new JavaNameOfKey(), new JavaNameInBean())) {
            JobRegistry.of(NOTHING, each);
            assertThatThrownBy(() -> JobRegistry.of(SNAKES, each))
                    .isInstanceOf(JobDefinitionException.class)
                    .hasMessageContaining("names 'shopId', which dev.jobs.CustomizedKeysTests$"
                            + (each instanceof JavaNameInBean ? "Bean" : "Order")
                            + " doesn't have: it is stored with the members ["
                            + (each instanceof JavaNameInBean ? "shop_id, some_tags]" : "any_value, shop_id]"));
        }
    }

    @Test
    void equalSetsHaveOneKeyWithCustomizers() {
        for (JobJsonCustomizer customizer : List.<JobJsonCustomizer>of(
                MONEY, mapper -> List.of(MONEY, SNAKES).forEach(each -> each.customize(mapper)))) {
            JobRegistry registry = JobRegistry.of(customizer, new OnceEach());
            Money money = Money.of(List.of("12", "EUR"));
            assertThat(lock(find(registry, "OnceEach.tagged"), new Tagged(set("b", "a", "c"), money)))
                    .isEqualTo(lock(find(registry, "OnceEach.tagged"), new Tagged(set("c", "b", "a"), money)))
                    .contains("[\"a\",\"b\",\"c\"]");
            Bean one = new Bean();
            one.someTags = set("y", "x");
            Bean other = new Bean();
            other.someTags = set("x", "y");
            assertThat(lock(find(registry, "OnceEach.bean"), one))
                    .isEqualTo(lock(find(registry, "OnceEach.bean"), other));
        }
    }

    private static Set<String> set(String... elements) {
        return new LinkedHashSet<>(List.of(elements));
    }

    @Test
    void whatAModuleWritesStaysAsItIs() {
        JobRegistry registry = JobRegistry.of(MONEY, new OnceEach());
        JobDefinition job = find(registry, "OnceEach.money");

        assertThat(lock(job, new Tagged(Set.of(), Money.of(List.of("EUR", "12")))))
                .isEqualTo("[\"EUR\",\"12\"]");
        assertThat(lock(job, new Tagged(Set.of(), Money.of(List.of("12", "EUR")))))
                .isEqualTo("[\"12\",\"EUR\"]");
    }

    record Renamed(@JsonProperty("no") int number) {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    record Typed(int id) {}

    static class Annotated {
        @Job(key = "{0.no}")
        void renamed(Renamed it) {}

        @Job(key = "{0.@type}{0.id}")
        void typed(Typed it) {}
    }

    static class Old {
        @Job(key = "{0.number}")
        void renamed(Renamed it) {}
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void annotationsRenameToo(boolean customized) {
        JobJsonCustomizer customizer = customized ? SNAKES : NOTHING;
        JobRegistry registry =
                customized ? JobRegistry.of(customizer, new Annotated()) : JobRegistry.of(new Annotated());
        JobDefinition renamed = find(registry, "Annotated.renamed");

        assertThat(JobOrder.key(payload(renamed, new Renamed(7)), renamed)).isEqualTo("7");
        assertThatThrownBy(() -> JobRegistry.of(customizer, new Old()))
                .isInstanceOf(JobDefinitionException.class)
                .hasMessageContaining("doesn't have: it is stored with the members [no]");
    }

    static class More {
        public int id;

        @JsonUnwrapped
        public Inner inner = new Inner();
    }

    static class Inner {
        public int deep;
    }

    static class Any {

        private final Map<String, Object> all = new TreeMap<>();

        @JsonAnyGetter
        public Map<String, Object> all() {
            return all;
        }

        @JsonAnySetter
        public void put(String name, Object value) {
            all.put(name, value);
        }
    }

    static class Open {
        @Job(key = "{0.deep}")
        void unwrapped(More it) {}

        @Job(key = "{0.some}")
        void any(Any it) {}
    }

    @Test
    void membersThatOnlyTheJsonTellsAreNotRefused() {
        JobRegistry registry = JobRegistry.of(SNAKES, new Open());
        More more = new More();
        more.inner.deep = 3;
        Any any = new Any();
        any.put("some", "x");

        JobDefinition unwrapped = find(registry, "Open.unwrapped");
        assertThat(JobOrder.key(payload(unwrapped, more), unwrapped)).isEqualTo("3");
        JobDefinition open = find(registry, "Open.any");
        assertThat(JobOrder.key(payload(open, any), open)).isEqualTo("x");
    }
}
