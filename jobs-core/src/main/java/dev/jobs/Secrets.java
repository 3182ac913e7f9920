package dev.jobs;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.reflect.Field;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Base64;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What is inside the hidden arguments of a job: texts, numbers, truth values and keys, none of which may be seen in a
 * text about the job, however it is spelled there. Confined to one thread.
 */
final class Secrets {

    /** Shorter ones occur everywhere: what was left of a text around them would tell more than it hides. */
    private static final int LEAST_CONTAINED = 4;

    /** So many letters and digits are looked for whatever is between them. */
    private static final int LEAST_COMPACT = 6;

    private static final int MOST = 100;

    /** Messages are shorter. */
    private static final int MOST_TEXT = 64 * 1_024;

    /** Shorter ones occur in every decoded text. */
    private static final int LEAST_WORD_IN_BASE64 = 3;

    private static final int WHOLE = Integer.MAX_VALUE;

    /** What may be Base64, of ordinary texts or of addresses, of at least four bytes. */
    private static final Pattern BASE64 = Pattern.compile("[A-Za-z0-9+/_-]{6,}={0,2}");

    private static final Pattern NUMBER_WITH_ZEROS = Pattern.compile("0[0-9]+");

    /** A secret as it is looked for; compact: null if it is too short for that. */
    private record Sought(
            boolean digraphs,
            boolean word,
            String plain,
            @Nullable String compact) {

        static Sought of(String secret, boolean digraphs) {
            String letters = Spelling.of(secret, digraphs, true).text();
            boolean number = letters.codePoints().allMatch(Character::isDigit);
            return new Sought(
                    digraphs,
                    secret.length() < LEAST_CONTAINED,
                    Spelling.of(secret, digraphs, false).text(),
                    letters.length() < (number ? LEAST_CONTAINED : LEAST_COMPACT) ? null : letters);
        }
    }

    private final Set<String> secrets = new TreeSet<>();
    private final List<Sought> sought = new ArrayList<>();
    private boolean tooMany;

    /**
     * Adds what is hidden of an argument.
     *
     * @param shown what may be seen of it
     * @param type as the job declares it; null if it isn't known
     */
    void add(@Nullable Object argument, @Nullable Object shown, @Nullable Type type) {
        if (argument == null || argument.equals(shown)) {
            return;
        }
        if (argument instanceof Map<?, ?> map) {
            Map<?, ?> visible = shown instanceof Map<?, ?> some ? some : Map.of();
            boolean named = hasNamedMembers(type);
            map.forEach((key, value) -> {
                boolean seen = visible.containsKey(key);
                if (!named && !seen) {
                    addText(String.valueOf(key));
                }
                add(value, visible.get(key), member(type, String.valueOf(key)));
            });
        } else if (argument instanceof List<?> list) {
            List<?> visible = shown instanceof List<?> some && some.size() == list.size() ? some : List.of();
            Type element = element(type);
            for (int i = 0; i < list.size(); i++) {
                add(list.get(i), visible.isEmpty() ? null : visible.get(i), element);
            }
        } else if (argument instanceof String
                || argument instanceof Boolean
                || argument instanceof Long
                || argument instanceof BigInteger
                || argument instanceof Double) {
            addText(argument.toString());
        }
    }

    private void addText(String text) {
        if (text.isBlank() || secrets.contains(text)) {
            return;
        }
        if (secrets.size() >= MOST) {
            tooMany = true;
            return;
        }
        Sought letters = Sought.of(text, false);
        if (!letters.plain().isEmpty()) { // accents of no letter are in every text
            secrets.add(text);
            sought.add(letters);
            sought.add(Sought.of(text, true));
            if (NUMBER_WITH_ZEROS.matcher(text).matches()) { // which may have been read as a number
                sought.add(Sought.of(text.replaceFirst("^0+(?=.)", ""), false));
            }
        }
    }

    /** Whether the keys of an object are names in the job's code rather than data. */
    private static boolean hasNamedMembers(@Nullable Type type) {
        Class<?> raw = raw(type);
        return raw != null
                && raw != Object.class
                && !Map.class.isAssignableFrom(raw)
                && !raw.getName().startsWith("tools.jackson.");
    }

    private static @Nullable Type member(@Nullable Type type, String name) {
        Class<?> raw = raw(type);
        if (raw == null) {
            return null;
        }
        if (Map.class.isAssignableFrom(raw)) {
            return argument(type, 1);
        }
        if (raw.isRecord()) {
            for (RecordComponent component : raw.getRecordComponents()) {
                if (component.getName().equals(name)) {
                    return component.getGenericType();
                }
            }
        }
        for (Class<?> each = raw; each != null && each != Object.class; each = each.getSuperclass()) {
            for (Field field : each.getDeclaredFields()) {
                if (field.getName().equals(name)) {
                    return field.getGenericType();
                }
            }
        }
        return null;
    }

