package dev.jobs.shards.spring;

import dev.jobs.JobRegistry;
import dev.jobs.assembly.EngineConfig;
import dev.jobs.engine.CapsuleConfig;
import dev.jobs.limits.LimitConfig;
import dev.jobs.limits.LimitNumbers;
import dev.jobs.limits.LimitRule;
import dev.jobs.limits.LimitRules;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Makes the configuration of one shard's engine from that of the whole worker. */
final class ShardConfig {

    private final EngineConfig whole;
    private final ShardLayout layout;
    private final JobRegistry registry;

    ShardConfig(EngineConfig whole, ShardLayout layout, JobRegistry registry) {
        this.whole = whole;
        this.layout = layout;
        this.registry = registry;
    }

    /** The shards with jobs of the worker's queues, in their order. */
    List<String> served() {
        return layout.map().shards().stream()
                .filter(shard -> !capsules(shard).isEmpty())
                .toList();
    }

    /** @param shard one of {@link #served} */
    EngineConfig of(String shard) {
        if (!layout.isSharded()) {
            return whole;
        }
        return whole.with(values -> {
            values.capsules = capsules(shard);
            values.recurring = whole.recurring().in(layout.shard(shard));
            values.limits = new LimitConfig(limits(shard), queueLimits(shard));
        });
    }

    private List<CapsuleConfig> capsules(String shard) {
        List<CapsuleConfig> capsules = new ArrayList<>();
        for (CapsuleConfig capsule : whole.capsules()) {
            Map<String, Integer> weights = new LinkedHashMap<>();
            layout.served(shard, capsule.queues()).forEach(queue -> weights.put(queue, weight(capsule, queue)));
            if (!weights.isEmpty()) {
                capsules.add(new CapsuleConfig(capsule.name(), capsule.concurrency(), weights));
            }
        }
        return capsules;
    }

    private static int weight(CapsuleConfig capsule, String queue) {
        return capsule.weights().getOrDefault(queue, 0);
    }

    /** Those of jobs elsewhere are left out; others may be named by calls, for any queue. */
    private Map<String, LimitNumbers> limits(String shard) {
        Map<String, LimitNumbers> limits = new LinkedHashMap<>(whole.limits().limits());
        Set<String> here = names(shard, true);
        Set<String> elsewhere = names(shard, false);
        limits.keySet().removeIf(name -> elsewhere.contains(name) && !here.contains(name));
        return limits;
    }

    private Set<String> names(String shard, boolean here) {
        return registry.definitions().stream()
                .filter(job ->
                        layout.served(shard, List.of(ShardLayout.queueOf(job))).isEmpty() != here)
                .map(LimitRules::of)
                .flatMap(List::stream)
                .map(LimitRule::name)
                .collect(Collectors.toSet());
    }

    private Map<String, Integer> queueLimits(String shard) {
        Map<String, Integer> limits = new LinkedHashMap<>(whole.limits().queues());
        limits.keySet().removeIf(queue -> layout.served(shard, List.of(queue)).isEmpty());
        return limits;
    }
}
