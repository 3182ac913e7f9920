package dev.jobs;

import dev.jobs.codec.ParameterType;
import dev.jobs.limits.Limit;
import dev.jobs.limits.LimitRule;
import dev.jobs.recurring.CronSchedule;
import dev.jobs.recurring.InvalidCronException;
import dev.jobs.unique.Unique;
import dev.jobs.unique.UniqueRule;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads and checks the annotations of a {@link Job} method.
 *
 * @param unique null if the method has none
 * @param place the method, for messages
 */
@Internal
public record JobAnnotations(Job job, @Nullable Unique unique, List<Limit> limits, String place) {

    private static final int MAX_RETRIES = 1_000;

    private static final Pattern MILLIS = Pattern.compile("(.*?)([0-9]{1,9})MS");

    /** As a cron text, as in Spring's {@code @Scheduled}. */
    private static final String OFF = "-";

    /**
     * The options as payload members; always includes {@code queue}.
     *
     * @throws JobDefinitionException if one can't work
     */
    Map<String, Object> options() {
        check();
        Map<String, Object> options = new LinkedHashMap<>();
        if (job.retry() == Job.NONE) {
            options.put("retry", false);
        } else if (job.retry() != Job.DEFAULT) {
            options.put("retry", job.retry());
        }
        options.put("queue", job.queue());
        if (job.retryFor() > 0) {
            options.put("retry_for", job.retryFor());
        }
        if (!job.retryQueue().isEmpty()) {
            options.put("retry_queue", job.retryQueue());
        }
        if (!job.dead()) {
            options.put("dead", false);
        }
        if (job.backtrace() > 0) {
            options.put("backtrace", job.backtrace() == Integer.MAX_VALUE ? true : (Object) job.backtrace());
        }
        if (!job.expiresIn().isEmpty()) {
            options.put(Expiry.AFTER, secondsOf("expiresIn", job.expiresIn()));
        }
        if (!job.timeout().isEmpty()) {
            options.put(JobTimeout.MEMBER, secondsOf("timeout", job.timeout()));
        }
        if (!job.timeoutRetry()) {
            options.put(JobTimeout.RETRY, false);
        }
        if (job.priority() != 0) {
            options.put(JobOrder.PRIORITY, job.priority());
        }
        if (job.tags().length > 0) {
            options.put("tags", List.of(job.tags()));
        }
        return Collections.unmodifiableMap(options);
    }

    private void check() {
        checkQueue("queue", job.queue());
        if (!job.retryQueue().isEmpty()) {
            checkQueue("retryQueue", job.retryQueue());
        }
        if (job.retry() != Job.DEFAULT && job.retry() != Job.NONE && (job.retry() < 0 || job.retry() > MAX_RETRIES)) {
            throw wrong(
                    "its retry is " + job.retry(),
                    "Use 0 to " + MAX_RETRIES + ", Job.NONE to discard a failed job, or leave it out for the default.");
        }
        if (job.retryFor() < 0 || job.retryFor() > 1_000_000_000) {
            throw wrong("its retryFor is " + job.retryFor(), "Use 0 to 1,000,000,000 seconds.");
        }
        if (!JobOrder.isPriority(job.priority())) {
            throw wrong("its priority is " + job.priority(), "Use " + JobOrder.PRIORITY_FORM + ".");
        }
        if (job.backtrace() < 0) {
            throw wrong("its backtrace is " + job.backtrace(), "Use the number of lines to store, 0 for none.");
        }
    }

    private void checkQueue(String option, String queue) {
        if (!JobDefinition.QUEUE_NAME.matcher(queue).matches()) {
            throw wrong(
                    "its " + option + " '" + queue + "' is no queue name",
                    "Use 1 to 128 letters, digits and the characters _ . : -");
        }
    }

