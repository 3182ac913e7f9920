package dev.jobs.codec;

import dev.jobs.Internal;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An immutable JSON object, held as the slices of text from which its members were read.
 *
 * <p>Members are decoded on request, and an edit changes one member only: all others keep their bytes. Of several
 * members with the same name the last one counts; the first edit moves it to where the first one was.
 */
@Internal
public final class JsonObject {

    /** Four numbers for each member: the begin and end of its name (inside the quotes) and of its value. */
    private static final int STRIDE = 4;

    private static final int EXPECTED_MEMBERS = 16;
    private static final int FEW_MEMBERS = 24;

    /** The object without members. */
    public static final JsonObject EMPTY = new JsonObject(new byte[] {'{', '}'}, null, new int[0], 0, true, false);

    /** The whole text; null after an edit. */
    private final byte @Nullable [] source;
    /** The text that contains each member; null before the first edit. After it, names are unique. */
    private final byte @Nullable [][] sources;

    private final int[] offsets;
    private final int count;
    private final boolean plainNames;
    /** A bit for the first character and length of each name: a name whose bit is not set is missing. */
    private final long marks;
    /** Whether this is text of ours, with unique names and without white space, that another member may follow. */
    private final boolean growing;

    private JsonObject(
            byte @Nullable [] source,
            byte @Nullable [][] sources,
            int[] offsets,
            int count,
            boolean plainNames,
            boolean growing) {
        this.source = source;
        this.sources = sources;
        this.offsets = offsets;
        this.count = count;
        this.plainNames = plainNames;
        this.growing = growing;
        long all = plainNames ? 0 : -1;
        for (int i = 0; i < count && plainNames; i++) {
            int size = nameTo(i) - nameFrom(i);
            all |= size == 0 ? -1 : mark((char) source(i)[nameFrom(i)], size);
        }
        this.marks = all;
    }

    private static long mark(char first, int size) {
        return 1L << first + 5 * size; // modulo 64
    }

    /**
     * Reads the text of one object; the array is kept, not copied.
     *
     * @throws JsonException if the text is not JSON, or is JSON but not an object
     */
    public static JsonObject parse(byte[] text) throws JsonException {
        JsonScanner scanner = new JsonScanner(text);
        if (!scanner.more()) {
            throw scanner.malformed("the text is empty", 0);
        }
        if (scanner.peek() != '{') {
            throw scanner.notAnObject();
        }
        int[] offsets = new int[EXPECTED_MEMBERS * STRIDE];
        int used = 0;
        boolean plainNames = true;
        scanner.expect('{');
        if (!scanner.take('}')) {
            do {
                if (used == offsets.length) {
                    offsets = Arrays.copyOf(offsets, used * 2);
                }
                scanner.peek();
                offsets[used++] = scanner.position() + 1;
                scanner.string();
                offsets[used++] = scanner.position() - 1;
                plainNames &= scanner.plain();
                scanner.expect(':');
                scanner.peek();
                offsets[used++] = scanner.position();
                scanner.value(1);
                offsets[used++] = scanner.position();
            } while (scanner.take(','));
            scanner.expect('}');
        }
        if (scanner.more()) {
            throw scanner.malformed("more text after the object", scanner.position());
        }
        return new JsonObject(text, null, offsets, used / STRIDE, plainNames, false);
    }

    /**
     * Encodes plain values (see {@link JsonText}) as an object, in the order of the map.
     *
     * @throws JsonException if a value has no JSON form
     */
    public static JsonObject of(Map<String, ? extends @Nullable Object> members) throws JsonException {
        JsonBuffer out = JsonBuffer.forMembers(members.values());
        int[] offsets = new int[members.size() * STRIDE];
        int used = 0;
        boolean plainNames = true;
        out.raw('{');
        for (Map.Entry<String, ? extends @Nullable Object> member : members.entrySet()) {
            if (used > 0) {
                out.raw(',');
            }
            plainNames &= append(out, member.getKey(), member.getValue(), offsets, used);
            used += STRIDE;
        }
        out.raw('}');
        return new JsonObject(out.toBytes(), null, offsets, used / STRIDE, plainNames, used > 0);
    }

