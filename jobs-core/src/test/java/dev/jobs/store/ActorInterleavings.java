package dev.jobs.store;

import dev.jobs.store.StateSpace.Change;
import dev.jobs.store.StateSpace.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Actors that take their own steps one after the other, in any order among them. One that first claims is a worker. */
public abstract class ActorInterleavings implements StateSpace.Model<ActorInterleavings.State> {

    /**
     * @param taken the number of steps that each has taken
     * @param known what each knows
     */
    public record State(
            SortedMap<String, Integer> taken, SortedMap<String, String> known, SortedMap<String, Object> stored) {

        private State after(String who, String learned, SortedMap<String, Object> now) {
            SortedMap<String, Integer> more = new TreeMap<>(taken);
            more.merge(who, 1, Integer::sum);
            SortedMap<String, String> all = new TreeMap<>(known);
            all.put(who, learned);
            return new State(more, all, now);
        }
    }

    public record Call(String who, String what, int number, String known) {}

    public final ScriptTestBed bed;
    public final StateSpace space;
    public final SortedMap<String, List<String>> actors;
    public final SortedSet<String> seen = new TreeSet<>();

    /** @param actors the steps of each */
    public ActorInterleavings(ScriptTestBed bed, StateSpace space, Map<String, List<String>> actors) {
        this.bed = bed;
        this.space = space;
        this.actors = new TreeMap<>(actors);
    }

    /** What happened on some way. */
    public SortedSet<String> seen() {
        return seen;
    }

    /** Lets the workers join. */
    public final State begin() {
        actors.forEach((who, steps) -> {
            if (steps.get(0).startsWith("claim")) {
                bed.worker(who).join();
            }
        });
        return new State(new TreeMap<>(), new TreeMap<>(), space.look());
    }

    @Override
    public List<Step<State>> steps(State state) {
        List<Step<State>> steps = new ArrayList<>();
        actors.forEach((who, all) -> {
            int taken = state.taken().getOrDefault(who, 0);
            if (taken < all.size()) {
                Call call =
                        new Call(who, all.get(taken), taken + 1, state.known().getOrDefault(who, ""));
                steps.add(new Step<>(who + " " + call.what(), () -> take(state, call)));
            }
        });
        return steps;
    }

    private State take(State before, Call call) {
        Change<String> change = space.make(before.stored(), call, () -> run(call));
        return before.after(call.who(), change.answer(), change.stored());
    }

    /** Returns what the actor knows afterwards. */
    public abstract String run(Call call);
}
