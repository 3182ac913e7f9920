package dev.jobs.redis;

import java.util.List;
import java.util.stream.Stream;

/**
 * Who takes part, and in what.
 *
 * @param jobs what is in the queue at first, the oldest in front
 * @param looks how often each reaper looks for somebody to reap
 */
record Play(List<String> jobs, List<Program> programs, int reapers, int looks) {

    static Play about(String... jobs) {
        return new Play(List.of(jobs), List.of(), 0, 0);
    }

    Play with(Program program) {
        return new Play(
                jobs, Stream.concat(programs.stream(), Stream.of(program)).toList(), reapers, looks);
    }

    Play withReapers(int count, int looksOfEach) {
        return new Play(jobs, programs, count, looksOfEach);
    }
}