    /**
     * When the job is enqueued automatically; null if never.
     *
     * @throws JobDefinitionException if the cron text or its zone can't be read
     */
    @Nullable CronSchedule schedule() {
        if (isScheduleOff()) {
            return null;
        }
        if (job.cron().isEmpty()) {
            if (!job.zone().isEmpty()) {
                throw wrong(
                        "it has the zone '" + job.zone() + "' and no cron text",
                        "Add a cron text, or remove the zone.");
            }
            return null;
        }
        try {
            return CronSchedule.parse(job.cron(), job.zone());
        } catch (InvalidCronException e) {
            throw wrong(
                    String.valueOf(e.getMessage()).replaceFirst("^The", "the"),
                    "Write five fields (minute, hour, day of month, month, day of week) or six with the second first, as in "
                            + "@Job(cron = \"0 2 * * *\", zone = \"Europe/Berlin\").");
        }
    }

    boolean isScheduleOff() {
        return job.cron().equals(OFF);
    }

    /**
     * A time as annotations have it: numbers with h, m, s and ms, or one with d.
     *
     * @throws DateTimeException if it is none
     */
    public static Duration duration(String value) {
        String text = value.toUpperCase(Locale.ROOT);
        Matcher millis = MILLIS.matcher(text);
        if (millis.matches()) {
            Duration rest = millis.group(1).isEmpty() ? Duration.ZERO : Duration.parse("PT" + millis.group(1));
            return rest.plusMillis(Integer.parseInt(millis.group(2)));
        }
        return Duration.parse(text.endsWith("D") ? "P" + text : "PT" + text);
    }

    private Number secondsOf(String option, String value) {
        try {
            return Expiry.seconds(duration(value));
        } catch (DateTimeException | ArithmeticException | InvalidJobException e) {
            throw wrong(
                    "its " + option + " is '" + value + "'",
                    "Use numbers with h, m, s and ms, or one with d, such as 90s, 1h30m, 700ms or 2d, up to 11,574 days.");
        }
    }

    /**
     * Which of its calls may be pending at once; null if any.
     *
     * @throws JobDefinitionException if the key or the time of the lock can't work
     */
    @Nullable UniqueRule unique(List<ParameterType> parameters) {
        if (unique == null) {
            return null;
        }
        Number seconds = secondsOf("@Unique(forAtMost)", unique.forAtMost());
        String misfit = UniqueRule.misfit(unique);
        if (misfit != null) {
            throw wrong(misfit, "REPLACE needs until = SUCCESS or START, and LATER needs EXPIRY.");
        }
        try {
            return UniqueRule.of(unique, seconds, parameters);
        } catch (IllegalArgumentException e) {
            throw wrong(
                    "the key '" + unique.key() + "' of its @Unique " + e.getMessage(),
                    "Name arguments by their position or by the parameter's name, with their members, as in {0}, {shop} or"
                            + " {shop.id}, or leave the key out: all arguments then count.");
        }
    }

    /**
     * How many of its calls may run at once.
     *
     * @param name the wire name
     * @throws JobDefinitionException if a limit can't work
     */
    List<LimitRule> limits(String name, List<ParameterType> parameters) {
        try {
            return LimitRule.of(name, job.concurrency(), limits, parameters);
        } catch (IllegalArgumentException e) {
            throw wrong(
                    String.valueOf(e.getMessage()),
                    "Correct its @Job(concurrency) or @Limit; the documentation of @Limit says what they may have.");
        }
    }

    /**
     * Whose job it is; empty if it has no key.
     *
     * @throws JobDefinitionException if the key can't work
     */
    KeyTemplate key(List<ParameterType> parameters) {
        try {
            return KeyTemplate.of(job.key(), parameters);
        } catch (IllegalArgumentException e) {
            throw wrong(
                    "its key '" + job.key() + "' " + e.getMessage(),
                    "Name arguments by their position or by the parameter's name, with their members, as in {0}, {shop} or"
                            + " {shop.id}.");
        }
    }

    private JobDefinitionException wrong(String what, String action) {
        return wrong(place, what, action);
    }

    /** The error of a method that can't be used. */
    static JobDefinitionException wrong(String place, String what, String action) {
        return new JobDefinitionException("The @Job method " + place + " can't be used: " + what, action);
    }
}
