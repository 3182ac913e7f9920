package dev.jobs.codec;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Date;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.type.TypeFactory;

/**
 * Compares what a caller passed with what a job would get.
 *
 * <p>Objects of an application are compared field by field, because few have an {@code equals} and that of an entity
 * says that two with one id are equal. If fields differ, an {@code equals} of the class's own decides, provided that
 * both have the same JSON: then the fields are caches and the like. Only transient fields don't count. Thread-safe.
 */
final class ArrivalCheck {

    private static final int MOST_UNORDERED = 100;

    private static final String LOST =
            " would arrive as null: it is not in the JSON, or nothing reads it from there. Give"
                    + " it a getter and a setter, make it a component of a record, or declare it transient if it need not arrive";

    /** JSON that names no type is read as these, so they declare nothing. */
    private static final Set<Class<?>> OPEN = Set.of(Object.class, java.io.Serializable.class);

    private final TypeFactory types;
    private final Function<Object, @Nullable Object> json;
    private final Map<JavaType, Members> members = new ConcurrentHashMap<>();

    /** How a value that was passed differs from the one that arrives: where in it, and why, for people. */
    record Difference(String path, String reason) {

        Difference inside(String outer) {
            return new Difference(outer + path, reason);
        }
    }

    private record Member(Field field, JavaType type) {}

    /** @param hidden whether Java doesn't let others read them */
    private record Members(List<Member> fields, boolean hidden) {}

    /** @param json what the JSON of a value says, as plain values */
    ArrivalCheck(TypeFactory types, Function<Object, @Nullable Object> json) {
        this.types = types;
        this.json = json;
    }

    /**
     * The first difference; null if there is none.
     *
     * @param lenient whether plain values stand for their JSON, as in a call by name: text for an Instant, a map for a
     *     record. Where the declared type is open they don't, since nothing would read them as more than they are.
     */
    @Nullable Difference find(JavaType declared, @Nullable Object sent, @Nullable Object back, boolean lenient) {
        return new Comparison(lenient).find(declared, sent, back);
    }

    private final class Comparison {

        private final boolean lenient;

        /** The objects that are being compared, each with its counterpart. */
        private final Map<Object, @Nullable Object> within = new IdentityHashMap<>(8);

        Comparison(boolean lenient) {
            this.lenient = lenient;
        }

        @Nullable Difference find(JavaType declared, @Nullable Object sent, @Nullable Object back) {
            if (sent == back) {
                return null;
            }
            if (sent == null) {
                return lenient || back == null ? null : nullBecomes(back);
            }
            if (back == null) {
                return isOpen(declared) ? otherClass(declared, sent, null) : new Difference("", what(sent) + LOST);
            }
            if (SureValues.isLeaf(sent.getClass()) && sent.equals(back)) {
                return null; // as most members
            }
            if (sent instanceof Collection<?> one && back instanceof Collection<?> other) {
                return collections(declared, one, other);
            }
            if (sent instanceof Map<?, ?> one && back instanceof Map<?, ?> other) {
                return maps(declared, one, other);
            }
            if (sent instanceof Map.Entry<?, ?> one && back instanceof Map.Entry<?, ?> other) {
                Difference key = find(content(declared, 0), one.getKey(), other.getKey());
                return key != null
                        ? key.inside("[key]")
                        : inside("[value]", find(content(declared, 1), one.getValue(), other.getValue()));
            }
            if (declared.hasRawClass(CharSequence.class) && sent instanceof CharSequence text) {
                return text.toString().contentEquals((CharSequence) back) ? null : changed(sent);
            }
            if (sent instanceof JsonNode one && back instanceof JsonNode other) {
                return one.equals(ArrivalCheck::compareNodes, other) ? null : changed(sent);
            }
            if (sent instanceof ByteBuffer) {
                return sent.equals(back) ? null : changed(sent);
            }
            if (sent.getClass() != back.getClass() || sent instanceof Enum) {
                return otherClass(declared, sent, back);
            }
            if (sent.getClass().isArray()) {
                return arrays(declared, sent, back);
            }
            return isOfTheJdk(sent.getClass()) ? values(declared, sent, back) : objects(declared, sent, back);
        }

