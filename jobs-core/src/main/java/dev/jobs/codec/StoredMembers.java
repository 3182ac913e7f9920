package dev.jobs.codec;

import com.fasterxml.jackson.annotation.JsonTypeInfo.As;
import dev.jobs.Internal;
import java.lang.reflect.Type;
import java.time.temporal.TemporalAccessor;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.TypeSerializer;
import tools.jackson.databind.ser.AnyGetterWriter;
import tools.jackson.databind.ser.BeanPropertyWriter;
import tools.jackson.databind.ser.PropertyWriter;
import tools.jackson.databind.ser.bean.BeanSerializerBase;
import tools.jackson.databind.ser.jdk.MapSerializer;
import tools.jackson.databind.ser.std.ReferenceTypeSerializer;

/** The members that values of a type have where they are stored, by the names that they have there. Thread-safe. */
@Internal
public final class StoredMembers {

    private static final Set<Class<?>> SCALARS = Set.of(String.class, Boolean.class, Character.class, UUID.class);

    private final JsonMapper mapper;
    private final boolean customized;

    StoredMembers(JsonMapper mapper, boolean customized) {
        this.mapper = mapper;
        this.customized = customized;
    }

    /** Whether no value of a type has members. */
    public static boolean isWithout(Class<?> type) {
        return type.isPrimitive()
                || type.isEnum()
                || type.isArray()
                || SCALARS.contains(type)
                || Number.class.isAssignableFrom(type)
                || Collection.class.isAssignableFrom(type)
                || TemporalAccessor.class.isAssignableFrom(type);
    }

    /**
     * Refuses what can't be there; many a type tells only at run time what its JSON has.
     *
     * @param path names of members, each of the one before
     * @throws IllegalArgumentException if values never have these members; says why
     */
    public void check(Type type, List<String> path) {
        if (!path.isEmpty()) {
            check(mapper.constructType(type), null, path);
        }
    }

    private void check(JavaType type, @Nullable ValueSerializer<?> own, List<String> path) {
        if (path.isEmpty()) {
            return;
        }
        String member = path.get(0);
        if (isWithout(type.getRawClass())) {
            throw new IllegalArgumentException(
                    "names '" + member + "', but a " + type.getRawClass().getName() + " has no members");
        }
        List<String> rest = path.subList(1, path.size());
        ValueSerializer<?> serializer = own == null ? serializer(type) : own;
        if (serializer instanceof ReferenceTypeSerializer && type.isReferenceType()) {
            check(type.getReferencedType(), null, path);
        } else if (serializer instanceof MapSerializer && type.isMapLikeType()) {
            check(type.getContentType(), null, rest);
        } else if (serializer instanceof BeanSerializerBase bean) {
            checkBean(type, bean, member, rest);
        }
    }

    private void checkBean(JavaType type, BeanSerializerBase bean, String member, List<String> rest) {
        TypeSerializer names = mapper._serializationContext().findTypeSerializer(type);
        boolean amongMembers = names == null
                || names.getTypeInclusion() == As.PROPERTY
                || names.getTypeInclusion() == As.EXISTING_PROPERTY;
        boolean maySubtype = names != null && !type.isFinal();
        Map<String, PropertyWriter> members = writers(bean);
        if (!amongMembers || maySubtype || type.isAbstract() || isOpen(members)) {
            return;
        }
        PropertyWriter known = members.get(member);
        if (known == null) {
            if (names == null || !member.equals(names.getPropertyName())) {
                throw new IllegalArgumentException(
                        "names '" + member + "', which " + type.getRawClass().getName()
                                + " doesn't have: it is stored with the members " + members.keySet());
            }
        } else if (!(known instanceof BeanPropertyWriter property) || property.getTypeSerializer() == null) {
            check(
                    known.getType(),
                    known instanceof BeanPropertyWriter property && property.hasSerializer()
                            ? property.getSerializer()
                            : null,
                    rest);
        }
    }

    /** Whether there may be others than these. */
    private static boolean isOpen(Map<String, PropertyWriter> members) {
        return members.values().stream()
                .anyMatch(each -> each instanceof AnyGetterWriter
                        || each instanceof BeanPropertyWriter property && property.isUnwrapping());
    }

    private static Map<String, PropertyWriter> writers(BeanSerializerBase bean) {
        Map<String, PropertyWriter> members = new TreeMap<>();
        for (Iterator<PropertyWriter> it = bean.properties(); it.hasNext(); ) {
            PropertyWriter each = it.next();
            members.put(each.getName(), each);
        }
        return members;
    }

    private @Nullable ValueSerializer<?> serializer(JavaType type) {
        SerializationContext context = mapper._serializationContext();
        try {
            ValueSerializer<?> found = context.findValueSerializer(type);
            while (!(found instanceof BeanSerializerBase) && found != null && found.getDelegatee() != null) {
                found = found.getDelegatee();
            }
            return found;
        } catch (JacksonException e) {
            return null; // nothing of it is known
        }
    }

    /**
     * The component of a record that is stored with a name; the same name if customizers change none.
     *
     * @param stored the name of a member
     */
    public String component(Class<?> type, String stored) {
        if (customized && serializer(mapper.constructType(type)) instanceof BeanSerializerBase bean) {
            PropertyWriter known = writers(bean).get(stored);
            return known == null ? stored : known.getMember().getName();
        }
        return stored;
    }
}
