package dev.jobs.recurring;

import dev.jobs.JobRegistry;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.engine.ChoreTestBed;
import dev.jobs.recurring.RecurringJobStore.Snapshot;
import java.time.Duration;
import java.util.Set;
import java.util.function.Function;

/** A process as its poller of recurring jobs sees it, which a test runs by {@code runOnce}. */
final class PollingProcess implements AutoCloseable {

    final ChoreTestBed process;
    final RecurringJobStore store;
    final RecurringPoller poller;

    /**
     * @param jobs what declares recurring jobs, or not
     * @param look what the poller sees, with the time that counts as now
     */
    PollingProcess(EngineTestBed bed, String id, Object jobs, Function<RecurringJobStore, Snapshot> look) {
        process = new ChoreTestBed(bed, id);
        RecurringConfig config = bed.config.recurring();
        process.roles = Set.of(RecurringPoller.role(config.namespace()));
        process.follow(id);
        store = new RecurringJobStore(process.connection, process.keys, config.namespace());
        JobRegistry registry = JobRegistry.of(jobs);
        RecurringDeclarations declarations = new RecurringDeclarations(
                store, registry, config, process.context.environment().random());
        poller = new RecurringPoller(
                store, () -> look.apply(store), declarations, registry, process.context, config, Duration.ofSeconds(5));
    }

    Duration runOnce() throws InterruptedException {
        return poller.runOnce();
    }

    @Override
    public void close() {
        process.close();
    }
}
