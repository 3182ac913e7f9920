package dev.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.Unique.OnConflict;
import dev.jobs.Unique.Until;
import dev.jobs.codec.ParameterType;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.temporal.TemporalAccessor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What {@link Unique} says of a job, with its template parsed. Immutable. */
public final class UniqueRule {

    /** The payload's member for the lock's digest. */
    public static final String LOCK = "unique_lock";

    /** The payload's member for the seconds that a lock lasts at most, as Sidekiq Enterprise has it. */
    public static final String FOR = "unique_for";

    /** The same for when it is released. */
    public static final String UNTIL = "unique_until";

    /** The same for what becomes of a duplicate; missing in most payloads. */
    public static final String CONFLICT = "unique_conflict";

    /** For jobs without the annotation, whose calls name a key. */
    public static final UniqueRule WITHOUT_ANNOTATION =
            new UniqueRule(List.of(), Until.SUCCESS, 86_400, OnConflict.SKIP);

    private static final Pattern REFERENCE = Pattern.compile("\\{([^{}]*)}");
    private static final Set<Class<?>> SCALARS = Set.of(String.class, Boolean.class, Character.class, UUID.class);

    /**
     * A part of a template: literal text, or a reference to an argument and its members.
     *
     * @param argument its index; -1 for text
     */
    private record Part(String text, int argument, List<String> members) {}

    private final List<Part> parts;
    private final Until until;
    private final Number seconds;
    private final OnConflict onConflict;

    private UniqueRule(List<Part> parts, Until until, Number seconds, OnConflict onConflict) {
        this.parts = parts;
        this.until = until;
        this.seconds = seconds;
        this.onConflict = onConflict;
    }

    /** The annotation of a method, or that of one of the method's annotations. */
    static @Nullable Unique on(Method method) {
        Unique own = method.getAnnotation(Unique.class);
        for (Annotation each : method.getAnnotations()) {
            own = own == null ? each.annotationType().getAnnotation(Unique.class) : own;
        }
        return own;
    }

    /** @throws JobDefinitionException if a method that is no job is annotated */
    public static void checkIsJob(Method method) {
        if (on(method) != null) {
            throw new JobDefinitionException(
                    "@Unique on " + method.getDeclaringClass().getName() + "." + method.getName()
                            + " has no effect: the method is not a @Job",
                    "Add @Job, or remove @Unique.");
        }
    }

    /**
     * Parses the template.
     *
     * @param seconds {@link Unique#forAtMost}
     * @throws IllegalArgumentException if the template fits no parameters; says why
     */
    static UniqueRule of(Unique unique, Number seconds, List<ParameterType> parameters) {
        List<Part> parts = new ArrayList<>();
        Matcher references = REFERENCE.matcher(unique.key());
        int end = 0;
        while (references.find()) {
            addText(parts, unique.key().substring(end, references.start()));
            parts.add(reference(references.group(1), parameters));
            end = references.end();
        }
        addText(parts, unique.key().substring(end));
        return new UniqueRule(List.copyOf(parts), unique.until(), seconds, unique.onConflict());
    }

    /** Why what the annotation says of duplicates doesn't fit the lock's end; null if it does. */
    static @Nullable String misfit(Unique unique) {
        boolean expires = unique.until() == Until.EXPIRY;
        if (unique.onConflict() != (expires ? OnConflict.REPLACE : OnConflict.LATER)) {
            return null;
        }
        return "its @Unique has onConflict = " + unique.onConflict()
                + (expires
                        ? ", but its lock doesn't end with its job"
                        : ", but its lock doesn't end after a fixed time");
    }

    private static void addText(List<Part> parts, String text) {
        if (text.contains("{") || text.contains("}")) {
            throw new IllegalArgumentException("has a brace without its counterpart");
        }
        if (!text.isEmpty()) {
            parts.add(new Part(text, -1, List.of()));
        }
    }

