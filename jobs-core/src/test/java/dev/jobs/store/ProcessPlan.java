package dev.jobs.store;

import dev.jobs.store.Settlement.Kind;
import java.util.List;

/**
 * What a process does: calls in this order, beats in this order, interleaved in any way.
 *
 * @param faults the maximum number of its calls that are lost or delayed
 */
record ProcessPlan(String name, List<Task> tasks, List<Pulse> pulses, int faults) {

    /**
     * One call of a process.
     *
     * @param want jobs to be claimed
     * @param outcomes the outcomes of the held jobs, oldest first
     * @param leaves whether the call ends the process instead
     */
    record Task(int want, List<Kind> outcomes, boolean leaves) {

        static Task claim(int want) {
            return new Task(want, List.of(), false);
        }

        static Task settle(Kind... outcomes) {
            return new Task(0, List.of(outcomes), false);
        }

        static Task settleAndClaim(int want, Kind... outcomes) {
            return new Task(want, List.of(outcomes), false);
        }

        static Task leave() {
            return new Task(0, List.of(), true);
        }

        boolean onlySettles() {
            return want == 0 && !leaves;
        }
    }

    /** How a process beats: while no round is due, or when one is. */
    enum Pulse {
        BEAT,
        ROUND
    }

    static ProcessPlan of(String name, Task... tasks) {
        return new ProcessPlan(name, List.of(tasks), List.of(), 0);
    }

    ProcessPlan beating(Pulse... times) {
        return new ProcessPlan(name, tasks, List.of(times), faults);
    }

    ProcessPlan withFaults(int most) {
        return new ProcessPlan(name, tasks, pulses, most);
    }
}
