package dev.jobs.outbox;

import dev.jobs.outbox.OutboxTable.Backlog;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.time.Duration;
import org.springframework.dao.DataAccessException;

/** Meters of what waits in the outbox. Reads the table at most once per interval, when meters are read. */
final class OutboxGauges {

    private static final Backlog UNKNOWN = new Backlog(-1, null);

    private final OutboxDatabases databases;
    private final Clock clock;
    private final Duration interval;

    // Guarded by this.
    private Backlog last = UNKNOWN;
    private long readAt = Long.MIN_VALUE;

    OutboxGauges(OutboxDatabases databases, MeterRegistry meters, Clock clock, Duration interval) {
        this.databases = databases;
        this.clock = clock;
        this.interval = interval;
        Gauge.builder("jobs.outbox.size", this, OutboxGauges::size)
                .description("Jobs in the outbox that are not known to be in Redis")
                .register(meters);
        Gauge.builder("jobs.outbox.age", this, OutboxGauges::ageInSeconds)
                .description("Time since the oldest job in the outbox was enqueued")
                .baseUnit("seconds")
                .register(meters);
    }

    private synchronized Backlog backlog() {
        long now = clock.millis();
        if (readAt == Long.MIN_VALUE || now - readAt >= interval.toMillis()) {
            readAt = now;
            try {
                last = databases.backlog();
            } catch (DataAccessException e) {
                last = UNKNOWN;
            }
        }
        return last;
    }

    private double size() {
        long jobs = backlog().jobs();
        return jobs < 0 ? Double.NaN : jobs;
    }

    private double ageInSeconds() {
        Backlog backlog = backlog();
        if (backlog.jobs() < 0) {
            return Double.NaN;
        }
        Long oldest = backlog.oldest();
        return oldest == null ? 0 : Math.max(0, clock.millis() - oldest) / 1_000.0;
    }
}
