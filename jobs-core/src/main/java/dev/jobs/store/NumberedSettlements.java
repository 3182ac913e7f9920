package dev.jobs.store;

import dev.jobs.redis.Bytes;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.SortedQueue;
import dev.jobs.store.Settlement.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The settlements of an exchange that are more than plain acks. The script makes them after those, in the order of their
 * numbers: first the acks with effects, then the others, which are moves.
 */
final class NumberedSettlements {

    private static final int ARGUMENTS_OF_A_MOVE = 6;

    private final List<Settlement> given;
    private final List<Settlement> acks;
    private final List<Settlement> moves;

    /** @param all those of the exchange, with plain acks */
    NumberedSettlements(List<Settlement> all) {
        given = all.stream().filter(each -> !each.isPlainAck()).toList();
        acks = given.stream().filter(each -> !each.isMove()).toList();
        moves = given.stream().filter(Settlement::isMove).toList();
    }

    List<Settlement> acks() {
        return acks;
    }

    List<Settlement> moves() {
        return moves;
    }

    /** The queues that the script knows by their numbers: those to claim from, and those to which jobs go back. */
    List<String> withTheirs(List<String> queues) {
        List<String> all = new ArrayList<>(queues);
        for (Settlement move : moves) {
            if (move.goesToQueue() && !all.contains(move.where())) {
                all.add(move.where());
            }
        }
        return all;
    }

    /** How many arguments they have besides those of effects. */
    int arguments() {
        return acks.size() + ARGUMENTS_OF_A_MOVE * moves.size();
    }

    /** @param queues those that the script knows by their numbers */
    void addTo(RedisKeys keys, List<String> queues, List<byte[]> arguments) {
        acks.forEach(ack -> arguments.add(Bytes.of(ack.token())));
        for (Settlement move : moves) {
            String where = move.where();
            if (move.goesToQueue()) {
                SortedQueue sorted = move.kind() == Kind.INTERRUPTED ? keys.sortedForNew(where) : null;
                where = Integer.toString(queues.indexOf(where) + 1)
                        + (sorted == null ? "" : " " + Bytes.text(sorted.rank(move.payload())));
            }
            arguments.add(Bytes.of(move.kind().name().toLowerCase(Locale.ROOT)));
            arguments.add(Bytes.of(move.token()));
            arguments.add(Bytes.of(move.processed()));
            arguments.add(Bytes.of(move.failed()));
            arguments.add(Bytes.of(where));
            arguments.add(move.payload());
        }
    }

    void addEffectsTo(RedisKeys keys, List<byte[]> all, List<byte[]> arguments) {
        EffectEncoder effects = new EffectEncoder(keys);
        int job = 0;
        for (List<Settlement> some : List.of(acks, moves)) {
            for (Settlement settlement : some) {
                effects.add(++job, settlement.effects());
            }
        }
        effects.appendTo(all, arguments);
    }

    /**
     * Their results in the order in which they were given.
     *
     * @param results by their numbers; empty if the script repeated an answer
     */
    List<Integer> asGiven(List<Object> results) {
        if (results.isEmpty()) {
            return List.of();
        }
        List<Integer> ordered = new ArrayList<>(results.size());
        int ack = 0;
        int move = acks.size();
        for (Settlement settlement : given) {
            ordered.add((int) Bytes.number(results.get(settlement.isMove() ? move++ : ack++)));
        }
        return ordered;
    }
}
