package dev.jobs.store;

import dev.jobs.redis.Bytes;
import dev.jobs.redis.RedisKeys;
import java.util.ArrayList;
import java.util.List;

/**
 * Settlements in the order in which {@code claim.lua} makes them: plain acks, which share a command; acks with effects;
 * the others, which are moves. Not thread-safe.
 */
final class SettlementOrder {

    private final List<Settlement> given;
    private final List<Settlement> plainAcks = new ArrayList<>();
    private final List<Settlement> acksWithEffects = new ArrayList<>();
    private final List<Settlement> moves = new ArrayList<>();

    SettlementOrder(List<Settlement> settlements) {
        this.given = settlements;
        for (Settlement settlement : settlements) {
            if (settlement.isPlainAck()) {
                plainAcks.add(settlement);
            } else {
                (settlement.isAckWithEffects() ? acksWithEffects : moves).add(settlement);
            }
        }
    }

    List<Settlement> plainAcks() {
        return plainAcks;
    }

    List<Settlement> acksWithEffects() {
        return acksWithEffects;
    }

    List<Settlement> moves() {
        return moves;
    }

    /** The effects of all, under the numbers that the script gives to jobs. */
    EffectEncoder effects(RedisKeys keys) {
        EffectEncoder effects = new EffectEncoder(keys);
        int number = 0;
        for (List<Settlement> some : List.of(acksWithEffects, moves)) {
            for (Settlement settlement : some) {
                number++;
                effects.add(number, settlement.effects());
            }
        }
        return effects;
    }

    /**
     * The results of all but plain acks, in the order in which the settlements were given.
     *
     * @param results those of the script; empty if it repeated an answer
     */
    List<Integer> asGiven(List<Object> results) {
        if (results.isEmpty()) {
            return List.of();
        }
        List<Integer> ordered = new ArrayList<>(results.size());
        int ack = 0;
        int move = acksWithEffects.size();
        for (Settlement settlement : given) {
            if (!settlement.isPlainAck()) {
                Object result = results.get(settlement.isAckWithEffects() ? ack++ : move++);
                ordered.add((int) Bytes.number(result));
            }
        }
        return ordered;
    }
}
