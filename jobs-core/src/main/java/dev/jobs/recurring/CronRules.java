package dev.jobs.recurring;

import dev.jobs.Internal;
import dev.jobs.Job;
import dev.jobs.JobAnnotations;
import dev.jobs.JobDefinition;
import dev.jobs.JobRule;
import dev.jobs.codec.ParameterType;
import dev.jobs.unique.UniqueRule;
import org.jspecify.annotations.Nullable;

/** Reads {@link Job#cron()} and {@link Job#zone()}. */
@Internal
public final class CronRules implements JobRule {

    /** As a cron text, as in Spring's {@code @Scheduled}. */
    static final String OFF = "-";

    /** Without a schedule, if that is switched off. */
    private record Declared(@Nullable CronSchedule schedule) {}

    /** When a job is enqueued automatically; null if never. */
    static @Nullable CronSchedule schedule(JobDefinition job) {
        Declared declared = job.rule(Declared.class);
        return declared == null ? null : declared.schedule();
    }

    /** Whether the code says that a job is not enqueued automatically, although it once may have been. */
    public static boolean isOff(JobDefinition job) {
        Declared declared = job.rule(Declared.class);
        return declared != null && declared.schedule() == null;
    }

    @Override
    public @Nullable Object read(JobDefinition job, JobAnnotations annotations) {
        String cron = annotations.job().cron();
        String zone = annotations.job().zone();
        if (cron.equals(OFF)) {
            return new Declared(null);
        }
        if (cron.isEmpty()) {
            if (!zone.isEmpty()) {
                throw annotations.wrong(
                        "it has the zone '" + zone + "' and no cron text", "Add a cron text, or remove the zone.");
            }
            return null;
        }
        CronSchedule schedule;
        try {
            schedule = CronSchedule.parse(cron, zone);
        } catch (InvalidCronException e) {
            throw annotations.wrong(
                    String.valueOf(e.getMessage()).replaceFirst("^The", "the"),
                    "Write five fields (minute, hour, day of month, month, day of week) or six with the second first, as in "
                            + "@Job(cron = \"0 2 * * *\", zone = \"Europe/Berlin\").");
        }
        if (job.requiredArguments() > 0) {
            throw annotations.wrong(
                    "it has a cron text, but its parameters "
                            + job.parameters().stream().map(ParameterType::name).toList()
                            + " would get no values",
                    "Take no argument but a JobContext, or leave the cron text out and save the recurring job, with its arguments, through "
                            + "RecurringJobs.");
        }
        if (job.rule(UniqueRule.class) != null) {
            throw annotations.wrong(
                    "it is unique and has a cron text, but a recurring job is enqueued without asking for locks",
                    "Remove @Unique: each time enqueues one job. Or let the recurring job enqueue the unique one.");
        }
        return new Declared(schedule);
    }
}
