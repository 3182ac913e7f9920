package dev.jobs.recurring;

import dev.jobs.Internal;
import dev.jobs.Job;
import dev.jobs.JobDefinition;
import dev.jobs.JobRegistry;
import dev.jobs.JobStoreException;
import dev.jobs.Payload;
import dev.jobs.recurring.RecurringJobStore.DeclarationMark;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores the recurring jobs that {@link Job#cron()} and {@link Recurring} declare, and removes those that this application no longer
 * declares: once, and again after Redis lost its data. Jobs that people delete in between stay deleted.
 */
@Internal
public final class RecurringDeclarations {

    private static final Logger log = LoggerFactory.getLogger(RecurringDeclarations.class);

    private static final int EPOCH_BYTES = 8;

    private final RecurringJobStore cron;
    private final JobRegistry registry;
    private final String application;
    private final LocalQueues queues;
    private final RandomGenerator random;

    // Confined to one thread.
    private boolean done;

    /** As last read from Redis; null while this application declares nothing. */
    private @Nullable DeclarationMark mark;

    /**
     * @param application marks the jobs that it declares; if empty, none is removed
     * @param queues those of which it declares jobs
     */
    public RecurringDeclarations(
            RecurringJobStore cron,
            JobRegistry registry,
            String application,
            LocalQueues queues,
            RandomGenerator random) {
        this.cron = cron;
        this.registry = registry;
        this.application = application;
        this.queues = queues;
        this.random = random;
    }

    /** Declares the jobs. Does nothing after it succeeded once, as long as Redis keeps its data. */
    void declare() {
        if (!done) {
            declareAll(false);
            done = true;
        } else if (mark != null) {
            follow(mark, cron.mark().orElse(null));
        }
    }

    private void follow(DeclarationMark before, @Nullable DeclarationMark now) {
        boolean sameData = now != null && now.epoch().equals(before.epoch());
        boolean lost = now == null || sameData && now.number() < before.number();
        if (sameData && !lost) {
            mark = now;
            return;
        }
        log.warn(
                "Redis lost its data or went back to an older state; the recurring jobs that {} declares are stored again",
                application.isEmpty() ? "this application" : application);
        declareAll(lost);
    }

    /** @param lost whether no other process has noticed yet that the data are lost */
    private void declareAll(boolean lost) {
        Map<JobDefinition, Recurrence> declared = new LinkedHashMap<>();
        for (JobDefinition definition : registry.definitions()) {
            Recurrence recurrence = CronRules.recurrence(definition);
            if (recurrence != null && isDeclaredHere(definition)) {
                declared.put(definition, recurrence);
            }
        }
        // Before all else: data that are lost later are lost together with the mark.
        DeclarationMark now = declared.isEmpty() ? null : cron.declared(newEpoch(), lost);
        declared.forEach(this::store);
        removeSwitchedOff();
        removeOthers(declared.keySet().stream().map(JobDefinition::name).collect(Collectors.toSet()));
        mark = now;
    }

    /** The engine of each shard declares the recurring jobs of its own queues. */
    private boolean isDeclaredHere(JobDefinition definition) {
        String queue = String.valueOf(definition.options().get("queue"));
        if (queues.misses(queue)) {
            log.error(
                    "Recurring job {} does not recur: its queue '{}' is {}. Add it to the queues of one of them",
                    definition,
                    queue,
                    queues.whereIs(queue));
        }
        return queues.declares(queue);
    }

    private String newEpoch() {
        byte[] bytes = new byte[EPOCH_BYTES];
        random.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    private void store(JobDefinition definition, Recurrence recurrence) {
        CronSchedule schedule = recurrence.schedule();
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("retry", true);
        members.put("queue", "default");
        members.put("class", definition.name());
        members.put("args", List.of());
        members.putAll(definition.options());
        try {
            Instant now = cron.time();
            cron.save(definition.name(), recurrence, Payload.of(members), application, now);
            log.info("{} recurs at {}, next at {}", definition, schedule, schedule.next(now));
        } catch (JobStoreException e) {
            if (e.kind() != JobStoreException.Kind.WRONG_TYPE) {
                throw e;
            }
            log.error("Recurring job {} could not be stored, so it does not recur: {}", definition, e.getMessage());
        }
    }

    /** Without a name of the application as well, since the job's own declaration says so. */
    private void removeSwitchedOff() {
        for (JobDefinition definition : registry.definitions()) {
            if (CronRules.isOff(definition) && cron.deleteDeclared(definition.name(), application)) {
                log.info("{} no longer recurs: its cron text is '-'", definition);
            }
        }
    }

    private void removeOthers(Set<String> declared) {
        if (application.isEmpty()) {
            return;
        }
        for (RecurringJob job : cron.snapshot().jobs()) {
            if (application.equals(job.declaredBy())
                    && !declared.contains(job.name())
                    && cron.deleteDeclared(job.name(), application)) {
                log.info("{} is removed, because {} no longer declares it", job, application);
            }
        }
    }
}
