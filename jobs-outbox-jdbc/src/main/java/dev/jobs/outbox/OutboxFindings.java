package dev.jobs.outbox;

import dev.jobs.admin.Finding;
import dev.jobs.admin.FindingSource;
import dev.jobs.outbox.OutboxTable.Backlog;
import java.time.Clock;
import java.time.Duration;
import java.util.List;

/** Warns of jobs that stay in the outbox. */
final class OutboxFindings implements FindingSource {

    /** Much more than a relay takes that works, and than a restart of Redis. */
    static final Duration LATE = Duration.ofSeconds(60);

    private final OutboxDatabases databases;
    private final Clock clock;

    OutboxFindings(OutboxDatabases databases, Clock clock) {
        this.databases = databases;
        this.clock = clock;
    }

    @Override
    public List<Finding> find() {
        Backlog backlog = databases.backlog();
        Long oldest = backlog.oldest();
        if (oldest == null || clock.millis() - oldest <= LATE.toMillis()) {
            return List.of();
        }
        String jobs = Long.toString(backlog.jobs());
        String age = Long.toString(Duration.ofMillis(clock.millis() - oldest).toSeconds());
        return List.of(new Finding(
                "outbox",
                Finding.Level.WARNING,
                jobs,
                List.of(age),
                jobs + " jobs wait in the outbox, the oldest for " + age
                        + " s; see whether an application that relays it runs and reaches Redis"));
    }
}
