package dev.jobs.shards.spring;

import dev.jobs.assembly.EngineHealth;
import dev.jobs.assembly.EngineHealth.State;
import dev.jobs.assembly.JobEngine;
import dev.jobs.spring.autoconfigure.installations.OwnEngines;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Whether the worker takes jobs: up while it runs and its lease is fresh in at least one shard, out of service while it
 * is quiet, stopped or cut off.
 */
final class ShardsReadinessHealthIndicator implements HealthIndicator {

    private final Map<String, JobEngine> engines;

    ShardsReadinessHealthIndicator(OwnEngines engines) {
        this.engines = engines.byInstallation();
    }

    @Override
    public Health health() {
        boolean ready = false;
        String worker = "";
        Map<String, Boolean> shards = new LinkedHashMap<>();
        for (Map.Entry<String, JobEngine> each : engines.entrySet()) {
            EngineHealth health = each.getValue().health();
            boolean here = health.state() == State.RUNNING && health.alive();
            if (worker.isEmpty() || here && !ready) {
                worker = health.state().name().toLowerCase(Locale.ROOT);
            }
            ready |= here;
            shards.put(each.getKey(), here);
        }
        Health.Builder builder = (ready ? Health.up() : Health.outOfService()).withDetail("worker", worker);
        return (shards.size() == 1 ? builder : builder.withDetail("shards", shards)).build();
    }
}
