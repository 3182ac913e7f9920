package dev.jobs.redis;

import io.lettuce.core.ScriptOutputType;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Takes all steps of a model in all orders. Redis is set back for each of them, and what a call does to the same contents is looked at once.
 */
final class StateSpace {

    private static final String SAVE = """
            local all = {}
            for _, key in ipairs(redis.call('KEYS', '*')) do
              all[#all + 1] = key
              all[#all + 1] = tostring(math.max(0, redis.call('PTTL', key)))
              all[#all + 1] = redis.call('DUMP', key)
            end
            return all
            """;
    private static final String RESTORE = """
            redis.call('FLUSHALL')
            for i = 1, #ARGV, 3 do redis.call('RESTORE', ARGV[i], ARGV[i + 1], ARGV[i + 2]) end
            """;
    /** Keys with values that the server's clock decides, and which; none stands for all. */
    private static final Map<String, Set<String>> WITH_TIMES = Map.of(
            "retry", Set.of(), "dead", Set.of(), "jobs:recovered:times", Set.of(), "jobs:seen", Set.of("#since"));

    /**
     * @param take does it and returns the state after it
     */
    record Step<S>(String name, Supplier<S> take) {}

    /** What can happen and what must hold. States are equal if the same can happen after them. */
    interface Model<S> {

        /** All that can happen next. */
        List<Step<S>> steps(S state);

        /** Fails if this state must not be. */
        void check(S state);
    }

    /**
     * @param contents different contents of Redis, those of checks included
     * @param transitions steps taken, also those to states that were known
     */
    record Size(int states, int transitions, int contents, int calls) {}

    /**
     * What a call did.
     *
     * @param stored what Redis holds then
     */
    record Change<A>(A answer, SortedMap<String, Object> stored) {}

    private record Cause(SortedMap<String, Object> stored, Object call) {}

    private final ScriptTestBed bed;
    private final Map<SortedMap<String, Object>, byte[][]> images = new HashMap<>();
    private final Map<Cause, Change<?>> effects = new HashMap<>();
    private final Deque<String> path = new ArrayDeque<>();
    private SortedMap<String, Object> current = new TreeMap<>();
    private int transitions;

    StateSpace(ScriptTestBed bed) {
        this.bed = bed;
    }

    /** Visits all that can follow a state. */
    <S> Size explore(Model<S> model, S start) {
        Set<S> visited = new HashSet<>();
        try {
            visit(model, start, visited);
        } catch (AssertionError | RuntimeException e) {
            String size = visited.size() + " states and " + transitions + " transitions";
            throw new AssertionError("After " + size + ", on this path:\n" + String.join("\n", path), e);
        }
        return new Size(visited.size(), transitions, images.size(), effects.size());
    }

    private <S> void visit(Model<S> model, S state, Set<S> visited) {
        if (!visited.add(state)) {
            return;
        }
        model.check(state);
        for (Step<S> step : model.steps(state)) {
            path.add(step.name());
            transitions++;
            visit(model, step.take().get(), visited);
            path.removeLast();
        }
    }

    /** Remembers what Redis holds now, and returns it. */
    SortedMap<String, Object> look() {
        current = bed.stored();
        // The server's clock must not tell states apart.
        current.replaceAll((key, value) -> {
            Set<String> times = WITH_TIMES.get(key);
            return times != null && value instanceof Map<?, ?> pairs ? untimed(pairs, times) : value;
        });
        images.computeIfAbsent(current, unknown -> save());
        return current;
    }

    private static Map<Object, Object> untimed(Map<?, ?> pairs, Set<String> times) {
        Map<Object, Object> untimed = new TreeMap<>(pairs);
        untimed.replaceAll((name, value) -> times.isEmpty() || times.contains(name) ? "" : value);
        return untimed;
    }

    /**
     * Makes a call.
     *
     * @param before what Redis has to hold, as a look at it told
     * @param call equal to another one if it does the same
     */
    @SuppressWarnings("unchecked")
    <A> Change<A> make(SortedMap<String, Object> before, Object call, Supplier<A> run) {
        Cause cause = new Cause(before, call);
        Change<?> effect = effects.get(cause);
        if (effect == null) {
            if (!current.equals(before)) {
                restore(images.get(before));
            }
            effect = new Change<>(run.get(), look());
            effects.put(cause, effect);
        }
        return (Change<A>) effect;
    }

    private byte[][] save() {
        List<Object> all = bed.redis.bytes().eval(SAVE, ScriptOutputType.MULTI);
        return all.toArray(byte[][]::new);
    }

    private void restore(byte[][] image) {
        bed.redis.bytes().eval(RESTORE, ScriptOutputType.STATUS, new byte[0][], image);
    }
}
