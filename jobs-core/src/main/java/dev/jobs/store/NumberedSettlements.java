package dev.jobs.store;

import dev.jobs.redis.Bytes;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.SortedQueue;
import dev.jobs.store.Settlement.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The settlements of an exchange that are more than plain acks. The script makes them after those, in the order of their
 * numbers: first the acks with effects, then the others, which are moves.
 */
final class NumberedSettlements {

    private static final int ARGUMENTS_OF_A_MOVE = 6;

    /** Those with the same keys beside each other, in the order of their numbers: the script takes these in few steps. */
    private static final Comparator<Settlement> BRIEF_ONES_IN_RUNS =
            Comparator.comparing(NumberedSettlements::brief, Comparator.nullsFirst(NumberedSettlements::compare));

    private final List<Settlement> acks;
    private final List<Settlement> moves;

    /** The positions at which they were given, in the order of their numbers. */
    private final List<Integer> positions;

    /** @param all those of the exchange, with plain acks */
    NumberedSettlements(List<Settlement> all) {
        List<Settlement> given = all.stream().filter(each -> !each.isPlainAck()).toList();
        List<Integer> positionsOfAcks = positions(given, false)
                .sorted(Comparator.comparing(given::get, BRIEF_ONES_IN_RUNS))
                .toList();
        List<Integer> positionsOfMoves = positions(given, true).toList();
        acks = positionsOfAcks.stream().map(given::get).toList();
        moves = positionsOfMoves.stream().map(given::get).toList();
        positions = Stream.concat(positionsOfAcks.stream(), positionsOfMoves.stream())
                .toList();
    }

    private static Stream<Integer> positions(List<Settlement> given, boolean ofMoves) {
        return IntStream.range(0, given.size())
                .filter(position -> given.get(position).isMove() == ofMoves)
                .boxed();
    }

    private static @Nullable Effect brief(Settlement settlement) {
        for (Effect each : settlement.effects()) {
            if (each.isBrief()) {
                return each;
            }
        }
        return null;
    }

    private static int compare(Effect one, Effect other) {
        if (one.keys() != other.keys()) { // usually it is the same list
            int order = Arrays.compare(
                    one.keys().toArray(byte[][]::new), other.keys().toArray(byte[][]::new), Arrays::compare);
            if (order != 0) {
                return order;
            }
        }
        return Long.compare(one.number(), other.number());
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
     * @param results by their numbers; empty if the script did nothing
     */
    List<Integer> asGiven(List<Object> results) {
        Integer[] ordered = new Integer[results.size()];
        for (int i = 0; i < ordered.length; i++) {
            ordered[positions.get(i)] = (int) Bytes.number(results.get(i));
        }
        return List.of(ordered);
    }
}