        private @Nullable Difference otherClass(JavaType declared, Object sent, @Nullable Object back) {
            if (lenient && !isOpen(declared) && back != null && (isPlain(sent) || sameJson(sent, back))) {
                return null;
            }
            if (declared.hasRawClass(Date.class) && sent instanceof Date time && isSameTime(time, back)) {
                return null; // databases return subclasses, which have nothing else to tell
            }
            String name = ArgumentErrors.named(declared.getRawClass());
            String advice;
            if (isOpen(declared) || declared.hasRawClass(Number.class)) {
                advice = name
                        + " leaves the type open. Declare it, in a record or as in Map<String, Instant>; or pass text,"
                        + " an Integer, a Double, a Boolean, or lists and maps of these";
            } else if (isOfTheJdk(sent.getClass()) || sent.getClass().isArray()) {
                advice = "pass or declare a type that JSON can tell, such as a list, or one of java.time";
            } else if (sent instanceof Enum) {
                advice = "the names of the constants in JSON have to differ";
            } else {
                advice = "declare that type, or let JSON name it: with @JsonTypeInfo(use = JsonTypeInfo.Id.NAME) on "
                        + name + " and, unless it is sealed, @JsonSubTypes";
            }
            return new Difference("", what(sent) + " would arrive as " + what(back) + ": " + advice);
        }

        private @Nullable Difference collections(JavaType declared, Collection<?> sent, Collection<?> back) {
            boolean ofOneKind =
                    sent instanceof List == back instanceof List && sent instanceof Set == back instanceof Set;
            boolean anyKind = lenient && !isOpen(declared)
                    || declared.hasRawClass(Collection.class)
                    || declared.hasRawClass(Iterable.class)
                    || (declared.hasRawClass(Queue.class) || declared.hasRawClass(Deque.class))
                            && !(sent instanceof PriorityQueue);
            if (!ofOneKind && !anyKind) {
                return otherClass(declared, sent, back);
            }
            if (sent.size() != back.size()) {
                return lenient && sent instanceof List != back instanceof List ? null : changed(sent);
            }
            if (losesOrder(sent, back)) {
                return otherOrder(sent);
            }
            JavaType content = content(declared, 0);
            Difference difference = inOrder(content, sent.iterator(), back.iterator());
            if (difference != null && back instanceof Set) {
                difference = inAnyOrder(content, sent, back);
            }
            return difference != null
                    ? difference
                    : state(declared, sent, back, sent instanceof Set ? new HashSet<>(sent) : new ArrayList<>(sent));
        }

        private @Nullable Difference inOrder(JavaType content, Iterator<?> sent, Iterator<?> back) {
            for (int i = 0; sent.hasNext() && back.hasNext(); i++) {
                Difference difference = find(content, sent.next(), back.next());
                if (difference != null) {
                    return difference.inside(JsonPath.index(i));
                }
            }
            return null;
        }

        /** Sets of hashes come back in another order, and what is in them need have no equals. */
        private @Nullable Difference inAnyOrder(JavaType content, Collection<?> sent, Collection<?> back) {
            Map<@Nullable Object, @Nullable Object> equals = new HashMap<>();
            back.forEach(each -> equals.put(each, each));
            List<@Nullable Object> rest = new ArrayList<>(back);
            for (Object each : sent) {
                boolean found = equals.containsKey(each) && find(content, each, equals.get(each)) == null;
                for (int i = 0; !found && i < rest.size() && rest.size() <= MOST_UNORDERED; i++) {
                    found = find(content, each, rest.get(i)) == null;
                    if (found) {
                        rest.remove(i);
                    }
                }
                if (!found) {
                    return new Difference("[…]", what(each) + " would not arrive as it is; declare a List to see why");
                }
            }
            return null;
        }

        private @Nullable Difference maps(JavaType declared, Map<?, ?> sent, Map<?, ?> back) {
            if (sent.size() != back.size()) {
                return changed(sent);
            }
            if (losesOrder(sent, back)) {
                return otherOrder(sent);
            }
            JavaType keys = content(declared, 0);
            JavaType values = content(declared, 1);
            Iterator<? extends Map.Entry<?, ?>> others = back.entrySet().iterator();
            for (Map.Entry<?, ?> entry : sent.entrySet()) {
                Map.Entry<?, ?> other = others.next();
                Object key = entry.getKey();
                Difference ofKey = find(keys, key, other.getKey());
                Object value = other.getValue();
                if (ofKey != null) {
                    // a map of hashes comes back in another order
                    if (key == null || !back.containsKey(key)) {
                        return ofKey.inside("[key]");
                    }
                    value = back.get(key);
                }
                Difference difference = find(values, entry.getValue(), value);
                if (difference != null) {
                    return difference.inside("[key]");
                }
            }
            return state(declared, sent, back, new HashMap<>(sent));
        }

