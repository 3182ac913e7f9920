package dev.jobs.store;

import dev.jobs.Internal;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.LuaPart;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Decides in Redis, in the step that stores a payload, whether it may be stored, and notes there that it was: takes a
 * lock, counts. A key of the wrong type, or one that may not be read, fails the whole push, and nothing is stored.
 *
 * @param kind the script that makes it, {@code check_KIND.lua}
 * @param keys the keys that it reads and writes
 * @param arguments the arguments of the kind for this payload, without the keys
 */
@Internal
public record Check(String kind, List<byte[]> keys, List<byte[]> arguments) {

    /** All kinds. Each module that adds kinds has its own list. */
    static final Set<String> KINDS = LuaPart.kinds("check_");

    /** @throws IllegalArgumentException if no {@code JobRule} and no {@code parts.txt} on the class path names the kind */
    public Check {
        if (!KINDS.contains(kind)) {
            throw new IllegalArgumentException("'kind' must be one of " + KINDS + " but was '" + kind
                    + "'. An application in one jar needs the lines of all files parts.txt.");
        }
        keys = List.copyOf(keys);
        arguments = List.copyOf(arguments);
    }

    /** With a single key. */
    public Check(String kind, byte[] key, List<byte[]> arguments) {
        this(kind, List.of(key), arguments);
    }

    /** Approximate size of all of them on the wire in bytes. */
    public static int size(List<Check> checks) {
        int size = 0;
        for (Check check : checks) {
            size += 16 + check.kind.length();
            for (byte[] key : check.keys) {
                size += key.length;
            }
            for (byte[] argument : check.arguments) {
                size += argument.length + 8;
            }
        }
        return size;
    }

    /** Encodes those of each payload for {@code shared_checks.lua}, behind all other keys and arguments of the call. */
    static void append(List<List<Check>> ofEach, List<byte[]> keys, List<byte[]> arguments) {
        Map<List<ByteBuffer>, byte[]> indexes = new HashMap<>();
        int before = keys.size();
        for (int i = 0; i < ofEach.size(); i++) {
            for (Check check : ofEach.get(i)) {
                arguments.add(Bytes.of(i + 1));
                arguments.add(Bytes.of(check.kind));
                List<ByteBuffer> named =
                        check.keys.stream().map(ByteBuffer::wrap).toList();
                arguments.add(indexes.computeIfAbsent(named, absent -> {
                    keys.addAll(check.keys);
                    return Bytes.of(keys.size() - before - check.keys.size() + 1);
                }));
                arguments.addAll(check.arguments);
            }
        }
        if (!indexes.isEmpty()) {
            arguments.add(Bytes.of(ofEach.size()));
        }
    }
}
