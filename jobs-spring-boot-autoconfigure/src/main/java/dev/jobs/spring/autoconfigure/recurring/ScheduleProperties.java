package dev.jobs.spring.autoconfigure.recurring;

import dev.jobs.Internal;
import dev.jobs.JobDefinitionException;
import dev.jobs.recurring.ConfiguredSchedules.Entry;
import dev.jobs.recurring.Recurrence;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * A recurring job that the configuration declares. The cron text alone may stand for it.
 *
 * @param job Name of the job that is enqueued. By default the name of the schedule.
 * @param cron When it is enqueued: five fields, or six with the second first. If "-", never.
 * @param zone Time zone of the cron text, such as "Europe/Berlin". By default that of an annotation in whose place the
 *     schedule is, else UTC.
 * @param args Arguments of the job in their order: text as it is, all else as JSON.
 * @param queue Queue of the job. By default that of its annotation, else "default".
 * @param description Text for people.
 */
@Internal
public record ScheduleProperties(
        @Nullable String job,
        @Nullable String cron,
        @Nullable String zone,
        @DefaultValue List<String> args,
        @Nullable String queue,
        @DefaultValue("") String description) {

    private static final String PLACEHOLDER = "${";

    /** The cron text alone. Spring's conversion of texts calls it. */
    public static ScheduleProperties valueOf(String cron) {
        return new ScheduleProperties(null, cron, null, List.of(), null, "");
    }

    /**
     * What they say of the recurring job of that name.
     *
     * @throws JobDefinitionException if a placeholder was not resolved
     */
    Entry entry(String name) {
        String property = "jobs.recurring.schedules[" + name + "]";
        checkResolved(property + ".job", job);
        checkResolved(property + ".cron", cron);
        checkResolved(property + ".zone", zone);
        checkResolved(property + ".queue", queue);
        checkResolved(property + ".description", description);
        for (int i = 0; i < args.size(); i++) {
            checkResolved(property + ".args[" + i + "]", args.get(i));
        }
        return new Entry(property, name, job, args, recurrence());
    }

    private Recurrence recurrence() {
        Recurrence recurrence = Recurrence.cron(cron == null ? "" : cron.strip()).description(description);
        recurrence = zone == null || zone.isBlank() ? recurrence : recurrence.zone(zone);
        return queue == null || queue.isBlank() ? recurrence : recurrence.queue(queue);
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
