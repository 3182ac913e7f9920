package dev.jobs.codec;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Period;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Date;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.util.ClassUtil;

/**
 * Decides for a declared type how to tell the values that arrive as they are passed, whatever they are: texts, numbers,
 * times, enums, and plain collections of these. Others have to be read to know, since what an application's class
 * makes of its JSON is code.
 */
final class SureValues {

    private static final Predicate<Object> NONE = value -> false;

    private static final Set<Class<?>> LEAVES = Set.of(
            BigDecimal.class,
            BigInteger.class,
            Boolean.class,
            Byte.class,
            Character.class,
            Date.class,
            Double.class,
            Duration.class,
            Float.class,
            Instant.class,
            Integer.class,
            LocalDate.class,
            LocalDateTime.class,
            LocalTime.class,
            Long.class,
            OffsetDateTime.class,
            OptionalDouble.class,
            OptionalInt.class,
            OptionalLong.class,
            Period.class,
            Short.class,
            String.class,
            UUID.class);

    private static final Set<Class<?>> KEYS = Set.of(String.class, Integer.class, Long.class, UUID.class);

    /** What JSON itself distinguishes. */
    private static final Set<Class<?>> PLAIN = Set.of(String.class, Integer.class, Double.class, Boolean.class);

    private static final Set<Class<?>> LISTS = Set.of(List.class, Collection.class, Iterable.class, ArrayList.class);
    private static final Set<Class<?>> SETS = Set.of(Set.class, HashSet.class, LinkedHashSet.class);
    private static final Set<Class<?>> MAPS = Set.of(Map.class, HashMap.class, LinkedHashMap.class);
    private static final String IMMUTABLE = "java.util.ImmutableCollections$";

    /** What {@link ArgumentCodec} writes and reads without a mapper. */
    private static final Set<Class<?>> UNMAPPED = Set.of(String.class, Integer.class, Long.class);

    private final JsonMapper mapper;
    private final boolean customized;

    /** The records that contain what is decided about. */
    private final Set<JavaType> within;

    /** @param customized whether the application has a say in the mapper, so that little is certain without reading */
    SureValues(JsonMapper mapper, boolean customized) {
        this(mapper, customized, Set.of());
    }

    private SureValues(JsonMapper mapper, boolean customized, Set<JavaType> within) {
        this.mapper = mapper;
        this.customized = customized;
        this.within = within;
    }

    /** Whether values of that class are equal only to values of that class. */
    static boolean isLeaf(Class<?> type) {
        return LEAVES.contains(type) && type != Date.class;
    }

    Predicate<Object> of(JavaType type) {
        Class<?> raw = type.isPrimitive() ? ClassUtil.wrapperType(type.getRawClass()) : type.getRawClass();
        if (customized) {
            return UNMAPPED.contains(raw) ? value -> value.getClass() == raw : NONE;
        }
        if (LEAVES.contains(raw)) {
            return value -> value.getClass() == raw;
        }
        if (raw == Object.class) {
            return SureValues::isPlain;
        }
        if (type.isEnumType()) {
            return isReadAsWritten(type) ? raw::isInstance : NONE;
        }
        if (type.isArrayType()) {
            return array(type);
        }
        if (raw.isRecord()) {
            return record(type);
        }
        Predicate<Object> content = content(type.getContentType());
        if (content == NONE) {
            return NONE;
        }
        if (raw == Optional.class) {
            return value ->
                    value instanceof Optional<?> optional && (optional.isEmpty() || content.test(optional.get()));
        }
        if (LISTS.contains(raw)) {
            return value -> raw.isInstance(value)
                    && ArrivalCheck.isOfTheJdk(value.getClass())
                    && all((Iterable<?>) value, content);
        }
        if (SETS.contains(raw)) {
            return value -> raw.isInstance(value) && isHashed(value.getClass()) && all((Iterable<?>) value, content);
        }
        if (MAPS.contains(raw) && KEYS.contains(type.getKeyType().getRawClass())) {
            Class<?> key = type.getKeyType().getRawClass();
            return value -> raw.isInstance(value)
                    && isHashed(value.getClass())
                    && all(((Map<?, ?>) value).keySet(), each -> each.getClass() == key)
                    && all(((Map<?, ?>) value).values(), content);
        }
        return NONE;
    }

    private Predicate<Object> content(@Nullable JavaType type) {
        return type == null || !carriesNull(type) ? NONE : of(type);
    }

    /** Whether null arrives as null, and not as an empty Optional or the like. */
    boolean carriesNull(JavaType type) {
        try {
            return !type.isPrimitive() && mapper.readerFor(type).readValue("null") == null;
        } catch (JacksonException e) {
            return false;
        }
    }

    private static boolean all(Iterable<?> values, Predicate<Object> content) {
        for (Object each : values) {
            if (each != null && !content.test(each)) {
                return false;
            }
        }
        return true;
    }

    private Predicate<Object> record(JavaType type) {
        if (within.contains(type)) {
            return NONE; // it contains itself
        }
        SureValues inside = new SureValues(mapper, customized, with(type));
        SureRecord record = SureRecord.of(
                type,
                mapper,
                component -> {
                    Predicate<Object> content = inside.of(component);
                    return content == NONE ? null : content;
                },
                this::carriesNull);
        return record == null ? NONE : record;
    }

    private Set<JavaType> with(JavaType type) {
        Set<JavaType> all = new HashSet<>(within);
        all.add(type);
        return all;
    }

    private Predicate<Object> array(JavaType type) {
        Class<?> raw = type.getRawClass();
        if (raw.getComponentType().isPrimitive()) {
            return raw::isInstance;
        }
        Predicate<Object> content = content(type.getContentType());
        return content == NONE
                ? NONE
                : value -> value.getClass() == raw && all(Arrays.asList((Object[]) value), content);
    }

    private static boolean isHashed(Class<?> type) {
        return SETS.contains(type) || MAPS.contains(type) || type.getName().startsWith(IMMUTABLE);
    }

    private static boolean isPlain(Object value) {
        Class<?> type = value.getClass();
        if (PLAIN.contains(type)) {
            return true;
        }
        if (value instanceof ArrayList || value instanceof LinkedList || value instanceof List && isHashed(type)) {
            return ArrivalCheck.isOfTheJdk(type) && all((List<?>) value, SureValues::isPlain);
        }
        return value instanceof Map<?, ?> map
                && isHashed(type)
                && all(map.keySet(), String.class::isInstance)
                && all(map.values(), SureValues::isPlain);
    }

    /** An enum has few values, so that all can be tried. */
    private boolean isReadAsWritten(JavaType type) {
        try {
            for (Object each : type.getRawClass().getEnumConstants()) {
                if (mapper.readerFor(type).readValue(mapper.writeValueAsString(each)) != each) {
                    return false;
                }
            }
            return true;
        } catch (JacksonException e) {
            return false;
        }
    }
}
