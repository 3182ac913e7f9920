package dev.jobs.store;

import dev.jobs.Internal;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.RedisKeys;
import java.util.List;

/**
 * What leaves jobs in their queues although a claim asks for them, as far as the script has to be told: its kind, which
 * is the name of a file {@code gate_KIND.lua}, and the arguments of that.
 */
@FunctionalInterface
@Internal
public interface ClaimGate {

    byte[] SUCCESSORS = Bytes.of("successors");

    /** Every job may be taken. */
    ClaimGate OPEN = (incarnation, queues, keys, all, arguments) -> {};

    /**
     * Appends its keys and arguments to all others but those of effects.
     *
     * @param queues those that the script knows by their numbers
     */
    void addTo(String incarnation, List<String> queues, RedisKeys keys, List<byte[]> all, List<byte[]> arguments);

    /** Of a queue, only jobs may be taken that settled ones of the same call let go on. */
    static ClaimGate onlySuccessors(String queue) {
        return (incarnation, queues, keys, all, arguments) -> {
            if (queues.contains(queue)) {
                arguments.addAll(List.of(SUCCESSORS, Bytes.of(queues.indexOf(queue) + 1)));
            }
        };
    }

    /** This one, and then another. */
    default ClaimGate and(ClaimGate next) {
        if (this == OPEN) {
            return next;
        }
        if (next == OPEN) {
            return this;
        }
        return (incarnation, queues, keys, all, arguments) -> {
            addTo(incarnation, queues, keys, all, arguments);
            next.addTo(incarnation, queues, keys, all, arguments);
        };
    }

    /**
     * Queues from which a claim takes no more jobs.
     *
     * @param full until jobs that were taken from there have ended
     * @param broken until a key is repaired that holds another type
     */
    record Shut(List<String> full, List<String> broken) {}
}
