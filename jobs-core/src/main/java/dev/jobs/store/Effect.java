package dev.jobs.store;

import dev.jobs.Internal;
import dev.jobs.redis.LuaPart;
import java.util.List;
import java.util.Set;

/**
 * Changes another key in Redis in the step in which a job ends or moves. It happens only if the job does: not for a job
 * that is gone or belongs to another process, and not when the call is repeated. A key of the wrong type, or one that
 * may not be written, doesn't keep the job from ending.
 *
 * @param kind the script that applies it, {@code effect_KIND.lua}
 * @param keys the keys to change
 * @param outcome the outcome of the job that it is for, such as {@code poisoned}; empty for any
 * @param arguments the arguments of the kind for this job, without the keys
 * @param number the only argument of a brief effect, from 0, less than 2³²; else {@value #NOT_BRIEF}. A brief effect is
 *     for any outcome, and all those of a call with the same keys share one argument of the script
 */
@Internal
public record Effect(String kind, List<byte[]> keys, String outcome, List<byte[]> arguments, long number) {

    /** All kinds. Each module that adds kinds has its own list. */
    static final Set<String> KINDS = LuaPart.kinds("effect_");

    private static final long NOT_BRIEF = -1;

    /** @throws IllegalArgumentException if no {@code JobRule} and no {@code parts.txt} on the class path names the kind */
    public Effect {
        if (!KINDS.contains(kind)) {
            throw new IllegalArgumentException("'kind' must be one of " + KINDS + " but was '" + kind
                    + "'. An application in one jar needs the lines of all files parts.txt.");
        }
        keys = List.copyOf(keys);
        arguments = List.copyOf(arguments);
    }

    /** Not a brief one. */
    public Effect(String kind, List<byte[]> keys, String outcome, List<byte[]> arguments) {
        this(kind, keys, outcome, arguments, NOT_BRIEF);
    }

    /** With a single key. */
    public Effect(String kind, byte[] key, String outcome, List<byte[]> arguments) {
        this(kind, List.of(key), outcome, arguments);
    }

    /** A brief one. */
    public static Effect brief(String kind, List<byte[]> keys, long number) {
        return new Effect(kind, keys, "", List.of(), number);
    }

    boolean isBrief() {
        return number != NOT_BRIEF;
    }

    /** Removes a key that only this job uses. */
    public static Effect unlink(byte[] key) {
        return new Effect("unlink", key, "", List.of());
    }

    /** Approximate size of all of them on the wire in bytes. */
    public static int size(List<Effect> effects) {
        int size = 0;
        for (Effect effect : effects) {
            size += effect.size();
        }
        return size;
    }

    /** Approximate size on the wire in bytes. */
    private int size() {
        int size = 16;
        for (byte[] key : keys) {
            size += key.length;
        }
        for (byte[] argument : arguments) {
            size += argument.length + 8;
        }
        return size;
    }
}
