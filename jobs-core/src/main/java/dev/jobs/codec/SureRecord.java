package dev.jobs.codec;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.ser.PropertyWriter;
import tools.jackson.databind.ser.bean.BeanSerializerBase;

/**
 * Tells without JSON whether a record arrives as it is: if it has no say in its JSON, and only components that arrive,
 * reading it means calling its accessors and then its constructor. Those are code, so they are called. It takes a tenth
 * of the time.
 */
final class SureRecord implements Predicate<Object> {

    private final Class<?> type;
    private final List<Component> components;
    private final Constructor<?> constructor;

    /**
     * @param carriesNull whether null arrives as null
     * @param surely whether another value arrives as it is
     */
    private record Component(Field field, Method accessor, boolean carriesNull, Predicate<Object> surely) {

        boolean arrives(Object record) throws ReflectiveOperationException {
            Object value = field.get(record);
            return Objects.equals(value, accessor.invoke(record)) && (value == null ? carriesNull : surely.test(value));
        }
    }

    private SureRecord(Class<?> type, List<Component> components, Constructor<?> constructor) {
        this.type = type;
        this.components = components;
        this.constructor = constructor;
    }

    /**
     * @param content how to tell whether values of a component's type arrive; null if that can't be told
     * @param carriesNull whether null arrives as null for a type
     * @return null if the record has to be read
     */
    static @Nullable SureRecord of(
            JavaType type,
            JsonMapper mapper,
            Function<JavaType, @Nullable Predicate<Object>> content,
            Predicate<JavaType> carriesNull) {
        Class<?> raw = type.getRawClass();
        if (!hasNoSay(raw) || !hasOnlyItsComponents(type, mapper)) {
            return null;
        }
        try {
            List<Component> components = new ArrayList<>();
            List<Class<?>> types = new ArrayList<>();
            for (RecordComponent each : raw.getRecordComponents()) {
                JavaType known = mapper.getTypeFactory().resolveMemberType(each.getGenericType(), type.getBindings());
                Predicate<Object> surely = content.apply(known);
                Field field = raw.getDeclaredField(each.getName());
                if (surely == null
                        || !field.trySetAccessible()
                        || !each.getAccessor().trySetAccessible()) {
                    return null;
                }
                components.add(new Component(field, each.getAccessor(), carriesNull.test(known), surely));
                types.add(each.getType());
            }
            Constructor<?> constructor = raw.getDeclaredConstructor(types.toArray(Class<?>[]::new));
            return constructor.trySetAccessible() ? new SureRecord(raw, List.copyOf(components), constructor) : null;
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }

    /** Whether no annotation changes its JSON, also of an interface, whose annotations its classes have as well. */
    private static boolean hasNoSay(Class<?> type) {
        List<AnnotatedElement> all = new ArrayList<>(List.of(type));
        all.addAll(List.of(type.getDeclaredFields()));
        all.addAll(List.of(type.getDeclaredMethods()));
        for (Constructor<?> each : type.getDeclaredConstructors()) {
            all.add(each);
            all.addAll(List.of(each.getParameters()));
        }
        return all.stream()
                        .flatMap(each -> Arrays.stream(each.getAnnotations()))
                        .noneMatch(SureRecord::isOfJackson)
                && Arrays.stream(type.getInterfaces()).allMatch(SureRecord::hasNoSay);
    }

    private static boolean isOfJackson(Annotation annotation) {
        return Arrays.stream(annotation.annotationType().getAnnotations())
                .anyMatch(each -> each.annotationType().getName().startsWith("com.fasterxml.jackson.annotation."));
    }

    private static boolean hasOnlyItsComponents(JavaType type, JsonMapper mapper) {
        Set<String> names = new HashSet<>();
        for (RecordComponent each : type.getRawClass().getRecordComponents()) {
            names.add(each.getName());
        }
        try {
            ValueDeserializer<?> reader = mapper._deserializationContext().findRootValueDeserializer(type);
            ValueSerializer<?> writer = mapper._serializationContext().findValueSerializer(type);
            return reader instanceof BeanDeserializerBase bean
                    && writer instanceof BeanSerializerBase
                    && names.equals(read(bean))
                    && names.equals(written(writer));
        } catch (JacksonException e) {
            return false;
        }
    }

    private static Set<String> read(BeanDeserializerBase bean) {
        Set<String> names = new HashSet<>();
        bean.creatorProperties().forEachRemaining(each -> names.add(each.getName()));
        return names;
    }

    private static Set<String> written(ValueSerializer<?> writer) {
        Set<String> names = new HashSet<>();
        for (Iterator<PropertyWriter> all = writer.properties(); all.hasNext(); ) {
            names.add(all.next().getName());
        }
        return names;
    }

    @Override
    public boolean test(Object value) {
        if (value.getClass() != type) {
            return false;
        }
        try {
            @Nullable Object[] values = new Object[components.size()];
            for (int i = 0; i < values.length; i++) {
                Component each = components.get(i);
                if (!each.arrives(value)) {
                    return false;
                }
                values[i] = each.field().get(value);
            }
            Object again = constructor.newInstance(values);
            for (int i = 0; i < values.length; i++) {
                if (!Objects.equals(values[i], components.get(i).field().get(again))) {
                    return false;
                }
            }
            return true;
        } catch (ReflectiveOperationException | RuntimeException e) {
            return false; // reading it will say why
        }
    }
}
