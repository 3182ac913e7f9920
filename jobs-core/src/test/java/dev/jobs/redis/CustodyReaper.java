package dev.jobs.redis;

import dev.jobs.redis.CustodyCall.Reap;
import java.util.List;
import java.util.Set;

/**
 * Hands on one job with each call, of those that it saw when it looked.
 *
 * @param looks how often it will look yet
 * @param victim whom it reaps now, or empty
 */
record CustodyReaper(String name, int looks, String victim, List<String> tokens) {

    static CustodyReaper idle(String name, int looks) {
        return new CustodyReaper(name, looks, "", List.of());
    }

    boolean isIdle() {
        return victim.isEmpty();
    }

    CustodyReaper looksAt(String incarnation, Set<String> held) {
        return new CustodyReaper(name, looks - 1, incarnation, List.copyOf(held));
    }

    Reap next() {
        return new Reap(victim, tokens.isEmpty() ? "" : tokens.get(0));
    }

    CustodyReaper afterwards() {
        return tokens.size() > 1
                ? new CustodyReaper(name, looks, victim, tokens.subList(1, tokens.size()))
                : idle(name, looks);
    }
}
