package dev.jobs.store;

import dev.jobs.Internal;
import dev.jobs.redis.RedisKeys;
import java.util.List;

/**
 * What leaves jobs in their queues although a claim asks for them, as far as the script has to be told: its kind, which
 * is the name of a file {@code gate_KIND.lua}, and the arguments of that.
 */
@FunctionalInterface
@Internal
public interface ClaimGate {

    /** Every job may be taken. */
    ClaimGate OPEN = (incarnation, queues, keys, all, arguments) -> {};

    /**
     * Appends its keys and arguments to all others but those of effects.
     *
     * @param queues those that the script knows by their numbers
     */
    void addTo(String incarnation, List<String> queues, RedisKeys keys, List<byte[]> all, List<byte[]> arguments);

    /**
     * Queues from which a claim takes no more jobs.
     *
     * @param full until jobs that were taken from there have ended
     * @param broken until a key is repaired that holds another type
     */
    record Shut(List<String> full, List<String> broken) {}
}
