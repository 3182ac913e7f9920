package dev.jobs.codec;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TimeZone;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.Version;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonReadFeature;
import tools.jackson.databind.AbstractTypeResolver;
import tools.jackson.databind.DatabindContext;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.PolymorphicTypeValidator;
import tools.jackson.databind.type.LogicalType;

/**
 * Creates the Jackson mapper for arguments: it guesses, rounds and caches nothing from the text, and loads no class
 * that the text names.
 */
final class StrictMapper {

    /** The bounds of a Redis value (512 MB), and lower ones only where a small text could be expensive. */
    private static final StreamReadConstraints CONSTRAINTS = StreamReadConstraints.builder()
            .maxDocumentLength(-1)
            .maxTokenCount(-1)
            .maxStringLength(512 * 1024 * 1024)
            .maxNameLength(1024 * 1024)
            .maxNestingDepth(JsonText.MAX_DEPTH - 1) // the payload is the first level
            .maxNumberLength(JsonBuffer.MAX_DIGITS + 10) // includes signs, points and exponent marks
            .build();

    private StrictMapper() {}

    /**
     * @param customizers of the application, in their order; what is set here counts for more
     * @throws IllegalStateException if one of them turns on default typing
     */
    static JsonMapper create(List<? extends Consumer<JsonMapper.Builder>> customizers, JacksonModule... more) {
        JsonFactory factory = JsonFactory.builder()
                .streamReadConstraints(CONSTRAINTS)
                .enable(JsonReadFeature.ALLOW_JAVA_COMMENTS)
                // otherwise Jackson keeps every foreign member name for later parsers
                .disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
                .disable(TokenStreamFactory.Feature.INTERN_PROPERTY_NAMES)
                .build();
        JsonMapper.Builder mapper = JsonMapper.builder(factory);
        for (Consumer<JsonMapper.Builder> each : customizers) {
            each.accept(mapper);
            refuseDefaultTyping(mapper, each);
        }
        mapper.addModule(new UncarriedTypes())
                .addModule(new StrictScalars())
                .addModules(more)
                .addAbstractTypeResolver(new OrderedSets());
        applyRules(mapper);
        if (!customizers.isEmpty()) {
            mapper.addModule(new LastWord(customizers));
        }
        return mapper.build();
    }

    private static void refuseDefaultTyping(JsonMapper.Builder mapper, Object from) {
        if (mapper.baseSettings().getDefaultTyper() != null) {
            throw new IllegalStateException("The JSON customizer " + from
                    + " turns on default typing for the arguments of jobs, so that text from Redis would name classes to"
                    + " load. Remove that, and annotate the base type with @JsonTypeInfo(use = JsonTypeInfo.Id.NAME).");
        }
    }

    private static void applyRules(JsonMapper.Builder mapper) {
        mapper.accessorNaming(new BeanNames.Provider())
                .defaultTimeZone(TimeZone.getTimeZone("UTC"))
                .defaultLocale(Locale.ROOT)
                .defaultLeniency(false)
                .polymorphicTypeValidator(new NoClassNames())
                .disable(SerializationFeature.WRAP_ROOT_VALUE)
                .disable(DeserializationFeature.UNWRAP_ROOT_VALUE);
        writeFaithfully(mapper);
        readStrictly(mapper);
    }

    /** Modules are set up when the mapper is built, and may change its settings then. */
    private static final class LastWord extends JacksonModule {

        private final List<? extends Consumer<JsonMapper.Builder>> customizers;

        LastWord(List<? extends Consumer<JsonMapper.Builder>> customizers) {
            this.customizers = customizers;
        }

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
            if (context.getOwner() instanceof JsonMapper.Builder mapper) {
                refuseDefaultTyping(mapper, customizers);
                applyRules(mapper);
            }
        }
    }

    private static void writeFaithfully(JsonMapper.Builder mapper) {
        mapper.enable(SerializationFeature.FAIL_ON_EMPTY_BEANS, SerializationFeature.FAIL_ON_SELF_REFERENCES)
                .disable(DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS, DateTimeFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
                .disable(DateTimeFeature.WRITE_DATES_WITH_CONTEXT_TIME_ZONE)
                .enable(DateTimeFeature.WRITE_DATES_WITH_ZONE_ID)
                // the name of an enum constant is its identity; toString is for people
                .disable(EnumFeature.WRITE_ENUMS_USING_TO_STRING, EnumFeature.READ_ENUMS_USING_TO_STRING);
    }

    private static void readStrictly(JsonMapper.Builder mapper) {
        mapper.disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
                .enable(EnumFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
                .disable(DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE)
                .disable(DateTimeFeature.NORMALIZE_DESERIALIZED_ZONE_ID)
                .disable(
                        DeserializationFeature.ACCEPT_FLOAT_AS_INT,
                        DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES,
                        DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES,
                        // the next argument follows
                        DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .withCoercionConfigDefaults(
                        defaults -> defaults.setCoercion(CoercionInputShape.EmptyString, CoercionAction.Fail)
                                .setCoercion(CoercionInputShape.EmptyArray, CoercionAction.Fail))
                .withCoercionConfig(
                        LogicalType.Textual, text -> text.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
                                .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
                                .setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail));
    }

    /** Reads a set in the order in which it was written, as Jackson does with maps. */
    private static final class OrderedSets extends AbstractTypeResolver {

        @Override
        public @Nullable JavaType findTypeMapping(DeserializationConfig config, JavaType type) {
            return type.hasRawClass(Set.class)
                    ? config.getTypeFactory().constructSpecializedType(type, LinkedHashSet.class)
                    : null;
        }
    }

    /** Denies subtypes by class name, even if an annotation in the application requests them. */
    private static final class NoClassNames extends PolymorphicTypeValidator.Base {

        private static final long serialVersionUID = 1L;

        @Override
        public Validity validateBaseType(DatabindContext context, JavaType baseType) {
            // any later denial would come after the class is loaded
            return Validity.DENIED;
        }

        @Override
        public Validity validateSubClassName(DatabindContext context, JavaType baseType, String name) {
            return Validity.DENIED;
        }
    }
}