    private static @Nullable Type element(@Nullable Type type) {
        if (type instanceof GenericArrayType array) {
            return array.getGenericComponentType();
        }
        return type instanceof Class<?> array && array.isArray() ? array.getComponentType() : argument(type, 0);
    }

    private static @Nullable Type argument(@Nullable Type type, int index) {
        return type instanceof ParameterizedType generic && generic.getActualTypeArguments().length > index
                ? generic.getActualTypeArguments()[index]
                : null;
    }

    /** The class of a type; that of its value if it is an Optional. Null if it isn't known. */
    private static @Nullable Class<?> raw(@Nullable Type type) {
        Type declared = type instanceof ParameterizedType generic ? generic.getRawType() : type;
        return declared == Optional.class ? raw(argument(type, 0)) : declared instanceof Class<?> known ? known : null;
    }

    /** The text without them. */
    String without(String text) {
        if (secrets.isEmpty() || text.isEmpty()) {
            return text;
        }
        if (tooMany || text.length() > MOST_TEXT) {
            return ArgumentMasking.HIDDEN;
        }
        BitSet hidden = new BitSet(text.length());
        for (boolean digraphs : new boolean[] {false, true}) {
            Spelling plain = Spelling.of(text, digraphs, false);
            Spelling compact = Spelling.of(text, digraphs, true);
            for (Sought each : sought) {
                if (each.digraphs() != digraphs) {
                    continue;
                }
                if (!each.word()) {
                    plain.mark(each.plain(), WHOLE, hidden);
                } else if (plain.hasWord(each.plain())) {
                    return ArgumentMasking.HIDDEN;
                }
                if (each.compact() != null) {
                    compact.mark(each.compact(), LEAST_CONTAINED, hidden);
                }
            }
        }
        markBase64(text, hidden);
        return without(text, hidden);
    }

    /** As in headers with a user and a password. */
    private void markBase64(String text, BitSet hidden) {
        Matcher run = BASE64.matcher(text);
        List<String> bytes = new ArrayList<>();
        List<String> words = sought.stream()
                .filter(each -> each.word() && !each.digraphs() && each.plain().length() >= LEAST_WORD_IN_BASE64)
                .map(Sought::plain)
                .toList();
        while (run.find()) {
            if (bytes.isEmpty()) {
                secrets.stream()
                        .filter(secret -> secret.length() >= LEAST_CONTAINED)
                        .map(secret -> new String(secret.getBytes(UTF_8), ISO_8859_1))
                        .forEach(bytes::add);
            }
            String code = run.group().replace("=", "").replace('-', '+').replace('_', '/');
            for (int skipped = 0; skipped < 4 && code.length() - skipped >= 2; skipped++) {
                String rest = code.substring(skipped);
                byte[] decoded = Base64.getDecoder()
                        .decode(rest.length() % 4 == 1 ? rest.substring(0, rest.length() - 1) : rest);
                String inside = new String(decoded, ISO_8859_1);
                Spelling spelled = words.isEmpty() ? null : Spelling.of(inside, false, false);
                if (bytes.stream().anyMatch(inside::contains)
                        || spelled != null && words.stream().anyMatch(spelled::hasWord)) {
                    hidden.set(run.start(), run.end());
                }
            }
        }
    }

    private static String without(String text, BitSet hidden) {
        if (hidden.isEmpty()) {
            return text;
        }
        StringBuilder rest = new StringBuilder();
        int done = 0;
        for (int from = hidden.nextSetBit(0); from >= 0; from = hidden.nextSetBit(done)) {
            rest.append(text, done, from).append(ArgumentMasking.HIDDEN);
            done = hidden.nextClearBit(from);
        }
        return rest.append(text, done, text.length()).toString();
    }

    /** A plain value without them, to any depth. */
    @Nullable Object without(@Nullable Object value) {
        if (value instanceof String text) {
            return without(text);
        }
        if (value instanceof List<?> list) {
            List<@Nullable Object> rest = new ArrayList<>();
            list.forEach(each -> rest.add(without(each)));
            return rest;
        }
        if (value instanceof Map<?, ?> map) {
            Map<String, @Nullable Object> rest = new LinkedHashMap<>();
            map.forEach((key, each) -> rest.put(without(String.valueOf(key)), without(each)));
            return rest;
        }
        String number = String.valueOf(value);
        boolean hidden = value instanceof Number
                && number.length() >= LEAST_CONTAINED
                && !without(number).equals(number);
        return hidden ? ArgumentMasking.HIDDEN : value;
    }
}
