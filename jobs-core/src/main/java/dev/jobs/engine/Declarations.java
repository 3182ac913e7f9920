package dev.jobs.engine;

import dev.jobs.CronSchedule;
import dev.jobs.Job;
import dev.jobs.JobDefinition;
import dev.jobs.JobRegistry;
import dev.jobs.JobStoreException;
import dev.jobs.Payload;
import dev.jobs.RecurringJob;
import dev.jobs.redis.CronJobs;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Stores the recurring jobs that {@link Job#cron()} declares, once, and removes those that this kind of application does not declare any more. */
final class Declarations {

    private static final Logger log = LoggerFactory.getLogger(Declarations.class);

    private final CronJobs cron;
    private final JobRegistry registry;
    private final String application;

    // Confined to one thread.
    private boolean done;

    /** @param application what marks its own ones; if empty, none is removed */
    Declarations(CronJobs cron, JobRegistry registry, String application) {
        this.cron = cron;
        this.registry = registry;
        this.application = application;
    }

    /** Does nothing once it has succeeded. */
    void declare() {
        if (done) {
            return;
        }
        Set<String> declared = new HashSet<>();
        for (JobDefinition definition : registry.definitions()) {
            CronSchedule schedule = definition.schedule();
            if (schedule != null) {
                declared.add(definition.name());
                store(definition, schedule);
            }
        }
        removeOthers(declared);
        done = true;
    }

    private void store(JobDefinition definition, CronSchedule schedule) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("retry", true);
        members.put("queue", "default");
        members.put("class", definition.name());
        members.put("args", List.of());
        members.putAll(definition.options());
        try {
            Instant now = cron.time();
            cron.save(definition.name(), schedule, Payload.of(members), "", application, now);
            log.info("{} recurs at {}, next at {}", definition, schedule, schedule.next(now));
        } catch (JobStoreException e) {
            if (e.kind() != JobStoreException.Kind.WRONG_TYPE) {
                throw e;
            }
            log.error(
                    "Recurring job {} could not be stored, so that it does not recur: {}", definition, e.getMessage());
        }
    }

    private void removeOthers(Set<String> declared) {
        if (application.isEmpty()) {
            return;
        }
        for (RecurringJob job : cron.look().jobs()) {
            if (application.equals(job.declaredBy())
                    && !declared.contains(job.name())
                    && cron.deleteDeclared(job.name(), application)) {
                log.info("{} is removed, since {} does not declare it any more", job, application);
            }
        }
    }
}
