package dev.jobs.codec;

import java.util.Locale;
import java.util.TimeZone;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonReadFeature;
import tools.jackson.databind.DatabindContext;
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

/** Configures the Jackson mapper for arguments: nothing is guessed, rounded or remembered, and no text names a class. */
final class StrictMapper {

    /** No limits below those of a Redis value (512 MB), except where a small text could cost much. */
    private static final StreamReadConstraints CONSTRAINTS = StreamReadConstraints.builder()
            .maxDocumentLength(-1)
            .maxTokenCount(-1)
            .maxStringLength(512 * 1024 * 1024)
            .maxNameLength(1024 * 1024)
            .maxNestingDepth(JsonText.MAX_DEPTH - 1) // the payload is the first level
            .maxNumberLength(JsonBuffer.MAX_DIGITS + 10) // counts signs, points and exponent marks, too
            .build();

    private StrictMapper() {}

    static JsonMapper create(JacksonModule... more) {
        JsonFactory factory = JsonFactory.builder()
                .streamReadConstraints(CONSTRAINTS)
                .enable(JsonReadFeature.ALLOW_JAVA_COMMENTS)
                // else every member name ever read is kept for later parsers, whoever invented it
                .disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
                .disable(TokenStreamFactory.Feature.INTERN_PROPERTY_NAMES)
                .build();
        JsonMapper.Builder mapper = JsonMapper.builder(factory)
                .addModule(new UncarriedTypes())
                .addModule(new StrictScalars())
                .addModules(more)
                .defaultTimeZone(TimeZone.getTimeZone("UTC"))
                .defaultLocale(Locale.ROOT)
                .defaultLeniency(false)
                .polymorphicTypeValidator(new NoClassNames());
        writeFaithfully(mapper);
        readStrictly(mapper);
        return mapper.build();
    }

    private static void writeFaithfully(JsonMapper.Builder mapper) {
        mapper.enable(SerializationFeature.FAIL_ON_EMPTY_BEANS, SerializationFeature.FAIL_ON_SELF_REFERENCES)
                .disable(DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS, DateTimeFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
                .disable(DateTimeFeature.WRITE_DATES_WITH_CONTEXT_TIME_ZONE)
                .enable(DateTimeFeature.WRITE_DATES_WITH_ZONE_ID)
                // the name of an enum constant is its identity, what toString says is for people
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
                        // an argument is followed by the next one
                        DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .withCoercionConfigDefaults(
                        defaults -> defaults.setCoercion(CoercionInputShape.EmptyString, CoercionAction.Fail)
                                .setCoercion(CoercionInputShape.EmptyArray, CoercionAction.Fail))
                .withCoercionConfig(
                        LogicalType.Textual, text -> text.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
                                .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
                                .setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail));
    }

    /** Denies subtypes by class name, also where an annotation of the application's asks for them. */
    private static final class NoClassNames extends PolymorphicTypeValidator.Base {

        private static final long serialVersionUID = 1L;

        @Override
        public Validity validateBaseType(DatabindContext context, JavaType baseType) {
            // any later answer would come after the class has been loaded
            return Validity.DENIED;
        }

        @Override
        public Validity validateSubClassName(DatabindContext context, JavaType baseType, String name) {
            return Validity.DENIED;
        }
    }
}
