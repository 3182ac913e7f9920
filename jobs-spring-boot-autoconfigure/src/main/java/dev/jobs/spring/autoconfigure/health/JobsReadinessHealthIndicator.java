package dev.jobs.spring.autoconfigure.health;

import dev.jobs.assembly.EngineHealth;
import dev.jobs.assembly.EngineHealth.State;
import dev.jobs.assembly.JobEngine;
import java.util.Locale;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Whether the worker takes jobs: up while it runs and its lease is fresh, out of service while it is quiet, stopped or
 * cut off.
 */
final class JobsReadinessHealthIndicator implements HealthIndicator {

    private final JobEngine engine;

    JobsReadinessHealthIndicator(JobEngine engine) {
        this.engine = engine;
    }

    @Override
    public Health health() {
        EngineHealth health = engine.health();
        boolean ready = health.state() == State.RUNNING && health.alive();
        return (ready ? Health.up() : Health.outOfService())
                .withDetail("worker", health.state().name().toLowerCase(Locale.ROOT))
                .build();
    }
}
