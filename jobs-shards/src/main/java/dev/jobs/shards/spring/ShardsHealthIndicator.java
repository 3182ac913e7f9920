package dev.jobs.shards.spring;

import dev.jobs.assembly.EngineHealth;
import dev.jobs.assembly.JobEngine;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

/**
 * The health of several shards. One that is down makes a warning and not the whole down: the others work, and taking
 * this application out of service would stop them as well. Down only if no shard is up, or if a restart of this process
 * is needed.
 */
final class ShardsHealthIndicator implements HealthIndicator {

    private final ApplicationShards asking;
    private final Map<String, ? extends HealthIndicator> shards;
    private final Collection<JobEngine> engines;
    private final int threads;

    /**
     * @param asking asks them side by side
     * @param shards the health of each, home first
     * @param engines of the worker; none if there is no worker
     * @param threads how many jobs may run at once, over all shards
     */
    ShardsHealthIndicator(
            ApplicationShards asking,
            Map<String, ? extends HealthIndicator> shards,
            Collection<JobEngine> engines,
            int threads) {
        this.asking = asking;
        this.shards = shards;
        this.engines = engines;
        this.threads = threads;
    }

    @Override
    public Health health() {
        Map<String, Object> details = new LinkedHashMap<>();
        List<String> warnings = new ArrayList<>();
        int up = 0;
        boolean down = false;
        for (Map.Entry<String, Health> each : healths().entrySet()) {
            Health health = each.getValue();
            Map<String, Object> shown = new LinkedHashMap<>();
            shown.put("status", health.getStatus().getCode());
            shown.putAll(health.getDetails());
            down |= health.getStatus().equals(Status.DOWN);
            if (health.getStatus().equals(Status.UP)) {
                up++;
            } else {
                warnings.add("Shard '" + each.getKey() + "' is " + health.getStatus() + ": "
                        + health.getDetails().getOrDefault("error", "its worker was stopped"));
            }
            details.put(each.getKey(), shown);
        }
        Health.Builder builder = up > 0 ? Health.up() : down ? Health.down() : Health.outOfService();
        String restart = restart();
        if (!restart.isEmpty()) {
            builder.down().withDetail("error", restart);
        }
        builder.withDetail("shards", details);
        if (!warnings.isEmpty()) {
            builder.withDetail("warnings", warnings);
        }
        return builder.build();
    }

    private Map<String, Health> healths() {
        return asking.askForHealth(
                shards,
                each -> Objects.requireNonNullElseGet(
                        each.health(), () -> Health.unknown().build()),
                (shard, time) -> Health.down()
                        .withDetail("error", "No answer within " + time.toMillis() + " ms")
                        .build());
    }

    /** Why this process has to be restarted, whatever the shards are like; empty if it hasn't. */
    private String restart() {
        int abandoned = 0;
        for (JobEngine engine : engines) {
            EngineHealth health = engine.health();
            if (health.lame() != null) {
                return health.lame() + ". Others take over the jobs of this process; restart it";
            }
            abandoned += health.abandoned();
        }
        return !engines.isEmpty() && abandoned >= threads
                ? abandoned + " threads still run jobs that were given up after their timeout, as many as may run jobs;"
                        + " restart this process"
                : "";
    }
}