    /**
     * This object with one member set: where it was if the object has that member, else at the end.
     *
     * @throws JsonException if the value has no JSON form
     */
    public JsonObject with(String name, @Nullable Object value) throws JsonException {
        JsonBuffer out = new JsonBuffer(64);
        int[] added = new int[STRIDE];
        boolean plain = append(out, name, value, added, 0);
        if (growing && find(name) < 0) {
            return grown(out.toBytes(), added, plain);
        }
        JsonObject base = editable();
        int index = base.find(name);
        int size = index < 0 ? base.count + 1 : base.count;
        index = index < 0 ? base.count : index;
        int[] newOffsets = Arrays.copyOf(base.offsets, size * STRIDE);
        System.arraycopy(added, 0, newOffsets, index * STRIDE, STRIDE);
        byte[][] newSources = Arrays.copyOf(base.sources(), size);
        newSources[index] = out.toBytes();
        return new JsonObject(null, newSources, newOffsets, size, base.plainNames && plain, false);
    }

    /** The text of {@link #with}, without the object: every new job gets its last member in this way. */
    public byte[] bytesWith(String name, @Nullable Object value) throws JsonException {
        if (!growing || find(name) >= 0) {
            return with(name, value).bytes();
        }
        JsonBuffer out = new JsonBuffer(64);
        append(out, name, value, new int[STRIDE], 0);
        return grown(out.toBytes());
    }

    private byte[] grown(byte[] member) {
        byte[] text = Arrays.copyOf(Objects.requireNonNull(source), length() + 1 + member.length);
        text[length() - 1] = ',';
        System.arraycopy(member, 0, text, length(), member.length);
        text[text.length - 1] = '}';
        return text;
    }

    private JsonObject grown(byte[] member, int[] added, boolean plain) {
        byte[] text = grown(member);
        int at = length();
        int[] newOffsets = Arrays.copyOf(offsets, (count + 1) * STRIDE);
        for (int i = 0; i < STRIDE; i++) {
            newOffsets[count * STRIDE + i] = at + added[i];
        }
        return new JsonObject(text, null, newOffsets, count + 1, plainNames && plain, true);
    }

    /** This object without the member of that name; the same object if it has no such member. */
    public JsonObject without(String name) {
        if (find(name) < 0) {
            return this;
        }
        JsonObject base = editable();
        int index = base.find(name);
        int size = base.count - 1;
        int[] newOffsets = new int[size * STRIDE];
        byte[][] newSources = new byte[size][];
        System.arraycopy(base.offsets, 0, newOffsets, 0, index * STRIDE);
        System.arraycopy(base.offsets, (index + 1) * STRIDE, newOffsets, index * STRIDE, (size - index) * STRIDE);
        System.arraycopy(base.sources(), 0, newSources, 0, index);
        System.arraycopy(base.sources(), index + 1, newSources, index, size - index);
        return new JsonObject(null, newSources, newOffsets, size, base.plainNames, false);
    }

    /** A copy of the text: byte for byte as read, or after an edit the members without white space between them. */
    public byte[] bytes() {
        if (source != null) {
            return source.clone();
        }
        byte[] text = new byte[length()];
        int at = 0;
        text[at++] = '{';
        for (int i = 0; i < count; i++) {
            if (i > 0) {
                text[at++] = ',';
            }
            at = copy(i, nameFrom(i) - 1, nameTo(i) + 1, text, at);
            text[at++] = ':';
            at = copy(i, valueFrom(i), valueTo(i), text, at);
        }
        text[at] = '}';
        return text;
    }

    /** The length of the text in bytes. */
    public int length() {
        if (source != null) {
            return source.length;
        }
        int size = 2 + Math.max(0, count - 1);
        for (int i = 0; i < count; i++) {
            size += nameTo(i) - nameFrom(i) + 3 + valueTo(i) - valueFrom(i);
        }
        return size;
    }

    public boolean has(String name) {
        return find(name) >= 0;
    }

    /** The names in order of first occurrence. */
    public Set<String> names() {
        Set<String> names = new LinkedHashSet<>();
        for (int i = 0; i < count; i++) {
            names.add(name(i));
        }
        return names;
    }

    /** The JSON text of one value, or null if there is no such member. */
    public byte @Nullable [] raw(String name) {
        int i = find(name);
        return i < 0 ? null : Arrays.copyOfRange(source(i), valueFrom(i), valueTo(i));
    }

    /** The first character of the JSON text of one value, which identifies its type; 0 if there is no such member. */
    public char kind(String name) {
        int i = find(name);
        return i < 0 ? 0 : (char) source(i)[valueFrom(i)];
    }

