package dev.jobs.spring.autoconfigure.recurring;

import dev.jobs.Internal;
import dev.jobs.JobAnnotations;
import dev.jobs.JobDefinitionException;
import dev.jobs.JobRegistry;
import dev.jobs.client.ClientConfig;
import dev.jobs.recurring.ConfiguredSchedules;
import dev.jobs.recurring.ConfiguredSchedules.Entry;
import dev.jobs.recurring.ConfiguredSchedules.Policies;
import dev.jobs.recurring.InvalidCronException;
import dev.jobs.recurring.Missed;
import dev.jobs.recurring.Overlap;
import dev.jobs.recurring.Recurrence;
import dev.jobs.recurring.RecurringConfig;
import dev.jobs.spring.autoconfigure.checks.ConfiguredNames;
import dev.jobs.spring.autoconfigure.checks.ConfiguredNames.Kind;
import dev.jobs.spring.autoconfigure.checks.PropertyRules;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.convert.DurationUnit;

/**
 * Recurring jobs.
 *
 * @param enabled Whether the worker stores the recurring jobs that this application declares and fires those of the
 *     namespace.
 * @param namespace Group of recurring jobs in Redis that this application manages.
 * @param application Mark of the recurring jobs that this application declares. Each start removes jobs with this
 *     mark that are no longer declared. Defaults to the application name; without one, nothing is removed.
 * @param grace Time within which a missed slot of a recurring job is made up for, 1 second to 12 hours.
 * @param schedules Recurring jobs that this application declares besides those of its annotations, or in their place, by
 *     name.
 */
@Internal
public record RecurringProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("default") String namespace,
        @Nullable String application,

        @DefaultValue("1m") @DurationUnit(ChronoUnit.SECONDS)
        Duration grace,

        @DefaultValue Map<String, Schedule> schedules) {

    public void check(PropertyRules rules) {
        rules.check("recurring.namespace", namespace, RecurringConfig.isNamespace(namespace), "must be a name")
                .within("recurring.grace", grace, "1s", "12h");
    }

    /** What they declare; checked when it is read. */
    public ConfiguredSchedules declared(JobRegistry registry, ClientConfig config) {
        return ConfiguredSchedules.of(
                schedules.entrySet().stream()
                        .map(each -> each.getValue().entry(each.getKey()))
                        .toList(),
                registry,
                config);
    }

    /** The names of jobs in them that another application may have. */
    public ConfiguredNames names() {
        return new ConfiguredNames(
                "jobs.recurring.schedules",
                Kind.JOB,
                schedules.values().stream()
                        .flatMap(each -> Stream.ofNullable(each.job()))
                        .distinct()
                        .toList(),
                false);
    }

    /** @param applicationName the default of the application's mark */
    public RecurringConfig config(String applicationName, ConfiguredSchedules declared) {
        return new RecurringConfig(enabled, namespace, Objects.requireNonNullElse(application, applicationName), grace)
                .with(declared);
    }

    /**
     * A recurring job that the configuration declares. The cron text alone may stand for it.
     *
     * @param job Name of the job that is enqueued. By default the name of the schedule.
     * @param cron When it is enqueued: five fields, or six with the second first. If "-", never.
     * @param every Instead of a cron text, the time from one slot to the next, such as "90s". If "-", never.
     * @param delay Instead of a cron text, the time from the end of a job to the next slot. If "-", never.
     * @param zone Time zone of the cron text, such as "Europe/Berlin". By default that of an annotation in whose place the
     *     schedule is, else UTC.
     * @param missed What becomes of slots that were missed. By default what an annotation in whose place the schedule is
     *     says, else "within-grace".
     * @param mostMissed How many missed slots are made up for at most if all are, 1 to 1000. By default that of the
     *     annotation, else 100.
     * @param overlap What becomes of a slot while the job of an earlier one has not ended. By default that of the
     *     annotation, else "allow".
     * @param args Arguments of the job in their order: text as it is, all else as JSON.
     * @param queue Queue of the job. By default that of its annotation, else "default".
     * @param description Text for people.
     */
    public record Schedule(
            @Nullable String job,
            @Nullable String cron,
            @Nullable String every,
            @Nullable String delay,
            @Nullable String zone,
            @Nullable Missed missed,
            @Nullable Integer mostMissed,
            @Nullable Overlap overlap,
            @DefaultValue List<String> args,
            @Nullable String queue,
            @DefaultValue("") String description) {

        private static final String PLACEHOLDER = "${";
        private static final String OFF = "-";

        /** The cron text alone. Spring's conversion of texts calls it. */
        public static Schedule valueOf(String cron) {
            return new Schedule(null, cron, null, null, null, null, null, null, List.of(), null, "");
        }

        /**
         * What they say of the recurring job of that name.
         *
         * @throws JobDefinitionException if a placeholder was not resolved, or if it has more than one schedule or a time
         *     that is none
         */
        Entry entry(String name) {
            String property = "jobs.recurring.schedules[" + name + "]";
            checkResolved(property + ".job", job);
            checkResolved(property + ".cron", cron);
            checkResolved(property + ".every", every);
            checkResolved(property + ".delay", delay);
            checkResolved(property + ".zone", zone);
            checkResolved(property + ".queue", queue);
            checkResolved(property + ".description", description);
            for (int i = 0; i < args.size(); i++) {
                checkResolved(property + ".args[" + i + "]", args.get(i));
            }
            return new Entry(
                    property, name, job, args, recurrence(property), new Policies(missed, mostMissed, overlap));
        }

        private Recurrence recurrence(String property) {
            Recurrence recurrence = times(property).description(description);
            recurrence = zone == null || zone.isBlank() ? recurrence : recurrence.zone(zone);
            return queue == null || queue.isBlank() ? recurrence : recurrence.queue(queue);
        }

        private Recurrence times(String property) {
            Map<String, Recurrence> given = new LinkedHashMap<>();
            if (!text(cron).isEmpty()) {
                given.put(property + ".cron", Recurrence.cron(text(cron)));
            }
            if (!text(every).isEmpty()) {
                given.put(property + ".every", times(property + ".every", text(every), Recurrence::every));
            }
            if (!text(delay).isEmpty()) {
                given.put(property + ".delay", times(property + ".delay", text(delay), Recurrence::delay));
            }
            if (given.size() > 1) {
                throw new JobDefinitionException(
                        String.join(" and ", given.keySet()) + " are set together", "Remove all but one of them.");
            }
            return given.isEmpty()
                    ? Recurrence.cron("")
                    : given.values().iterator().next();
        }

        private static String text(@Nullable String property) {
            return property == null ? "" : property.strip();
        }

        private static Recurrence times(String property, String text, Function<Duration, Recurrence> recurrence) {
            if (text.equals(OFF)) {
                return Recurrence.cron(OFF);
            }
            try {
                return recurrence.apply(JobAnnotations.duration(text));
            } catch (DateTimeException | ArithmeticException | InvalidCronException e) {
                throw new JobDefinitionException(
                        property + " is '" + text + "'",
                        "Use whole seconds from 1s to 365d, as numbers with h, m and s or one with d, such as 90s, 1h30m or 2d.");
            }
        }

        /** Spring leaves those as they are that it can't resolve. */
        private static void checkResolved(String property, @Nullable String text) {
            if (text != null && text.contains(PLACEHOLDER)) {
                throw new JobDefinitionException(
                        "The placeholder in " + property + ", '" + text + "', can't be resolved",
                        "Set the property that it names, or give it a default after a colon, as in ${reports.cron:0 2 * * *}; "
                                + "${reports.cron:-} is off by default.");
            }
        }
    }
}
