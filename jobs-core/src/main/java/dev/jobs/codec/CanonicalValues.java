package dev.jobs.codec;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.annotation.JsonTypeInfo.As;
import dev.jobs.Internal;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.deser.SettableBeanProperty;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.TypeDeserializer;

/**
 * Makes plain values that a parameter reads as equal values equal: elements of sets in one order, without repeated
 * ones, and numbers as our clients write them. Members of objects are in the order of their names. What only code knows
 * stays as it is, such as the JSON of a serializer of the application. Thread-safe.
 */
@Internal
public final class CanonicalValues {

    private static final Set<Class<?>> FLOATS = Set.of(double.class, Double.class, float.class, Float.class);

    private static final Pattern INTEGER = Pattern.compile("-?[0-9]{1," + JsonBuffer.MAX_DIGITS + "}");

    private final JsonMapper mapper;
    private final DeserializationContext context;
    private final Map<JavaType, Map<String, JavaType>> members = new ConcurrentHashMap<>();
    private final Map<JavaType, Optional<TypeDeserializer>> subtypes = new ConcurrentHashMap<>();

    CanonicalValues(JsonMapper mapper) {
        this.mapper = mapper;
        this.context = mapper._deserializationContext();
    }

    /**
     * The canonical form of a value.
     *
     * @param declared as which it is read
     * @param plain a value as {@link JsonText#decode} returns it
     */
    public @Nullable Object of(Type declared, @Nullable Object plain) {
        return of(mapper.constructType(declared), plain);
    }

    private @Nullable Object of(JavaType type, @Nullable Object value) {
        if (type.isReferenceType() && type.getContentType() != null) {
            return of(type.getContentType(), value);
        }
        if (value instanceof List<?> list) {
            return list(type, list);
        }
        if (value instanceof Map<?, ?> object) {
            return object(type, object);
        }
        if (value instanceof Number number) {
            return number(type, number);
        }
        boolean integer = type.hasRawClass(BigInteger.class)
                && value instanceof String text
                && INTEGER.matcher(text).matches();
        return integer ? (Object) new BigInteger(String.valueOf(value)) : value;
    }

    private static Object number(JavaType type, Number number) {
        if (FLOATS.contains(type.getRawClass())) {
            return number.doubleValue();
        }
        return type.hasRawClass(BigDecimal.class) ? JsonBuffer.text(new BigDecimal(number.toString())) : number;
    }

    private List<@Nullable Object> list(JavaType type, List<?> list) {
        JavaType named = list.size() == 2 ? named(type, As.WRAPPER_ARRAY, list.get(0)) : null;
        if (named != null) {
            return Arrays.asList(list.get(0), of(named, list.get(1)));
        }
        JavaType content = type.isContainerType() ? type.getContentType() : null;
        List<@Nullable Object> elements = new ArrayList<>(list.size());
        for (Object each : list) {
            elements.add(content == null ? sorted(each) : of(content, each));
        }
        if (!Set.class.isAssignableFrom(type.getRawClass())) {
            return elements;
        }
        Map<String, @Nullable Object> byText = new TreeMap<>();
        elements.forEach(each -> byText.put(text(each), each));
        return new ArrayList<>(byText.values());
    }

    private Map<String, @Nullable Object> object(JavaType type, Map<?, ?> object) {
        Object wrapper = object.size() == 1 ? object.keySet().iterator().next() : null;
        JavaType wrapped = named(type, As.WRAPPER_OBJECT, wrapper);
        if (wrapped != null) {
            Map<String, @Nullable Object> inner = new TreeMap<>();
            inner.put(String.valueOf(wrapper), of(wrapped, object.get(wrapper)));
            return inner;
        }
        TypeDeserializer names = names(type);
        JavaType own =
                names == null ? null : named(type, names.getTypeInclusion(), object.get(names.getPropertyName()));
        JavaType actual = own == null ? type : own;
        Map<String, JavaType> known = actual.isContainerType() ? Map.of() : members(actual);
        JavaType content = actual.isMapLikeType() ? actual.getContentType() : null;
        Map<String, @Nullable Object> all = new TreeMap<>();
        object.forEach((key, value) -> {
            String name = String.valueOf(key);
            JavaType member = content == null ? known.get(name) : content;
            all.put(name, member == null ? sorted(value) : of(member, value));
        });
        return all;
    }

    /** A value of an unknown type. */
    private @Nullable Object sorted(@Nullable Object value) {
        return of(mapper.constructType(Object.class), value);
    }

    private static String text(@Nullable Object value) {
        try {
            return new String(JsonText.encode(value), UTF_8);
        } catch (JsonException e) {
            throw new IllegalArgumentException(e); // it was read from JSON
        }
    }

    /** The type that JSON names, if names for the declared one are included in this way; else null. */
    private @Nullable JavaType named(JavaType type, As inclusion, @Nullable Object id) {
        TypeDeserializer names = id instanceof String ? names(type) : null;
        if (names == null || names.getTypeInclusion() != inclusion) {
            return null;
        }
        try {
            return names.getTypeIdResolver().typeFromId(context, String.valueOf(id));
        } catch (JacksonException e) {
            return null; // no name of a subtype
        }
    }

    private @Nullable TypeDeserializer names(JavaType type) {
        return subtypes.computeIfAbsent(type, this::findNames).orElse(null);
    }

    private Optional<TypeDeserializer> findNames(JavaType type) {
        try {
            return Optional.ofNullable(context.findTypeDeserializer(type));
        } catch (JacksonException e) {
            return Optional.empty();
        }
    }

    private Map<String, JavaType> members(JavaType type) {
        return members.computeIfAbsent(type, each -> {
            Map<String, JavaType> found = new HashMap<>();
            try {
                if (context.findNonContextualValueDeserializer(each) instanceof BeanDeserializerBase bean) {
                    for (Iterator<SettableBeanProperty> it = bean.properties(); it.hasNext(); ) {
                        SettableBeanProperty property = it.next();
                        found.put(property.getName(), property.getType());
                    }
                }
            } catch (JacksonException e) {
                return Map.of(); // nothing of it is known
            }
            return found;
        });
    }
}
