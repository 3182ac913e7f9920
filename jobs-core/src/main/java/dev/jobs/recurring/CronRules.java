package dev.jobs.recurring;

import dev.jobs.Internal;
import dev.jobs.Job;
import dev.jobs.JobAnnotations;
import dev.jobs.JobDefinition;
import dev.jobs.JobRule;
import dev.jobs.codec.ParameterType;
import dev.jobs.recurring.Recurrence.Contradiction;
import dev.jobs.unique.UniqueRule;
import java.lang.annotation.Annotation;
import java.time.DateTimeException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads {@link Job#cron()}, {@link Job#zone()} and {@link Recurring}. */
@Internal
public final class CronRules implements JobRule {

    /** As a cron text, as in Spring's {@code @Scheduled}. */
    static final String OFF = "-";

    /** Without a recurrence, if that is switched off. */
    private record Declared(@Nullable Recurrence recurrence) {}

    /** When and how a job is enqueued automatically; null if never. */
    static @Nullable Recurrence recurrence(JobDefinition job) {
        Declared declared = job.rule(Declared.class);
        return declared == null ? null : declared.recurrence();
    }

    /** The same without the how. */
    static @Nullable CronSchedule schedule(JobDefinition job) {
        Recurrence recurrence = recurrence(job);
        return recurrence == null ? null : recurrence.schedule();
    }

    /** Whether the code says that a job is not enqueued automatically, although it once may have been. */
    public static boolean isOff(JobDefinition job) {
        Declared declared = job.rule(Declared.class);
        return declared != null && declared.recurrence() == null;
    }

    @Override
    public List<Class<? extends Annotation>> annotations() {
        return List.of(Recurring.class);
    }

    @Override
    public @Nullable Object read(JobDefinition job, JobAnnotations annotations) {
        List<Recurring> found = annotations.of(Recurring.class);
        Recurring more = found.isEmpty() ? null : found.get(0);
        String cron = cron(annotations, more);
        String zone = annotations.job().zone();
        if (cron.equals(OFF)) {
            return new Declared(null);
        }
        if (cron.isEmpty()) {
            if (!zone.isEmpty()) {
                throw annotations.wrong(
                        "it has the zone '" + zone + "' and no cron text", "Add a cron text, or remove the zone.");
            }
            if (more != null) {
                throw annotations.wrong(
                        "it has @Recurring and no schedule",
                        "Add a schedule, as in @Recurring(every = \"90s\") or @Job(cron = \"0 2 * * *\"), or remove @Recurring.");
            }
            return null;
        }
        Recurrence inUtc = Recurrence.cron(cron);
        Recurrence recurrence = zone.isEmpty() ? inUtc : inUtc.zone(zone);
        try {
            recurrence.schedule();
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
        return new Declared(more == null ? recurrence : withPolicies(recurrence, more, annotations));
    }

    /** The text of the schedule, from whichever annotation has one. */
    private static String cron(JobAnnotations annotations, @Nullable Recurring more) {
        String cron = annotations.job().cron();
        if (more == null) {
            return cron;
        }
        List<String> named = new ArrayList<>();
        if (!cron.isEmpty()) {
            named.add("the cron text '" + cron + "'");
        }
        if (!more.every().isEmpty()) {
            named.add("@Recurring(every = \"" + more.every() + "\")");
        }
        if (!more.delay().isEmpty()) {
            named.add("@Recurring(delay = \"" + more.delay() + "\")");
        }
        if (named.size() > 1) {
            throw annotations.wrong("it has " + String.join(" and ", named), "Remove all but one of them.");
        }
        if (!more.every().isEmpty()) {
            return text("every", FixedRate.PREFIX, more.every(), annotations);
        }
        return more.delay().isEmpty() ? cron : text("delay", FixedDelay.PREFIX, more.delay(), annotations);
    }

    private static String text(String element, String prefix, String value, JobAnnotations annotations) {
        if (value.equals(OFF)) {
            return OFF;
        }
        try {
            return FixedRate.of(JobAnnotations.duration(value)).text(prefix);
        } catch (DateTimeException | ArithmeticException | InvalidCronException e) {
            throw annotations.wrong(
                    "its @Recurring(" + element + ") is '" + value + "'",
                    "Use whole seconds from 1s to 365d, as numbers with h, m and s or one with d, such as 90s, 1h30m or 2d.");
        }
    }

    private static Recurrence withPolicies(Recurrence recurrence, Recurring more, JobAnnotations annotations) {
        if (more.mostMissed() < 1 || more.mostMissed() > Recurrence.MOST_MISSED) {
            throw annotations.wrong(
                    "its @Recurring(mostMissed) is " + more.mostMissed(), "Use 1 to " + Recurrence.MOST_MISSED + ".");
        }
        if (!more.delay().isEmpty() && (more.missed() != Missed.WITHIN_GRACE || more.overlap() != Overlap.ALLOW)) {
            throw annotations.wrong(
                    "its @Recurring has a delay, beside which missed and overlap have no effect",
                    "Remove them: a delay begins when a job has ended, and a missed slot is fired late.");
        }
        Contradiction contradiction = Contradiction.of(more.missed(), more.overlap());
        if (contradiction != null) {
            throw annotations.wrong("its @Recurring has " + contradiction.what(), contradiction.action());
        }
        return recurrence.missed(more.missed()).mostMissed(more.mostMissed()).overlap(more.overlap());
    }
}
