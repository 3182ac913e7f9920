package dev.jobs.codec;

import tools.jackson.core.JsonGenerator;
import tools.jackson.core.Version;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.ser.ValueSerializerModifier;

/**
 * Makes Jackson refuse maps whose keys are neither text nor enum constants, at any depth. JSON has text keys only:
 * without a parameter that defines the key type, a number comes back as text, and an object as the result of its
 * {@code toString}.
 */
final class TextKeys extends JacksonModule {

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
        context.addSerializerModifier(new ValueSerializerModifier() {
            private static final long serialVersionUID = 1L;

            @Override
            public ValueSerializer<?> modifyKeySerializer(
                    SerializationConfig config,
                    JavaType type,
                    BeanDescription.Supplier description,
                    ValueSerializer<?> serializer) {
                return new TextKeySerializer(serializer);
            }
        });
    }

    private static final class TextKeySerializer extends ValueSerializer<Object> {

        private final ValueSerializer<Object> text;

        @SuppressWarnings("unchecked")
        TextKeySerializer(ValueSerializer<?> text) {
            this.text = (ValueSerializer<Object>) text;
        }

        @Override
        public void serialize(Object key, JsonGenerator out, SerializationContext context) {
            if (!(key instanceof CharSequence || key instanceof Enum)) {
                throw new Unwritable("a map needs text as keys, and one of these is a "
                        + key.getClass().getName() + "; convert the keys first");
            }
            text.serialize(key, out, context);
        }
    }
}
