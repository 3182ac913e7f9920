package dev.jobs.spring.autoconfigure.names;

import dev.jobs.Internal;
import dev.jobs.JobDefinition;
import dev.jobs.JobRegistry;
import dev.jobs.limits.LimitRule;
import dev.jobs.limits.LimitRules;
import dev.jobs.recurring.ConfiguredSchedules;
import dev.jobs.recurring.Declaration;
import dev.jobs.spring.autoconfigure.checks.ConfiguredNames;
import dev.jobs.spring.autoconfigure.checks.ConfiguredNames.Kind;
import dev.jobs.spring.autoconfigure.checks.LoneValues;
import dev.jobs.spring.autoconfigure.checks.NearestName;
import dev.jobs.spring.autoconfigure.properties.JobsProperties;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.NativeDetector;
import org.springframework.util.ClassUtils;

/**
 * Compares the names of queues, limits, jobs and exceptions in properties with those that this application knows. Other
 * applications may have the same configuration, and calls may name queues and limits that no annotation does: so a name
 * that is unknown here is a warning if it would have an effect here alone, or looks like a known one, and else a line
 * of information.
 */
@Internal
public final class NameCheck implements SmartInitializingSingleton {

    private static final Logger log = LoggerFactory.getLogger(NameCheck.class);

    /** The maps whose entries this check compares with what an application has. */
    public static final String LIMITS = "jobs.limits";

    public static final String QUEUE_LIMITS = "jobs.queue-limits";

    private final JobsProperties properties;
    private final JobRegistry registry;
    private final ConfiguredSchedules schedules;
    private final ObjectProvider<ConfiguredNames> others;
    private final ObjectProvider<ConfiguredNames.Several> several;
    private final LoneValues lone;
    private final Set<String> queues = new TreeSet<>();

    public NameCheck(
            JobsProperties properties,
            JobRegistry registry,
            ConfiguredSchedules schedules,
            ObjectProvider<ConfiguredNames> others,
            ObjectProvider<ConfiguredNames.Several> several,
            LoneValues lone) {
        this.properties = properties;
        this.registry = registry;
        this.schedules = schedules;
        this.others = others;
        this.several = several;
        this.lone = lone;
    }

    @Override
    public void afterSingletonsInstantiated() {
        registry.definitions().stream().flatMap(NameCheck::queuesOf).forEach(queues::add);
        schedules.declared().recurring().stream().map(Declaration::queue).forEach(queues::add);
        Stream.concat(
                        Stream.of(properties.queues()),
                        properties.capsules().values().stream().map(JobsProperties.Capsule::queues))
                .flatMap(List::stream)
                .map(entry -> entry.split(",", -1)[0].strip())
                .forEach(queues::add);
        if (properties.worker().enabled()) {
            check(
                    "jobs.queue-limits",
                    "queues that this worker takes nothing from",
                    properties.queueLimits().keySet(),
                    queues,
                    true);
        }
        check(
                "jobs.ordered-queues",
                "queues that this application has no jobs of",
                properties.orderedQueues().keySet(),
                queues,
                false);
        Set<String> limits = registry.definitions().stream()
                .flatMap(job -> LimitRules.of(job).stream())
                .map(LimitRule::name)
                .collect(Collectors.toCollection(TreeSet::new));
        lone.check(Map.of(QUEUE_LIMITS, queues, LIMITS, limits));
        check(
                "jobs.limits",
                "limits that no job here is annotated with, which count for calls that name them",
                properties.limits().keySet(),
                limits,
                false);
        checkExceptions();
        others.orderedStream().forEach(this::check);
        several.orderedStream().flatMap(each -> each.all().stream()).forEach(this::check);
    }

    /** The queues that the annotations of a job name. */
    static Stream<String> queuesOf(JobDefinition job) {
        return Stream.of("queue", "retry_queue")
                .map(job.options()::get)
                .flatMap(Stream::ofNullable)
                .map(String::valueOf);
    }

    private static void check(
            String property, String what, Collection<String> names, Set<String> known, boolean onlyHere) {
        List<String> unknown = new ArrayList<>();
        boolean near = false;
        for (String name : names) {
            if (!known.contains(name)) {
                String question = NearestName.question(name, known);
                near |= !question.isEmpty();
                unknown.add("'" + name + "'" + question);
            }
        }
        if (unknown.isEmpty()) {
            return;
        }
        String line = "{} names " + what + ": {}";
        if (near || onlyHere) {
            log.warn(line, property, String.join(", ", unknown));
        } else {
            log.info(line, property, String.join(", ", unknown));
        }
    }

    private void check(ConfiguredNames configured) {
        Set<String> known = configured.kind() == Kind.QUEUE
                ? queues
                : registry.definitions().stream()
                        .flatMap(job -> job.allNames().stream())
                        .collect(Collectors.toCollection(TreeSet::new));
        List<String> idle = configured.names().stream()
                .filter(name -> known.stream().noneMatch(pattern(name).asMatchPredicate()))
                .toList();
        check(
                configured.property(),
                configured.kind() == Kind.QUEUE
                        ? "queues that this application has no jobs of"
                        : "jobs that this application doesn't have",
                idle,
                known,
                configured.onlyHere());
    }

    private static Pattern pattern(String name) {
        return Pattern.compile(
                Stream.of(name.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*")));
    }

    private void checkExceptions() {
        if (NativeDetector.inNativeImage()) {
            return; // has only classes that somebody asked for
        }
        List<String> missing = properties.limiters().errors().stream()
                .filter(name -> !ClassUtils.isPresent(name, null))
                .toList();
        if (!missing.isEmpty()) {
            log.warn("jobs.limiters.errors names classes that are not on the class path: {}", missing);
        }
    }
}
