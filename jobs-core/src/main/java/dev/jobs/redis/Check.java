package dev.jobs.redis;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Decides in Redis, in the step that stores a payload, whether it may be stored, and notes there that it was: takes a
 * lock, counts. A key of the wrong type, or one that may not be read, fails the whole push, and nothing is stored.
 *
 * @param kind the script that makes it, {@code check_KIND.lua}
 * @param key the key that it reads and writes
 * @param arguments the arguments of the kind for this payload, without the key
 */
public record Check(String kind, byte[] key, List<byte[]> arguments) {

    /** @throws IllegalArgumentException if no {@code checks.txt} on the class path names the kind */
    public Check {
        if (!LuaScript.CHECK_KINDS.contains(kind)) {
            throw new IllegalArgumentException("'kind' must be one of " + LuaScript.CHECK_KINDS + " but was '" + kind
                    + "'. An application in one jar needs the lines of all files checks.txt.");
        }
        arguments = List.copyOf(arguments);
    }

    /** Approximate size of all of them on the wire in bytes. */
    public static int size(List<Check> checks) {
        int size = 0;
        for (Check check : checks) {
            size += 16 + check.kind.length() + check.key.length;
            for (byte[] argument : check.arguments) {
                size += argument.length + 8;
            }
        }
        return size;
    }

    /** Encodes those of each payload for {@code shared_checks.lua}, behind all other keys and arguments of the call. */
    static void append(List<List<Check>> ofEach, List<byte[]> keys, List<byte[]> arguments) {
        Map<ByteBuffer, byte[]> places = new HashMap<>();
        for (int i = 0; i < ofEach.size(); i++) {
            for (Check check : ofEach.get(i)) {
                arguments.add(Bytes.of(i + 1));
                arguments.add(Bytes.of(check.kind));
                arguments.add(places.computeIfAbsent(ByteBuffer.wrap(check.key), key -> {
                    keys.add(check.key);
                    return Bytes.of(places.size() + 1);
                }));
                arguments.addAll(check.arguments);
            }
        }
        if (!places.isEmpty()) {
            arguments.add(Bytes.of(ofEach.size()));
        }
    }
}
