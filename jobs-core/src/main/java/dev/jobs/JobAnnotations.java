package dev.jobs;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads and checks the annotations of a {@link Job} method.
 *
 * @param search finds further annotations of the method
 * @param methodName the method, for messages
 */
@Internal
public record JobAnnotations(Job job, Method method, Search search, String methodName) {

    /** Finds the annotations of a method, and says what their texts mean. */
    public interface Search {

        /** Those of the method, and those of the method's annotations; texts as they are written. */
        Search PLAIN = new Search() {
            @Override
            public <A extends Annotation> List<A> of(Method method, Class<A> type) {
                List<A> found = new ArrayList<>(List.of(method.getAnnotationsByType(type)));
                for (Annotation each : method.getAnnotations()) {
                    found.addAll(List.of(each.annotationType().getAnnotationsByType(type)));
                }
                return found;
            }
        };

        /** The annotations of a type, the nearest one first. */
        <A extends Annotation> List<A> of(Method method, Class<A> type);

        /** The methods of the job's class. */
        default Companion.Family family() {
            return Companion.Family.NONE;
        }

        /** What a text in an annotation of a parameter means, such as a placeholder. */
        default String text(String text) {
            return text;
        }
    }

    private static final int MAX_RETRIES = 1_000;

    private static final Pattern MILLIS = Pattern.compile("(.*?)([0-9]{1,9})MS");

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
        JobRules.all().forEach(rule -> rule.options(options, this));
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

    /** The annotations of a feature, the nearest one first. */
    public <A extends Annotation> List<A> of(Class<A> type) {
        return search.of(method, type);
    }

    /** The methods beside the job that have an annotation of a feature. */
    public List<Companion> companions(Class<? extends Annotation> type) {
        return search.family().companions().stream()
                .filter(each -> !search.of(each.method(), type).isEmpty())
                .toList();
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

    /**
     * The seconds to store for a time.
     *
     * @throws JobDefinitionException if it is none
     */
    public Number secondsOf(String option, String value) {
        try {
            return Expiry.seconds(duration(value));
        } catch (DateTimeException | ArithmeticException | InvalidJobException e) {
            throw wrong(
                    "its " + option + " is '" + value + "'",
                    "Use numbers with h, m, s and ms, or one with d, such as 90s, 1h30m, 700ms or 2d, up to 11,574 days.");
        }
    }

    /** The error of this method, which can't be used. */
    public JobDefinitionException wrong(String what, String action) {
        return wrong(methodName, what, action);
    }

    static JobDefinitionException wrong(String methodName, String what, String action) {
        return new JobDefinitionException("The @Job method " + methodName + " can't be used: " + what, action);
    }
}
