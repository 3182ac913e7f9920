package dev.jobs.store;

import dev.jobs.batches.BatchTestBed;
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
 * Takes all steps of a model in all orders. Redis is restored before each step, and the effect of a call on the same
 * contents is determined once.
 */
public final class StateSpace {

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
    /** Keys with values that depend on the server's clock, and the names of these values; an empty set means all. */
    private static final Map<String, Set<String>> WITH_TIMES = Map.of(
            "retry",
            Set.of(),
            "dead",
            Set.of(),
            "jobs:recovered:times",
            Set.of(),
            "jobs:seen",
            Set.of("#since"),
            "jobs:trash",
            Set.of(),
            "jobs:wake",
            Set.of(),
            "jobs:batches",
            Set.of(),
            "jobs:batches:open",
            Set.of(),
            "jobs:batches:rest",
            Set.of(),
            "jobs:batch:" + BatchTestBed.id(1),
            Set.of("created", "changed", "committed", "attempted", "finished", "succeeded", "died"));

    /**
     * @param take takes the step and returns the state after it
     */
    record Step<S>(String name, Supplier<S> take) {}

    /** The possible steps and the invariants. States are equal if the same steps are possible after them. */
    interface Model<S> {

        /** All possible next steps. */
        List<Step<S>> steps(S state);

        /** Fails if this state violates an invariant. */
        void check(S state);
    }

    /**
     * @param contents different contents of Redis, including those during checks
     * @param transitions the number of steps, including those to known states
     */
    public record Size(int states, int transitions, int contents, int calls) {}

    /**
     * The effect of a call.
     *
     * @param stored what Redis holds after it
     */
    public record Change<A>(A answer, SortedMap<String, Object> stored) {}

    private record Cause(SortedMap<String, Object> stored, Object call) {}

    private final ScriptTestBed bed;
    private final Map<SortedMap<String, Object>, byte[][]> images = new HashMap<>();
    private final Map<Cause, Change<?>> effects = new HashMap<>();
    private final Deque<String> path = new ArrayDeque<>();
    private SortedMap<String, Object> current = new TreeMap<>();
    private int transitions;

    public StateSpace(ScriptTestBed bed) {
        this.bed = bed;
    }

    /** Visits all states that can follow a state. */
    public <S> Size explore(Model<S> model, S start) {
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

    /** Saves the contents of Redis, and returns them. */
    SortedMap<String, Object> look() {
        current = bed.everything();
        // States must not differ only by the server's clock.
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
     * @param before what Redis has to hold, as returned by {@link #look}
     * @param call equal to another one if it has the same effect
     */
    @SuppressWarnings("unchecked")
    public <A> Change<A> make(SortedMap<String, Object> before, Object call, Supplier<A> run) {
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
