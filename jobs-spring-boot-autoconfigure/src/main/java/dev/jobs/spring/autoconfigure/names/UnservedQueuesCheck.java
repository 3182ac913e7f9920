package dev.jobs.spring.autoconfigure.names;

import dev.jobs.Internal;
import dev.jobs.JobDefinition;
import dev.jobs.JobRegistry;
import dev.jobs.assembly.EngineConfig;
import dev.jobs.recurring.Declaration;
import dev.jobs.spring.autoconfigure.checks.NearestName;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Logs which queues of this application's jobs and schedules its worker doesn't serve. Another process may serve them, so this is a
 * warning only if the application doesn't configure its queues at all, which is probably an oversight.
 */
@Internal
public final class UnservedQueuesCheck implements SmartInitializingSingleton {

    private static final Logger log = LoggerFactory.getLogger(UnservedQueuesCheck.class);

    private final JobRegistry registry;
    private final EngineConfig config;
    private final boolean chosen;

    /** @param chosen whether the application configures the queues it serves */
    public UnservedQueuesCheck(JobRegistry registry, EngineConfig config, boolean chosen) {
        this.registry = registry;
        this.config = config;
        this.chosen = chosen;
    }

    @Override
    public void afterSingletonsInstantiated() {
        Set<String> served = new HashSet<>();
        config.capsules().forEach(capsule -> served.addAll(capsule.queues()));
        Map<String, Set<String>> used = new TreeMap<>();
        for (JobDefinition definition : registry.definitions()) {
            NameCheck.queuesOf(definition).forEach(queue -> used.computeIfAbsent(queue, each -> new TreeSet<>())
                    .add(definition.name()));
        }
        if (config.recurring().enabled()) {
            for (Declaration each : config.recurring().schedules().declared().recurring()) {
                used.computeIfAbsent(each.queue(), queue -> new TreeSet<>()).add(each.shown());
            }
        }
        Map<String, Set<String>> unserved = new TreeMap<>(used);
        unserved.keySet().removeAll(served);
        List<String> misspelt = unserved.keySet().stream()
                .flatMap(queue -> Stream.ofNullable(NearestName.of(
                                queue,
                                served.stream()
                                        .filter(each -> !used.containsKey(each))
                                        .toList()))
                        .map(near -> "'" + queue + "' may be meant by '" + near + "'"))
                .toList();
        if (unserved.isEmpty()) {
            return;
        }
        if (!misspelt.isEmpty()) {
            log.warn(
                    "Jobs of these queues will not run here, since jobs.queues and jobs.capsules do not list them: {}. {}, of which "
                            + "no job here is",
                    unserved,
                    String.join(", ", misspelt));
        } else if (chosen) {
            log.info(
                    "Jobs of these queues wait for another process, since jobs.queues does not list them: {}",
                    unserved);
        } else {
            log.warn(
                    "Jobs of these queues will not run here, since this application serves only {}: {}. Unless another process "
                            + "serves them, add them to jobs.queues",
                    served,
                    unserved);
        }
    }
}
