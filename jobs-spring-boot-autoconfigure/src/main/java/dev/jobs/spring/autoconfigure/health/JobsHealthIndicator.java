package dev.jobs.spring.autoconfigure.health;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.admin.Books;
import dev.jobs.admin.Page;
import dev.jobs.admin.ScanBudget;
import dev.jobs.assembly.EngineHealth;
import dev.jobs.assembly.EngineHealth.State;
import dev.jobs.assembly.JobEngine;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.batches.BatchStatus;
import dev.jobs.spring.autoconfigure.batches.StuckBatches;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Whether jobs can be enqueued and, if there is a worker here, whether it can run them.
 *
 * <p>Down: Redis can't be reached, no heartbeat of the worker reaches it, or the key of a queue or set holds the wrong
 * type, so jobs can't move. Out of service: the worker was stopped, for instance by a signal, and the application runs
 * on without it. A quiet worker is up, since it does what it was told. An eviction policy that may lose jobs, jobs that
 * are unaccounted for, and batches that don't change are warnings beside the status, since taking the application out
 * of service would not help.
 */
@Internal
public final class JobsHealthIndicator implements HealthIndicator {

    private static final int MOST_BATCHES = 100;

    private final JobsAdmin admin;
    private final @Nullable JobEngine engine;
    private final StuckBatches stuck;

    public JobsHealthIndicator(JobsAdmin admin, @Nullable JobEngine engine, StuckBatches stuck) {
        this.admin = admin;
        this.engine = engine;
        this.stuck = stuck;
    }

    @Override
    public Health health() {
        Health.Builder builder = Health.up();
        List<String> warnings = new ArrayList<>();
        boolean well = engine == null || worker(builder, engine.health(), warnings);
        if (well) {
            redis(builder, warnings);
        }
        if (!warnings.isEmpty()) {
            builder.withDetail("warnings", warnings);
        }
        return builder.build();
    }

    /** Returns whether the health is decided. */
    private static boolean worker(Health.Builder builder, EngineHealth health, List<String> warnings) {
        builder.withDetail("worker", health.state().name().toLowerCase(Locale.ROOT))
                .withDetail("busy", health.busy())
                .withDetail("concurrency", health.concurrency());
        if (health.state() == State.STOPPED) {
            builder.outOfService();
            return true;
        }
        builder.withDetail("identity", health.identity())
                .withDetail("processes", health.processes())
                .withDetail("leader", health.leader());
        if (health.sinceBeat() != null) {
            builder.withDetail("sinceBeat", health.sinceBeat().toMillis() + " ms");
        }
        if (health.redisError() != null) {
            builder.down().withDetail("error", health.redisError());
            return false;
        }
        if (health.lame() != null) {
            builder.down()
                    .withDetail("error", health.lame() + ". Others take over the jobs of this process; restart it");
            return false;
        }
        if (health.abandoned() > 0) {
            builder.withDetail("abandoned", health.abandoned());
            String threads = health.abandoned() + " threads still run jobs that were given up after their timeout";
            if (health.abandoned() >= health.concurrency()) {
                builder.down().withDetail("error", threads + ", as many as may run jobs; restart this process");
                return false;
            }
            warnings.add(threads);
        }
        if (!health.brokenKeys().isEmpty()) {
            builder.down().withDetail("error", String.join("; ", health.brokenKeys()));
            return false;
        }
        if (!health.alive() && health.state() != State.STOPPING) {
            builder.down().withDetail("error", "No heartbeat of this worker reaches Redis, so it starts no jobs");
            return false;
        }
        String policy = health.evictionPolicy();
        if (policy != null && !policy.equals("noeviction")) {
            warnings.add("Redis may drop jobs when its memory is full: its maxmemory-policy is " + policy
                    + "; set it to noeviction");
        }
        return true;
    }

    private void redis(Health.Builder builder, List<String> warnings) {
        Books books;
        try {
            books = admin.recentBooks();
        } catch (JobStoreException e) {
            builder.down().withDetail("error", String.valueOf(e.getMessage()));
            return;
        }
        if (books == null) {
            warnings.add("The ledger of claimed jobs can't be read: its key in Redis holds the wrong type");
        } else if (books.conservationError() != 0) {
            warnings.add(books.conservationError() + " claimed jobs are unaccounted for: data in Redis was lost or "
                    + "changed by hand");
        }
        batches(builder, warnings);
    }

    private void batches(Health.Builder builder, List<String> warnings) {
        Page<BatchStatus> unfinished;
        try {
            unfinished = admin.batches().list(true, batch -> true, Long.MAX_VALUE, MOST_BATCHES, ScanBudget.standard());
        } catch (JobStoreException e) {
            warnings.add("The batches can't be read: " + e.getMessage());
            return;
        }
        builder.withDetail("batches", unfinished.total());
        List<BatchStatus> unchanged = stuck.among(unfinished.items());
        if (!unchanged.isEmpty()) {
            BatchStatus first = unchanged.get(unchanged.size() - 1);
            warnings.add("Unfinished batches without a change for longer than jobs.batches.stuck-after: "
                    + unchanged.size() + ", such as '" + first.name() + "' (" + first.id() + "), which "
                    + (first.open()
                            ? "is still open for new jobs"
                            : "has " + first.pending() + " jobs that wait or run"));
        }
    }
}
