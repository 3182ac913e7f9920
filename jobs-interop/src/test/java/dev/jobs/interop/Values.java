package dev.jobs.interop;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Arguments of every kind. {@code values.rb} has the same under the same names, so that neither side has to trust the
 * other.
 */
final class Values {

    private static final Map<String, @Nullable Object> ALL = all();

    private Values() {}

    /** The names of all values. */
    static Iterable<String> names() {
        return ALL.keySet();
    }

    static @Nullable Object get(String name) {
        if (!ALL.containsKey(name)) {
            throw new IllegalArgumentException(name);
        }
        return ALL.get(name);
    }

    private static Map<String, @Nullable Object> all() {
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        all.put("null", null);
        all.put("true", true);
        all.put("false", false);
        all.put("zero", 0L);
        all.put("one", 1L);
        all.put("one as a float", 1.0);
        all.put("negative", -42L);
        all.put("largest long", Long.MAX_VALUE);
        all.put("smallest long", Long.MIN_VALUE);
        all.put("one more than a long", BigInteger.ONE.shiftLeft(63));
        all.put("big integer", new BigInteger("12345678901234567890123456789"));
        all.put("negative big integer", new BigInteger("-98765432109876543210987654321"));
        all.put("tenth", 0.1);
        all.put("negative float", -0.5);
        all.put("smallest plain float", 0.0001);
        all.put("ten million as a float", 10_000_000.0);
        all.put("seconds of today", 1_795_237_951.496519);
        all.put("largest plain float", 999_999_999_999_999.9);
        all.put("empty text", "");
        all.put("text", "HardWorker");
        all.put("text that looks like a number", "1.0");
        all.put("blanks", " \u00a0 ");
        all.put("quotes and escapes", "\"\\/\b\f\n\r\t");
        all.put("control characters", "\0\u0001\u001f\u007f\u0085");
        all.put("line separators", "\u2028\u2029");
        all.put("markup", "<script>&amp;</script>");
        all.put("accents", "Ünïcødé é");
        all.put("scripts", "漢字 кириллица עברית");
        all.put("emoji", "😀 👩\u200d👩\u200d👧\u200d👦 🏳\ufe0f\u200d🌈");
        all.put("beyond the first plane", Character.toString(0x10000) + Character.toString(0x10ffff));
        all.put("empty array", List.of());
        all.put("array", Arrays.asList(1L, 1.0, "1", null, true, List.of(), Map.of()));
        all.put("empty object", Map.of());
        all.put("object", object());
        all.put("deepest array", nested("core", List::of));
        all.put("deepest object", nested(1L, inner -> Map.of("in", inner)));
        return Collections.unmodifiableMap(all);
    }

    private static Map<String, Object> object() {
        Map<String, Object> outer = new LinkedHashMap<>();
        outer.put("b", 1L);
        outer.put("a", Map.of("é😀", Arrays.asList(1.5, null, Map.of("", false))));
        return outer;
    }

    /** Nested as deeply as an argument may be. */
    private static Object nested(Object core, UnaryOperator<Object> container) {
        Object nested = core;
        for (int i = 0; i < 98; i++) {
            nested = container.apply(nested);
        }
        return nested;
    }

    /** Whether two values are equal and of the same types, with the members of objects in the same order. */
    static boolean same(@Nullable Object one, @Nullable Object other) {
        if (one instanceof Map<?, ?> ones && other instanceof Map<?, ?> others) {
            return same(List.copyOf(ones.keySet()), List.copyOf(others.keySet()))
                    && ones.keySet().stream().allMatch(key -> same(ones.get(key), others.get(key)));
        }
        if (one instanceof List<?> ones && other instanceof List<?> others) {
            Iterator<?> second = others.iterator();
            return ones.size() == others.size() && ones.stream().allMatch(each -> same(each, second.next()));
        }
        return Objects.equals(one, other);
    }

    static String show(@Nullable Object value) {
        return value == null ? "null" : value.getClass().getSimpleName() + " " + value;
    }
}
