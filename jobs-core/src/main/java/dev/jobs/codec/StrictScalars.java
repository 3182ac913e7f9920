package dev.jobs.codec;

import com.fasterxml.jackson.annotation.JsonFormat;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Date;
import java.util.GregorianCalendar;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.Version;
import tools.jackson.core.exc.InputCoercionException;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.Deserializers;
import tools.jackson.databind.deser.ValueDeserializerModifier;
import tools.jackson.databind.deser.std.DelegatingDeserializer;
import tools.jackson.databind.deser.std.StdScalarDeserializer;
import tools.jackson.databind.jsontype.TypeDeserializer;
import tools.jackson.databind.type.ArrayType;
import tools.jackson.databind.type.ReferenceType;

/** Makes Jackson read large numbers exactly and in bounded time, and points in time from text only. */
final class StrictScalars extends JacksonModule {

    private static final Set<Class<?>> EXACT =
            Set.of(BigInteger.class, BigDecimal.class, byte.class, Byte.class, OptionalDouble.class);

    private static final Set<Class<?>> FLOATS =
            Set.of(double.class, Double.class, double[].class, float.class, Float.class, float[].class);

    private static final Set<Class<?>> TIMES = Set.of(
            Calendar.class,
            Date.class,
            Duration.class,
            GregorianCalendar.class,
            Instant.class,
            LocalDate.class,
            LocalDateTime.class,
            LocalTime.class,
            OffsetDateTime.class,
            OffsetTime.class,
            ZonedDateTime.class);

    @Override
    public String getModuleName() {
        return getClass().getName();
    }

    @Override
    public Version version() {
        return Version.unknownVersion();
    }

    @Override
    public void setupModule(SetupContext context) {
        context.addDeserializers(new Deserializers.Base() {
            @Override
            public @Nullable ValueDeserializer<?> findBeanDeserializer(
                    JavaType type, DeserializationConfig config, BeanDescription.Supplier description) {
                Class<?> raw = type.getRawClass();
                if (raw == BigInteger.class) {
                    return new BigIntegers();
                }
                if (raw == BigDecimal.class) {
                    return new BigDecimals();
                }
                return raw == byte.class || raw == Byte.class ? new Bytes(raw) : null;
            }

            /** Jackson takes an OptionalDouble for a reference. */
            @Override
            public @Nullable ValueDeserializer<?> findReferenceDeserializer(
                    ReferenceType type,
                    DeserializationConfig config,
                    BeanDescription.Supplier description,
                    TypeDeserializer contentType,
                    ValueDeserializer<?> content) {
                return type.getRawClass() == OptionalDouble.class ? new OptionalDoubles() : null;
            }

            @Override
            public boolean hasDeserializerFor(DeserializationConfig config, Class<?> valueType) {
                return EXACT.contains(valueType);
            }
        });
        context.addDeserializerModifier(new ValueDeserializerModifier() {
            @Override
            public ValueDeserializer<?> modifyArrayDeserializer(
                    DeserializationConfig config,
                    ArrayType type,
                    BeanDescription.Supplier description,
                    ValueDeserializer<?> deserializer) {
                return FLOATS.contains(type.getRawClass()) ? new FiniteOnly(deserializer) : deserializer;
            }

            @Override
            public ValueDeserializer<?> modifyDeserializer(
                    DeserializationConfig config,
                    BeanDescription.Supplier description,
                    ValueDeserializer<?> deserializer) {
                Class<?> type = description.getBeanClass();
                if (FLOATS.contains(type)) {
                    return new FiniteOnly(deserializer);
                }
                return TIMES.contains(type) ? new TimesFromText(deserializer) : deserializer;
            }
        });
    }

    private static final class BigIntegers extends StdScalarDeserializer<BigInteger> {

        private static final Pattern INTEGER = Pattern.compile("-?[0-9]{1," + JsonBuffer.MAX_DIGITS + "}");

        BigIntegers() {
            super(BigInteger.class);
        }

        @Override
        public @Nullable BigInteger deserialize(JsonParser parser, DeserializationContext context) {
            if (parser.hasToken(JsonToken.VALUE_NUMBER_INT)) {
                return parser.getBigIntegerValue();
            }
            if (!parser.hasToken(JsonToken.VALUE_STRING)) {
                return (BigInteger) context.handleUnexpectedToken(getValueType(context), parser);
            }
            String text = parser.getString();
            return INTEGER.matcher(text).matches()
                    ? new BigInteger(text)
                    : (BigInteger) context.handleWeirdStringValue(BigInteger.class, text, "not an integer");
        }
    }

    private static final class BigDecimals extends StdScalarDeserializer<BigDecimal> {

        /** BigDecimal doesn't support exponents of more digits. */
        private static final Pattern DECIMAL = Pattern.compile("-?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]{1,9})?");

        BigDecimals() {
            super(BigDecimal.class);
        }

