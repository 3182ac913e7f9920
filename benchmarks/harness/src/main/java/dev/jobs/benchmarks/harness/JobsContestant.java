package dev.jobs.benchmarks.harness;

import dev.jobs.benchmarks.contest.Contestant;
import dev.jobs.benchmarks.contest.Tally;
import dev.jobs.benchmarks.harness.JobsNode.Work;
import dev.jobs.engine.EngineConfig;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ThreadFactory;

/** This library with its default settings. */
class JobsContestant implements Contestant {

    private final JobsNode node;

    JobsContestant(String uri) {
        node = new JobsNode(uri);
    }

    @Override
    public String description() {
        return "this library, platform threads";
    }

    @Override
    public final void enqueueSingly(int jobs) {
        for (int i = 0; i < jobs; i++) {
            node.client().enqueue(Work::run);
        }
    }

    @Override
    public final void enqueueInBulk(int jobs) {
        node.client().enqueueAll("Work.run", JobsNode.times(jobs, List.of()));
    }

    @Override
    public final void enqueueTimed(long id) {
        node.client().enqueue(Work::timed, id);
    }

    @Override
    public final void scheduleTimed(List<Long> ids, Instant at) {
        node.client().at(at).enqueueAll(Work::timed, ids);
    }

    @Override
    public final void startWorkers(int concurrency, Tally tally) {
        node.start(EngineConfig.of(concurrency, "default"), threads(), tally);
    }

    ThreadFactory threads() {
        return Thread::new;
    }

    @Override
    public final void stopWorkers() {
        node.stop();
    }

    @Override
    public final void close() {
        node.close();
    }
}