    /** One value: text, Long or BigInteger, Double, Boolean, an ArrayList, a LinkedHashMap, or null. */
    public @Nullable Object get(String name) {
        int i = find(name);
        return i < 0 ? null : JsonReader.read(source(i), valueFrom(i));
    }

    /** One value if it is text, else null. */
    public @Nullable String text(String name) {
        int i = find(name);
        return i < 0 || source(i)[valueFrom(i)] != '"'
                ? null
                : JsonReader.characters(source(i), valueFrom(i) + 1, valueTo(i) - 1);
    }

    /** All members as plain values, in order of first occurrence. */
    public Map<String, @Nullable Object> asMap() {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            members.put(name(i), JsonReader.read(source(i), valueFrom(i)));
        }
        return members;
    }

    private static boolean append(JsonBuffer out, String name, @Nullable Object value, int[] offsets, int at)
            throws JsonException {
        try {
            offsets[at] = out.length() + 1;
            out.string(name);
            offsets[at + 1] = out.length() - 1;
            out.raw(':');
            offsets[at + 2] = out.length();
            JsonText.write(out, value, 1);
            offsets[at + 3] = out.length();
        } catch (Unwritable e) {
            throw JsonText.refused(e.inside(name));
        }
        return offsets[at + 1] - offsets[at] == name.length();
    }

    /** Converts to the form in which members may come from different texts and names are unique. */
    private JsonObject editable() {
        if (sources != null) {
            return this;
        }
        int[] newOffsets = new int[count * STRIDE];
        byte[][] newSources = new byte[count][];
        Arrays.fill(newSources, source);
        int members = count <= FEW_MEMBERS && plainNames ? gather(newOffsets) : gatherByName(newOffsets);
        return new JsonObject(null, newSources, newOffsets, members, plainNames, false);
    }

    private int gatherByName(int[] newOffsets) {
        Map<String, Integer> indexes = new HashMap<>();
        for (int i = 0; i < count; i++) {
            Integer earlier = indexes.putIfAbsent(name(i), indexes.size());
            int index = earlier == null ? indexes.size() - 1 : earlier;
            System.arraycopy(offsets, i * STRIDE, newOffsets, index * STRIDE, STRIDE);
        }
        return indexes.size();
    }

    /** Does the same by comparing each name with all earlier ones, which is faster for the few members of a job. */
    private int gather(int[] newOffsets) {
        byte[] text = Objects.requireNonNull(source);
        int members = 0;
        for (int i = 0; i < count; i++) {
            int index = 0;
            while (index < members
                    && !Arrays.equals(
                            text,
                            nameFrom(i),
                            nameTo(i),
                            text,
                            newOffsets[index * STRIDE],
                            newOffsets[index * STRIDE + 1])) {
                index++;
            }
            members = Math.max(members, index + 1);
            System.arraycopy(offsets, i * STRIDE, newOffsets, index * STRIDE, STRIDE);
        }
        return members;
    }

    private int find(String name) {
        if (!name.isEmpty() && (marks & mark(name.charAt(0), name.length())) == 0) {
            return -1;
        }
        int i = count - 1;
        while (i >= 0 && !isNamed(i, name)) {
            i--;
        }
        return i;
    }

    private boolean isNamed(int i, String name) {
        if (!plainNames) {
            return name(i).equals(name);
        }
        int from = nameFrom(i);
        int size = nameTo(i) - from;
        if (size != name.length()) {
            return false;
        }
        byte[] text = source(i);
        for (int k = 0; k < size; k++) {
            if (text[from + k] != name.charAt(k)) {
                return false;
            }
        }
        return true;
    }

    private String name(int i) {
        return JsonReader.characters(source(i), nameFrom(i), nameTo(i));
    }

    private int copy(int i, int from, int to, byte[] target, int at) {
        System.arraycopy(source(i), from, target, at, to - from);
        return at + to - from;
    }

    private byte[] source(int i) {
        return source != null ? source : sources()[i];
    }

    private byte[][] sources() {
        return Objects.requireNonNull(sources);
    }

    private int nameFrom(int i) {
        return offsets[i * STRIDE];
    }

    private int nameTo(int i) {
        return offsets[i * STRIDE + 1];
    }

    private int valueFrom(int i) {
        return offsets[i * STRIDE + 2];
    }

    private int valueTo(int i) {
        return offsets[i * STRIDE + 3];
    }
}
