package dev.jobs.benchmarks.harness.micro;

import dev.jobs.benchmarks.driver.Answer;
import dev.jobs.benchmarks.driver.CommandLoop;
import java.util.List;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** Runs a microbenchmark in this process: each has its own, which ends with the harness. */
public final class MicroMain implements CommandLoop.Program {

    private MicroMain() {}

    public static void main(String[] arguments) throws Exception {
        System.setProperty("jmh.ignoreLock", "true");
        CommandLoop.run(MicroMain::new);
    }

    @Override
    public Answer greeting() {
        return new Answer().with("micro", MicroBenchmarks.class.getSimpleName());
    }

    /** @param words the benchmark, warm-up iterations, iterations, and the milliseconds of each iteration */
    @Override
    public Answer perform(List<String> words) throws RunnerException {
        TimeValue time = TimeValue.milliseconds(Integer.parseInt(words.get(3)));
        RunResult run = new Runner(new OptionsBuilder()
                        .include("^" + MicroBenchmarks.class.getName() + "." + words.get(0) + "$")
                        .forks(0)
                        .warmupIterations(Integer.parseInt(words.get(1)))
                        .warmupTime(time)
                        .measurementIterations(Integer.parseInt(words.get(2)))
                        .measurementTime(time)
                        .addProfiler(GCProfiler.class)
                        .shouldFailOnError(true)
                        .build())
                .runSingle();
        Answer answer = new Answer()
                .with("nanos_per_op", run.getPrimaryResult().getScore())
                .with("error_nanos", run.getPrimaryResult().getScoreError());
        run.getSecondaryResults().forEach((name, result) -> addAllocation(answer, name, result));
        return answer;
    }

    private static void addAllocation(Answer answer, String name, Result<?> result) {
        if (name.endsWith("gc.alloc.rate.norm")) {
            answer.with("bytes_per_op", result.getScore());
        }
    }

    @Override
    public void close() {}
}
