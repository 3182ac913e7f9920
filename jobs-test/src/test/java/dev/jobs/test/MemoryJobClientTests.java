package dev.jobs.test;

import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.PayloadTimes;
import dev.jobs.client.JobStore;
import dev.jobs.transactions.Transactions;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/** The client of tests without Redis. */
class MemoryJobClientTests extends JobClientContract {

    private final RecordedJobs recorded = new RecordedJobs(
            new MemoryEngine(
                    false,
                    TestClock.standing(),
                    PayloadTimes.MILLISECONDS,
                    JobHooks::none,
                    () -> {
                        throw new IllegalStateException("nothing runs");
                    },
                    () -> {
                        throw new IllegalStateException("nothing recurs");
                    },
                    new MemoryLocks(() -> JobClientContract.NOW),
                    () -> Transactions.NONE),
            JobRegistry.of());

    @Override
    JobStore store() {
        return recorded;
    }

    @Override
    List<Stored> stored() {
        return recorded.all().stream()
                .sorted(Comparator.comparing(
                        EnqueuedJob::at, Comparator.nullsFirst(Comparator.<Instant>naturalOrder())))
                .map(job -> new Stored(job.at(), job.payload()))
                .toList();
    }
}
