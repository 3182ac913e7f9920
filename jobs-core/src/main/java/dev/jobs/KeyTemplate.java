package dev.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.codec.ArgumentCodec;
import dev.jobs.codec.CanonicalValues;
import dev.jobs.codec.ParameterType;
import dev.jobs.codec.StoredMembers;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A text with references to a job's arguments, such as {@code shop:{0.id}}, from which its key is made. Equal arguments
 * have one key, and different ones different keys.
 *
 * <p>A text stands in the key as it is, unless it could be taken for something else there: then it is quoted. Other
 * values stand there as JSON. Thread-safe.
 */
@Internal
public final class KeyTemplate {

    /** Without text and references. */
    public static final KeyTemplate EMPTY = new KeyTemplate(List.of(), List.of(), null);

    private static final Pattern REFERENCE = Pattern.compile("\\{([^{}]*)}");

    /** What begins a value that is not bare text. */
    private static final String MARKS = "\"<[{";

    /** The same where values are of one kind: text or not. */
    private static final String MARKS_OF_TEXT = "\"";

    private static final Pattern SCALAR = Pattern.compile("true|false|-?[0-9][0-9.eE+-]*");

    /** These are written in one way. */
    private static final Set<Class<?>> ONE_FORM = Set.of(
            boolean.class,
            byte.class,
            char.class,
            int.class,
            long.class,
            short.class,
            Boolean.class,
            Byte.class,
            Character.class,
            Integer.class,
            Long.class,
            Short.class,
            String.class,
            UUID.class);

    /**
     * A part of a template: literal text, or a reference to an argument and its members.
     *
     * @param argument its index; -1 for text
     * @param open whether its values may be text and numbers
     */
    private record Part(String text, int argument, List<String> members, boolean open) {}

    private final List<Part> parts;
    private final List<Type> types;

    /** Null if nothing is made canonical. */
    private final @Nullable CanonicalValues canonical;

    private KeyTemplate(List<Part> parts, List<Type> types, @Nullable CanonicalValues canonical) {
        this.parts = parts;
        this.types = types;
        this.canonical = canonical;
    }

    /**
     * Parses a template.
     *
     * @param codec writes the arguments
     * @throws IllegalArgumentException if it fits no parameters; says why
     */
    public static KeyTemplate of(String text, List<ParameterType> parameters, ArgumentCodec codec) {
        List<Part> parts = new ArrayList<>();
        Matcher references = REFERENCE.matcher(text);
        int end = 0;
        while (references.find()) {
            addText(parts, text.substring(end, references.start()));
            parts.add(reference(references.group(1), parameters, codec.members()));
            end = references.end();
        }
        addText(parts, text.substring(end));
        return new KeyTemplate(
                List.copyOf(parts), parameters.stream().map(ParameterType::type).toList(), codec.canonical());
    }

    public boolean isEmpty() {
        return parts.isEmpty();
    }

    /** The positions of the arguments that it names. */
    public Set<Integer> arguments() {
        return parts.stream().map(Part::argument).filter(each -> each >= 0).collect(Collectors.toSet());
    }

    private static void addText(List<Part> parts, String text) {
        if (text.contains("{") || text.contains("}")) {
            throw new IllegalArgumentException("has a brace without its counterpart");
        }
        if (!text.isEmpty()) {
            parts.add(new Part(text, -1, List.of(), false));
        }
    }

    private static Part reference(String reference, List<ParameterType> parameters, StoredMembers stored) {
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
        Type type = parameters.get(argument).type();
        stored.check(type, members);
        return new Part(reference, argument, members, isOpen(type, members, stored));
    }

    private static boolean isOpen(Type type, List<String> members, StoredMembers stored) {
        Class<?> raw = raw(type);
        if (members.isEmpty()) {
            return raw == Number.class
                    || !StoredMembers.isWithout(raw)
                    || raw.isArray()
                    || Collection.class.isAssignableFrom(raw);
        }
        String name = raw.isRecord() ? stored.component(raw, members.get(0)) : "";
        for (RecordComponent each : raw.isRecord() ? raw.getRecordComponents() : new RecordComponent[0]) {
            if (each.getName().equals(name)) {
                return isOpen(each.getGenericType(), members.subList(1, members.size()), stored);
            }
        }
        return Map.class.isAssignableFrom(raw) || raw == Object.class;
    }

    private static Class<?> raw(Type type) {
        if (type instanceof ParameterizedType generic) {
            return raw(generic.getRawType());
        }
        return type instanceof Class<?> known ? known : Object.class;
    }

    /**
     * The key of a call.
     *
     * @param arguments as plain values, as {@link Payload#args} returns them
     * @param of whose key it is, for the message
     * @throws InvalidJobException if an argument can't have the members that the template names
     */
    public String key(List<? extends @Nullable Object> arguments, String of) {
        StringBuilder key = new StringBuilder();
        List<@Nullable Object> values = canonical(arguments);
        int last = parts.size() - 1;
        while (last >= 0 && parts.get(last).argument() < 0) {
            last--;
        }
        for (int i = 0; i < parts.size(); i++) {
            Part part = parts.get(i);
            if (part.argument() < 0) {
                key.append(part.text());
            } else {
                String next = i == last
                        ? null
                        : parts.get(i + 1).argument() < 0 ? parts.get(i + 1).text() : "";
                key.append(text(value(part, values, of), part.open(), next));
            }
        }
        return key.toString();
    }

    /** The key of a call that all arguments make. */
    public String wholeKey(List<? extends @Nullable Object> arguments) {
        return json(canonical(arguments));
    }

    private List<@Nullable Object> canonical(List<? extends @Nullable Object> arguments) {
        List<@Nullable Object> values = new ArrayList<>(arguments);
        for (int i = 0; i < Math.min(values.size(), types.size()); i++) {
            Type type = types.get(i);
            boolean asItIs = type instanceof Class<?> known && (ONE_FORM.contains(known) || known.isEnum());
            if (!asItIs && canonical != null) {
                values.set(i, canonical.of(type, values.get(i)));
            }
        }
        return values;
    }

    private static @Nullable Object value(Part part, List<? extends @Nullable Object> arguments, String of) {
        Object value = part.argument() < arguments.size() ? arguments.get(part.argument()) : null;
        for (String member : part.members()) {
            if (value != null && !(value instanceof Map)) {
                throw new InvalidJobException("the key of " + of + " has {" + part.text() + "}, but what should have '"
                        + member + "' is no object");
            }
            value = value instanceof Map<?, ?> object ? object.get(member) : null;
        }
        return value;
    }

    /**
     * A value in a key, so that one can tell where it ends and whether it is text.
     *
     * @param next the text that follows it; empty if that is another value, null if no other value follows
     */
    private static String text(@Nullable Object value, boolean open, @Nullable String next) {
        String text = value instanceof String plain ? plain : json(value);
        boolean ends = next == null || !next.isEmpty() && text.indexOf(next.charAt(0)) < 0;
        if (value instanceof String) {
            boolean bare = ends
                    && (text.isEmpty() || (open ? MARKS : MARKS_OF_TEXT).indexOf(text.charAt(0)) < 0)
                    && !text.equals("null")
                    && !(open && SCALAR.matcher(text).matches());
            return bare ? text : json(text);
        }
        return ends || text.startsWith("[") || text.startsWith("{") ? text : "<" + text + ">";
    }

    /** A value as compact JSON; members of objects in the order of their names. */
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
                ? list.stream().map(KeyTemplate::sorted).toList()
                : value;
    }
}
