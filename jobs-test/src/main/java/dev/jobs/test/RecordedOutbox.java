package dev.jobs.test;

import dev.jobs.transactions.Outbox;
import java.util.List;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Records the jobs that the application's outbox keeps, once their transaction has committed. Thread-safe. */
record RecordedOutbox(Outbox application, RecordedJobs recorded) implements Outbox {

    @Override
    public boolean isReady() {
        return application.isReady();
    }

    @Override
    public void keep(List<Entry> jobs) {
        application.keep(jobs);
        TransactionSynchronizationManager.registerSynchronization(
                new Commit(recorded, jobs.stream().map(recorded::shown).toList()));
    }

    @Override
    public void keepBatch(String id, byte[] commit) {
        application.keepBatch(id, commit);
    }

    @Override
    public void committed() {
        application.committed();
    }

    /** Comes before the relay is woken: a job may run, and enqueue others. */
    private record Commit(RecordedJobs recorded, List<EnqueuedJob> jobs) implements TransactionSynchronization {

        @Override
        public int getOrder() {
            return Ordered.HIGHEST_PRECEDENCE;
        }

        @Override
        public void afterCommit() {
            recorded.add(jobs);
        }
    }
}