        /** A collection of the application's own may be more than what is in it. */
        private @Nullable Difference state(JavaType declared, Object sent, Object back, Object copy) {
            if (isOfTheJdk(sent.getClass())) {
                return null;
            }
            if (sent.getClass() == back.getClass()) {
                return objects(declared, sent, back);
            }
            boolean hasRules = sent instanceof List || sent instanceof Set || sent instanceof Map;
            return hasRules && !sent.equals(copy) && !isEqualToItselfAlone(sent)
                    ? otherClass(declared, sent, back)
                    : null;
        }

        private @Nullable Difference arrays(JavaType declared, Object sent, Object back) {
            int length = Array.getLength(sent);
            if (length != Array.getLength(back)) {
                return changed(sent);
            }
            JavaType content = content(declared, 0);
            for (int i = 0; i < length; i++) {
                Difference difference = find(content, Array.get(sent, i), Array.get(back, i));
                if (difference != null) {
                    return difference.inside(JsonPath.index(i));
                }
            }
            return null;
        }

        private @Nullable Difference values(JavaType declared, Object sent, Object back) {
            if (sent instanceof Optional<?> one && back instanceof Optional<?> other) {
                return find(content(declared, 0), one.orElse(null), other.orElse(null));
            }
            if (sent instanceof AtomicReference<?> one && back instanceof AtomicReference<?> other) {
                return find(content(declared, 0), one.get(), other.get());
            }
            boolean same;
            if (sent instanceof Pattern one && back instanceof Pattern other) {
                same = one.pattern().equals(other.pattern()) && one.flags() == other.flags();
            } else if (sent instanceof AtomicInteger
                    || sent instanceof AtomicLong
                    || sent instanceof AtomicBoolean
                    || sent instanceof StringBuilder
                    || sent instanceof StringBuffer
                    // its equals asks the network
                    || sent instanceof URL) {
                same = sent.toString().equals(back.toString());
            } else {
                same = sent.equals(back);
            }
            return same ? null : changed(sent);
        }

        private @Nullable Difference objects(JavaType declared, Object sent, Object back) {
            Object outer = within.put(sent, back);
            if (outer == back) {
                return null; // a reference to what contains it
            }
            Difference difference = fields(typeOf(declared, sent.getClass()), sent, back);
            within.put(sent, outer);
            return difference == null || hasEquals(sent) && sent.equals(back) && sameJson(sent, back)
                    ? null
                    : difference;
        }

        private @Nullable Difference fields(JavaType type, Object sent, Object back) {
            Members known = members.get(type);
            Members all = known != null ? known : members.computeIfAbsent(type, ArrivalCheck.this::membersOf);
            if (all.hidden()) {
                return hasEquals(sent) || !sameJson(sent, back) ? changed(sent) : null;
            }
            for (Member member : all.fields()) {
                Difference difference;
                try {
                    difference = find(
                            member.type(),
                            member.field().get(sent),
                            member.field().get(back));
                } catch (IllegalAccessException e) {
                    throw new IllegalStateException(e); // it was made accessible
                }
                if (difference != null) {
                    return difference.inside(JsonPath.name(member.field().getName()));
                }
            }
            return null;
        }

        private boolean sameJson(Object sent, Object back) {
            return Objects.equals(json.apply(sent), json.apply(back));
        }
    }

    private static @Nullable Difference inside(String path, @Nullable Difference difference) {
        return difference == null ? null : difference.inside(path);
    }

    private static Difference changed(Object sent) {
        return new Difference(
                "",
                what(sent)
                        + " would arrive with another value: its JSON doesn't hold all of it, or is read as something"
                        + " else. Pass a type that JSON carries, such as those of java.time, or text in a form of your own");
    }

    private static Difference otherOrder(Object sent) {
        return new Difference(
                "",
                what(sent)
                        + " would arrive in natural order, without its comparator; pass a list, or a type of your own that"
                        + " has this order");
    }

    private static Difference nullBecomes(Object back) {
        boolean zero = back instanceof Number || back instanceof Boolean || back instanceof Character;
        return new Difference(
                "",
                zero
                        ? "null would arrive as the zero of its type; pass a value, or declare a type that can be null"
                        : "null would arrive as " + what(back) + "; pass that instead");
    }

