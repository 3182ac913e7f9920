package dev.jobs.store;

import java.util.List;
import java.util.stream.Stream;

/**
 * The jobs, processes and reapers whose steps are interleaved.
 *
 * @param jobs the initial jobs of the queue, oldest first
 * @param looks how often each reaper looks for a process to reap
 */
record InterleavingScenario(List<String> jobs, List<ProcessPlan> plans, int reapers, int looks) {

    static InterleavingScenario withJobs(String... jobs) {
        return new InterleavingScenario(List.of(jobs), List.of(), 0, 0);
    }

    InterleavingScenario with(ProcessPlan plan) {
        return new InterleavingScenario(
                jobs, Stream.concat(plans.stream(), Stream.of(plan)).toList(), reapers, looks);
    }

    InterleavingScenario withReapers(int count, int looksOfEach) {
        return new InterleavingScenario(jobs, plans, count, looksOfEach);
    }
}
