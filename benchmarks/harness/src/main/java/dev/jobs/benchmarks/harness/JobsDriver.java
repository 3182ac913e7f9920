package dev.jobs.benchmarks.harness;

import dev.jobs.benchmarks.driver.BenchmarkDriver;
import dev.jobs.benchmarks.driver.Tally;
import dev.jobs.benchmarks.harness.JobsProcess.Work;
import dev.jobs.engine.EngineConfig;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ThreadFactory;

/** This library with its default settings. */
class JobsDriver implements BenchmarkDriver {

    private final JobsProcess process;

    JobsDriver(String uri) {
        process = new JobsProcess(uri);
    }

    @Override
    public String description() {
        return "this library, platform threads";
    }

    @Override
    public final void enqueueSingly(int jobs) {
        for (int i = 0; i < jobs; i++) {
            process.client().enqueue(Work::run);
        }
    }

    @Override
    public final void enqueueInBulk(int jobs) {
        process.client().enqueueAll("Work.run", JobsProcess.times(jobs, List.of()));
    }

    @Override
    public final void enqueueTimed(long id) {
        process.client().enqueue(Work::timed, id);
    }

    @Override
    public final void scheduleTimed(List<Long> ids, Instant at) {
        process.client().at(at).enqueueAll(Work::timed, ids);
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
