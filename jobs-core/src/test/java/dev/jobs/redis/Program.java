package dev.jobs.redis;

import dev.jobs.redis.Settlement.What;
import java.util.List;

/**
 * What a process does: its calls in this order, its beats in this order, and both in any.
 *
 * @param faults how many of its calls go wrong on their way
 */
record Program(String name, List<Task> tasks, List<Pulse> pulses, int faults) {

    /**
     * One call of a process.
     *
     * @param want jobs to be claimed
     * @param outcomes what becomes of the jobs that it holds, of the oldest first
     * @param leaves whether it ends the process instead
     */
    record Task(int want, List<What> outcomes, boolean leaves) {

        static Task claim(int want) {
            return new Task(want, List.of(), false);
        }

        static Task settle(What... outcomes) {
            return new Task(0, List.of(outcomes), false);
        }

        static Task settleAndClaim(int want, What... outcomes) {
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

    static Program of(String name, Task... tasks) {
        return new Program(name, List.of(tasks), List.of(), 0);
    }

    Program beating(Pulse... times) {
        return new Program(name, tasks, List.of(times), faults);
    }

    Program withFaults(int most) {
        return new Program(name, tasks, pulses, most);
    }
}