        @Override
        public @Nullable BigDecimal deserialize(JsonParser parser, DeserializationContext context) {
            JsonToken token = parser.currentToken();
            if (!token.isNumeric() && token != JsonToken.VALUE_STRING) {
                return (BigDecimal) context.handleUnexpectedToken(getValueType(context), parser);
            }
            String text = parser.getString();
            if (text.length() <= JsonBuffer.MAX_DIGITS + 10
                    && DECIMAL.matcher(text).matches()) {
                BigDecimal value = new BigDecimal(text);
                // with a large exponent, a later conversion of the value may take minutes
                if (value.precision() <= JsonBuffer.MAX_DIGITS && Math.abs(value.scale()) <= JsonBuffer.MAX_DIGITS) {
                    return value;
                }
            }
            return (BigDecimal) context.handleWeirdStringValue(BigDecimal.class, text, "not a decimal");
        }
    }

    /** Refuses 128 to 255, which Jackson accepts for a byte and makes negative. */
    private static final class Bytes extends StdScalarDeserializer<Byte> {

        private final Class<?> type;

        Bytes(Class<?> type) {
            super(type);
            this.type = type;
        }

        @Override
        public @Nullable Byte deserialize(JsonParser parser, DeserializationContext context) {
            if (!parser.hasToken(JsonToken.VALUE_NUMBER_INT)) {
                return (Byte) context.handleUnexpectedToken(getValueType(context), parser);
            }
            int value = parser.getIntValue();
            if (value != (byte) value) {
                throw outOfRange(parser, type);
            }
            return (byte) value;
        }

        @Override
        public @Nullable Object getNullValue(DeserializationContext context) {
            return type.isPrimitive() ? (byte) 0 : null;
        }
    }

    /** Refuses infinity and "NaN", which Jackson's own one accepts without asking the modifier below. */
    private static final class OptionalDoubles extends StdScalarDeserializer<OptionalDouble> {

        OptionalDoubles() {
            super(OptionalDouble.class);
        }

        @Override
        public @Nullable OptionalDouble deserialize(JsonParser parser, DeserializationContext context) {
            if (!parser.currentToken().isNumeric()) {
                return (OptionalDouble) context.handleUnexpectedToken(getValueType(context), parser);
            }
            double value = parser.getDoubleValue();
            if (!Double.isFinite(value)) {
                throw outOfRange(parser, OptionalDouble.class);
            }
            return OptionalDouble.of(value);
        }

        @Override
        public OptionalDouble getNullValue(DeserializationContext context) {
            return OptionalDouble.empty();
        }

        @Override
        public OptionalDouble getAbsentValue(DeserializationContext context) {
            return OptionalDouble.empty();
        }
    }

    /** Refuses infinity, which only results from too large a number, and texts such as "NaN", which Jackson accepts. */
    private static final class FiniteOnly extends DelegatingDeserializer {

        FiniteOnly(ValueDeserializer<?> deserializer) {
            super(deserializer);
        }

        @Override
        protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> deserializer) {
            return new FiniteOnly(deserializer);
        }

        @Override
        public @Nullable Object deserialize(JsonParser parser, DeserializationContext context) {
            boolean number = parser.currentToken().isNumeric();
            Object value = super.deserialize(parser, context);
            if (isFinite(value)) {
                return value;
            }
            if (number) {
                throw outOfRange(parser, handledType());
            }
            return context.reportInputMismatch(this, "not finite");
        }

        private static boolean isFinite(@Nullable Object value) {
            if (value instanceof double[] values) {
                return Arrays.stream(values).allMatch(Double::isFinite);
            }
            if (value instanceof float[] values) {
                return IntStream.range(0, values.length).allMatch(i -> Float.isFinite(values[i]));
            }
            return !(value instanceof Number number) || Double.isFinite(number.doubleValue());
        }
    }

    private static InputCoercionException outOfRange(JsonParser parser, Class<?> type) {
        return new InputCoercionException(parser, "out of range", parser.currentToken(), type);
    }

    /** Accepts only text as a point in time: a number may count seconds or milliseconds. */
    private static final class TimesFromText extends DelegatingDeserializer {

        private static final Pattern NUMBER = Pattern.compile("[+-]?[0-9]+(\\.[0-9]*)?");

        TimesFromText(ValueDeserializer<?> deserializer) {
            super(deserializer);
        }

        @Override
        protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> deserializer) {
            return new TimesFromText(deserializer);
        }

        @Override
        public ValueDeserializer<?> createContextual(DeserializationContext context, @Nullable BeanProperty property) {
            ValueDeserializer<?> contextual = super.createContextual(context, property);
            JsonFormat.Value format = findFormatOverrides(context, property, handledType());
            boolean numberWanted = format != null && format.getShape().isNumeric();
            return numberWanted ? ((TimesFromText) contextual).getDelegatee() : contextual;
        }

        @Override
        public @Nullable Object deserialize(JsonParser parser, DeserializationContext context) {
            if (parser.currentToken().isNumeric()) {
                return context.handleUnexpectedToken(getValueType(context), parser);
            }
            if (parser.hasToken(JsonToken.VALUE_STRING)
                    && NUMBER.matcher(parser.getString()).matches()) {
                return context.handleWeirdStringValue(handledType(), parser.getString(), "a number");
            }
            return super.deserialize(parser, context);
        }
    }
}
