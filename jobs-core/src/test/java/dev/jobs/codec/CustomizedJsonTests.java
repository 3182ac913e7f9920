package dev.jobs.codec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.jobs.JobJsonCustomizer;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DefaultTyping;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.deser.std.StdDeserializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.BasicPolymorphicTypeValidator;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdSerializer;

/** What an application may change of the JSON of arguments, and what stays. */
class CustomizedJsonTests {

    /** A class of another library: no accessors, no constructor to read it with. */
    static final class Money {

        private final String amount;

        private Money(String amount) {
            this.amount = amount;
        }

        static Money of(String amount) {
            return new Money(amount);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Money money && money.amount.equals(amount);
        }

        @Override
        public int hashCode() {
            return amount.hashCode();
        }
    }

    record Price(Money money, int itemCount, Instant at) {}

    private static final JobJsonCustomizer MONEY = mapper -> mapper.addModule(new SimpleModule("money")
            .addSerializer(new StdSerializer<Money>(Money.class) {
                @Override
                public void serialize(Money value, JsonGenerator out, SerializationContext context) {
                    out.writeString(value.amount);
                }
            })
            .addDeserializer(Money.class, new StdDeserializer<>(Money.class) {
                @Override
                public Money deserialize(JsonParser in, DeserializationContext context) {
                    return Money.of(in.getString());
                }
            }));

    private static ArgumentCodec codec(JobJsonCustomizer... customizers) {
        return new ArgumentCodec(List.of(customizers));
    }

    private static ParameterType parameter(Type type) {
        return new ParameterType("it", type);
    }

    private static String encode(ArgumentCodec codec, Object value) throws JsonException {
        return new String(codec.encode(List.of(value), List.of(parameter(value.getClass()))), UTF_8);
    }

    @Test
    void withoutAModuleSuchATypeIsRefused() {
        assertThatThrownBy(() -> new ArgumentCodec().check(parameter(Money.class)))
                .isInstanceOf(ArgumentException.class)
                .hasMessageContaining("has no constructor to create it with");
    }

    @Test
    void aModuleCarriesItAlsoInsideOthersAndAsAResult() throws Exception {
        ArgumentCodec codec = codec(MONEY);
        codec.check(parameter(Money.class));
        codec.check(parameter(Price.class));
        Price price = new Price(Money.of("12 EUR"), 3, Instant.parse("2026-01-02T03:04:05.123456789Z"));

        assertThat(encode(codec, price))
                .isEqualTo("[{\"money\":\"12 EUR\",\"itemCount\":3,\"at\":\"2026-01-02T03:04:05.123456789Z\"}]");
        assertThat(codec.decode(encode(codec, price).getBytes(UTF_8), List.of(parameter(Price.class))))
                .containsExactly(price);
        assertThat(new String(codec.encodeResult(Money.of("1"), Money.class), UTF_8))
                .isEqualTo("\"1\"");
        assertThat(new String(codec.encodeByName(List.of(price)), UTF_8)).contains("12 EUR");
    }

    @Test
    void whatAModuleWritesWithoutReadingItIsRefusedAlsoForTimes() {
        ArgumentCodec codec = codec(mapper -> mapper.addModule(
                new SimpleModule("whole seconds").addSerializer(new StdSerializer<Instant>(Instant.class) {
                    @Override
                    public void serialize(Instant value, JsonGenerator out, SerializationContext context) {
                        out.writeString(
                                Instant.ofEpochSecond(value.getEpochSecond()).toString());
                    }
                })));

        assertThatThrownBy(() -> encode(codec, Instant.parse("2026-01-02T03:04:05.6Z")))
                .isInstanceOf(JsonException.class)
                .hasMessageContaining("can't be stored");
    }

    @Test
    void aNamingStrategyAppliesToWritingAndReading() throws Exception {
        ArgumentCodec codec =
                codec(MONEY, mapper -> mapper.propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE));
        Price price = new Price(Money.of("1"), 3, Instant.EPOCH);

        assertThat(encode(codec, price)).contains("\"item_count\":3");
        assertThat(codec.decode(encode(codec, price).getBytes(UTF_8), List.of(parameter(Price.class))))
                .containsExactly(price);
    }

    @Test
    void theRulesStayWhateverIsSet() throws Exception {
        ArgumentCodec plain = new ArgumentCodec();
        ArgumentCodec codec = codec(CustomizedJsonTests::loosen);

        for (Object value : List.of(Instant.EPOCH, new BigDecimal("1.50"), List.of(1, "a"), Thread.State.NEW)) {
            assertThat(encode(codec, value)).isEqualTo(encode(plain, value));
        }
        assertRefused(codec, "[1.5]", int.class);
        assertRefused(codec, "[\"\"]", Integer.class);
        assertRefused(codec, "[\"1\"]", Boolean.class);
        assertRefused(codec, "[0]", Thread.State.class);
        assertRefused(codec, "[1700000000]", Instant.class);
        assertThat(codec.decode("[{\"money\":null,\"more\":1}]".getBytes(UTF_8), List.of(parameter(Price.class))))
                .containsExactly(new Price(null, 0, null));
    }

    /** A module is set up last of all. */
    @Test
    void theRulesStayWhateverAModuleSets() throws Exception {
        ArgumentCodec codec = codec(mapper -> mapper.addModule(new SimpleModule("loose") {
            @Override
            public void setupModule(SetupContext context) {
                loosen((JsonMapper.Builder) context.getOwner());
            }
        }));

        assertThat(encode(codec, Instant.EPOCH)).isEqualTo("[\"1970-01-01T00:00:00Z\"]");
        assertRefused(codec, "[1.5]", int.class);
        assertRefused(codec, "[\"1\"]", Boolean.class);
    }

    private static void loosen(JsonMapper.Builder mapper) {
        mapper.enable(DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS)
                .enable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
                .enable(
                        DeserializationFeature.ACCEPT_FLOAT_AS_INT,
                        DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES,
                        DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES,
                        DeserializationFeature.UNWRAP_ROOT_VALUE)
                .enable(SerializationFeature.WRAP_ROOT_VALUE)
                .defaultLeniency(true);
    }

    private static void assertRefused(ArgumentCodec codec, String json, Type type) {
        assertThatThrownBy(() -> codec.decode(json.getBytes(UTF_8), List.of(parameter(type))))
                .isInstanceOf(ArgumentException.class);
    }

    @Test
    void defaultTypingIsRefusedAlsoFromAModule() {
        JobJsonCustomizer typing = mapper -> mapper.activateDefaultTyping(
                BasicPolymorphicTypeValidator.builder()
                        .allowIfBaseType(Object.class)
                        .build(),
                DefaultTyping.NON_FINAL,
                JsonTypeInfo.As.PROPERTY);
        JobJsonCustomizer hidden = mapper -> mapper.addModule(new SimpleModule("typing") {
            @Override
            public void setupModule(SetupContext context) {
                typing.customize((JsonMapper.Builder) context.getOwner());
            }
        });

        for (JobJsonCustomizer each : List.of(typing, hidden)) {
            assertThatThrownBy(() -> codec(each))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(CustomizedJsonTests.class.getName())
                    .hasMessageContaining("turns on default typing")
                    .hasMessageContaining("@JsonTypeInfo(use = JsonTypeInfo.Id.NAME)");
        }
    }
}
