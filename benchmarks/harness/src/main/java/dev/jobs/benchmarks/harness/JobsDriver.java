package dev.jobs.benchmarks.harness;

import dev.jobs.assembly.EngineConfig;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.benchmarks.driver.Arguments;
import dev.jobs.benchmarks.driver.BenchmarkDriver;
import dev.jobs.benchmarks.driver.Tally;
import dev.jobs.benchmarks.harness.JobsProcess.Work;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ThreadFactory;

/** This library with its default settings. */
class JobsDriver implements BenchmarkDriver {

    private static final String LIMIT = "benchmark";

    private final JobsProcess process;

    JobsDriver(String uri) {
        process = new JobsProcess(uri);
    }

    @Override
    public String description() {
        return "this library, platform threads";
    }

    @Override
    public final void enqueueSingly(Arguments arguments, int jobs) {
        for (int i = 0; i < jobs; i++) {
            process.client().enqueue(Work::run, arguments.text(), arguments.number(), arguments.order());
        }
    }

    @Override
    public final void enqueueUnique(Arguments arguments, List<String> keys) {
        for (String key : keys) {
            process.client().unique(key).enqueue(Work::run, arguments.text(), arguments.number(), arguments.order());
        }
    }

    @Override
    public final void enqueueLimited(Arguments arguments, int jobs, int permits) {
        try (JobsAdmin admin = process.admin()) {
            admin.limits().set(LIMIT, permits);
        }
        process.client().limit(LIMIT, "").enqueueAll(Work.RUN, JobsProcess.times(jobs, arguments));
    }

    @Override
    public final void enqueueInBulk(Arguments arguments, int jobs) {
        process.client().enqueueAll(Work.RUN, JobsProcess.times(jobs, arguments));
    }

    @Override
    public final void schedule(List<Arguments> jobs, Instant at) {
        process.client()
                .at(at)
                .enqueueAll(Work.RUN, jobs.stream().map(JobsProcess::list).toList());
    }

    @Override
    public final void startWorkers(int concurrency, Tally tally) {
        process.start(EngineConfig.of(concurrency, "default"), threads(), tally);
    }

    ThreadFactory threads() {
        return Thread::new;
    }

    @Override
    public final void stopWorkers() {
        process.stop();
    }

    @Override
    public final void close() {
        process.close();
    }
}