    private static Part reference(String reference, List<ParameterType> parameters) {
        List<String> path = Arrays.asList(reference.split("\\.", -1));
        String first = path.get(0);
        List<String> names = parameters.stream().map(ParameterType::name).toList();
        int argument = first.matches("\\d{1,3}") ? Integer.parseInt(first) : names.indexOf(first);
        if (argument < 0 || argument >= parameters.size()) {
            throw new IllegalArgumentException("names '" + first + "', but the parameters are " + names);
        }
        if (path.contains("")) {
            throw new IllegalArgumentException("has an empty name in {" + reference + "}");
        }
        List<String> members = List.copyOf(path.subList(1, path.size()));
        checkMembers(parameters.get(argument).type(), members);
        return new Part(reference, argument, members);
    }

    /** Refuses what can't be there; many a type tells only at run time what its JSON has. */
    private static void checkMembers(Type of, List<String> members) {
        if (members.isEmpty()) {
            return;
        }
        String member = members.get(0);
        Class<?> type = raw(of);
        if (type.isRecord()) {
            RecordComponent[] components = type.getRecordComponents();
            for (RecordComponent component : components) {
                if (component.getName().equals(member)) {
                    checkMembers(component.getGenericType(), members.subList(1, members.size()));
                    return;
                }
            }
            boolean mayBeRenamed = Arrays.stream(components)
                    .anyMatch(component -> component.getAccessor().getAnnotations().length > 0);
            if (!mayBeRenamed) {
                throw new IllegalArgumentException("names '" + member + "', which " + type.getName() + " doesn't have");
            }
        } else if (isWithoutMembers(type)) {
            throw new IllegalArgumentException("names '" + member + "', but a " + type.getName() + " has no members");
        }
    }

    private static Class<?> raw(Type type) {
        if (type instanceof ParameterizedType generic) {
            return raw(generic.getRawType());
        }
        return type instanceof Class<?> known ? known : Object.class;
    }

    private static boolean isWithoutMembers(Class<?> type) {
        return type.isPrimitive()
                || type.isEnum()
                || type.isArray()
                || SCALARS.contains(type)
                || Number.class.isAssignableFrom(type)
                || Collection.class.isAssignableFrom(type)
                || TemporalAccessor.class.isAssignableFrom(type);
    }

    /** When the lock is released. */
    public Until until() {
        return until;
    }

    /** How long the lock lasts at most, in seconds. */
    public Number seconds() {
        return seconds;
    }

    /** What becomes of a duplicate. */
    public OnConflict onConflict() {
        return onConflict;
    }

    /**
     * The key of a call.
     *
     * @param arguments as plain values, as {@link Payload#args} returns them
     * @throws InvalidJobException if an argument can't have the members that the template names
     */
    public String key(List<? extends @Nullable Object> arguments) {
        if (parts.isEmpty()) {
            return json(arguments);
        }
        StringBuilder key = new StringBuilder();
        for (Part part : parts) {
            key.append(part.argument() < 0 ? part.text() : text(value(part, arguments)));
        }
        return key.toString();
    }

    private static @Nullable Object value(Part part, List<? extends @Nullable Object> arguments) {
        Object value = part.argument() < arguments.size() ? arguments.get(part.argument()) : null;
        for (String member : part.members()) {
            if (value != null && !(value instanceof Map)) {
                throw new InvalidJobException("the key of its lock has {" + part.text() + "}, but what should have '"
                        + member + "' is no object");
            }
            value = value instanceof Map<?, ?> object ? object.get(member) : null;
        }
        return value;
    }

    private static String text(@Nullable Object value) {
        return value instanceof String text ? text : json(value);
    }

    private static String json(@Nullable Object value) {
        byte[] json = Payload.of(Collections.singletonMap("key", sorted(value))).raw("key");
        return json == null ? "null" : new String(json, UTF_8);
    }

    /** The same object has the same key in whatever order its members come. */
    private static @Nullable Object sorted(@Nullable Object value) {
        if (value instanceof Map<?, ?> object) {
            Map<String, @Nullable Object> members = new TreeMap<>();
            object.forEach((name, member) -> members.put(String.valueOf(name), sorted(member)));
            return members;
        }
        return value instanceof List<?> list
                ? list.stream().map(UniqueRule::sorted).toList()
                : value;
    }

    /** The name of the lock of a job's key: 43 characters that fit everywhere. */
    public static String digest(String job, String key) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest((job + "\n" + key).getBytes(UTF_8));
            return Base64.getUrlEncoder().withoutPadding().encodeToString(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
