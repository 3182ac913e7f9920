package dev.jobs.codec;

import com.fasterxml.jackson.annotation.JsonFormat;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.io.Writer;
import java.lang.ref.Reference;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Type;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.Channel;
import java.util.Enumeration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Spliterator;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.locks.Lock;
import java.util.stream.BaseStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.Version;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.KeyDeserializer;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.deser.Deserializers;
import tools.jackson.databind.ser.Serializers;
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.ser.bean.BeanSerializerBase;

/**
 * Makes Jackson refuse types that are bound to this process, in both directions and at any depth.
 *
 * <p>Jackson would write some of them as the results of all their getters, and would read others by loading a class or
 * resolving a host that the text names.
 */
final class UncarriedTypes extends JacksonModule {

    private static final List<Class<?>> UNCARRIED = List.of(
            AnnotatedElement.class,
            BaseStream.class,
            Channel.class,
            ClassLoader.class,
            Enumeration.class,
            Executor.class,
            Future.class,
            InetAddress.class,
            InetSocketAddress.class,
            InputStream.class,
            Iterator.class,
            Lock.class,
            OutputStream.class,
            Process.class,
            Reader.class,
            Reference.class,
            Spliterator.class,
            Thread.class,
            ThreadGroup.class,
            ThreadLocal.class,
            Throwable.class,
            Type.class,
            Writer.class);

    /** Why JSON can't carry values of a class, as the end of a sentence; null if no reason is known. */
    static @Nullable String reason(Class<?> type) {
        if (type.isHidden() || type.isSynthetic()) {
            return "lambdas and generated classes live in this process only";
        }
        for (Class<?> uncarried : UNCARRIED) {
            if (uncarried.isAssignableFrom(type)) {
                return uncarried.getSimpleName() + " objects live in this process only";
            }
        }
        return null;
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
        context.addSerializers(new RefusingSerializers());
        context.addSerializerModifier(new BeansOfTheJdk());
        context.addKeySerializers(new RefusingSerializers());
        context.addKeyDeserializers((type, config, description) -> {
            String reason = reason(type.getRawClass());
            return reason == null ? null : new RefusingKeyDeserializer(reason);
        });
        context.addDeserializers(new Deserializers.Base() {
            @Override
            public @Nullable ValueDeserializer<?> findBeanDeserializer(
                    JavaType type, DeserializationConfig config, BeanDescription.Supplier description) {
                String reason = reason(type.getRawClass());
                return reason == null ? null : new RefusingDeserializer(reason);
            }

            @Override
            public boolean hasDeserializerFor(DeserializationConfig config, Class<?> valueType) {
                return reason(valueType) != null;
            }
        });
    }

    /**
     * The same for classes of the JDK that Jackson treats as beans: it would write the results of their getters, from
     * which no reader could restore the value.
     */
    static @Nullable String reasonAgainstBean(Class<?> type) {
        String module = type.getModule().getName();
        return module != null && (module.startsWith("java.") || module.startsWith("jdk."))
                ? "the JDK has no JSON form of it"
                : null;
    }

    private static final class BeansOfTheJdk extends ValueSerializerModifier {

        private static final long serialVersionUID = 1L;

        @Override
        public ValueSerializer<?> modifySerializer(
                SerializationConfig config, BeanDescription.Supplier description, ValueSerializer<?> serializer) {
            Class<?> type = description.getBeanClass();
            String reason = serializer instanceof BeanSerializerBase ? reasonAgainstBean(type) : null;
            return reason == null ? serializer : new RefusingSerializer(type, reason);
        }
    }

    private static final class RefusingSerializers extends Serializers.Base {

        @Override
        public @Nullable ValueSerializer<?> findSerializer(
                SerializationConfig config,
                JavaType type,
                BeanDescription.Supplier description,
                JsonFormat.@Nullable Value format) {
            String reason = reason(type.getRawClass());
            return reason == null ? null : new RefusingSerializer(type.getRawClass(), reason);
        }
    }

    private static final class RefusingSerializer extends ValueSerializer<Object> {

        private final Class<?> type;
        private final String reason;

        RefusingSerializer(Class<?> type, String reason) {
            this.type = type;
            this.reason = reason;
        }

        @Override
        public void serialize(Object value, JsonGenerator out, SerializationContext context) {
            throw new Unwritable(
                    type.getName() + " has no JSON form: " + reason + "; pass the data itself, or an id to find it by");
        }
    }

    private static final class RefusingDeserializer extends ValueDeserializer<Object> {

        private final String reason;

        RefusingDeserializer(String reason) {
            this.reason = reason;
        }

        @Override
        public Object deserialize(JsonParser parser, DeserializationContext context) {
            return context.reportInputMismatch(this, reason);
        }
    }

    private static final class RefusingKeyDeserializer extends KeyDeserializer {

        private final String reason;

        RefusingKeyDeserializer(String reason) {
            this.reason = reason;
        }

        @Override
        public Object deserializeKey(String key, DeserializationContext context) {
            return context.reportInputMismatch(Map.class, reason);
        }
    }
}