    private static boolean isOpen(JavaType declared) {
        return OPEN.contains(declared.getRawClass());
    }

    private static boolean isPlain(Object value) {
        return value instanceof CharSequence
                || value instanceof Number
                || value instanceof Boolean
                || value instanceof Character
                || value instanceof Collection
                || value instanceof Map
                || value.getClass().isArray();
    }

    private static String what(@Nullable Object value) {
        if (value == null) {
            return "null";
        }
        if (value instanceof Optional<?> optional && optional.isEmpty()) {
            return "an empty Optional";
        }
        if (value instanceof Collection && value.getClass().getName().startsWith("java.util.Immutable")) {
            return value instanceof Set ? "Set" : "List";
        }
        return ArgumentErrors.named(
                value instanceof Enum<?> constant ? constant.getDeclaringClass() : value.getClass());
    }

    /** Whether what is sorted by a comparator arrives sorted by nature. */
    private static boolean losesOrder(Object sent, Object back) {
        boolean sorts = back instanceof SortedSet || back instanceof SortedMap || back instanceof PriorityQueue;
        Comparator<?> comparator = sorts ? comparator(sent) : null;
        return comparator != null && comparator != Comparator.naturalOrder();
    }

    private static @Nullable Comparator<?> comparator(Object value) {
        if (value instanceof SortedSet<?> set) {
            return set.comparator();
        }
        if (value instanceof SortedMap<?, ?> map) {
            return map.comparator();
        }
        return value instanceof PriorityQueue<?> queue ? queue.comparator() : null;
    }

    /** Whole numbers of a tree have the type that their size needs. */
    private static int compareNodes(JsonNode one, JsonNode other) {
        boolean whole = one.isIntegralNumber() && other.isIntegralNumber();
        return one.equals(other) || whole && one.bigIntegerValue().equals(other.bigIntegerValue()) ? 0 : 1;
    }

    private static boolean hasEquals(Object value) {
        try {
            return value.getClass().getMethod("equals", Object.class).getDeclaringClass() != Object.class;
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e); // each class has one
        }
    }

    /** Bags of Hibernate have such an {@code equals}, which tells nothing. */
    private static boolean isEqualToItselfAlone(Object value) {
        return value.hashCode() == System.identityHashCode(value);
    }

    private static boolean isSameTime(Date sent, @Nullable Object back) {
        boolean inMillis = !(sent instanceof java.sql.Timestamp exact) || exact.getNanos() % 1_000_000 == 0;
        return inMillis && back instanceof Date time && sent.getTime() == time.getTime();
    }

    static boolean isOfTheJdk(Class<?> type) {
        String module = type.getModule().getName();
        return module != null && (module.startsWith("java.") || module.startsWith("jdk."));
    }

    private JavaType content(JavaType declared, int index) {
        if (declared.isMapLikeType()) {
            return index == 0 ? declared.getKeyType() : declared.getContentType();
        }
        JavaType content = declared.isContainerType() || declared.isReferenceType() ? declared.getContentType() : null;
        if (content == null && index < declared.containedTypeCount()) {
            content = declared.containedType(index);
        }
        return content == null ? TypeFactory.unknownType() : content;
    }

    private JavaType typeOf(JavaType declared, Class<?> actual) {
        if (declared.hasRawClass(actual)) {
            return declared;
        }
        return declared.getRawClass().isAssignableFrom(actual)
                ? types.constructSpecializedType(declared, actual)
                : types.constructType(actual);
    }

    /** The fields of a class and of what it extends. */
    private Members membersOf(JavaType type) {
        List<Member> found = new ArrayList<>();
        for (JavaType each = type; each != null && !isOfTheJdk(each.getRawClass()); each = each.getSuperClass()) {
            for (Field field : each.getRawClass().getDeclaredFields()) {
                int modifiers = field.getModifiers();
                if (Modifier.isStatic(modifiers) || Modifier.isTransient(modifiers) || field.isSynthetic()) {
                    continue;
                }
                if (!field.trySetAccessible()) {
                    return new Members(List.of(), true);
                }
                found.add(new Member(field, types.resolveMemberType(field.getGenericType(), each.getBindings())));
            }
        }
        return new Members(List.copyOf(found), false);
    }
}
