package dev.jobs;

import dev.jobs.codec.ParameterType;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What {@link Limit} or {@link Job#concurrency()} says of a job, with the template parsed. Immutable. */
public final class LimitRule {

    /** The payload's member for the limits of a call: an array of arrays of name and key. */
    public static final String MEMBER = "limits";

    /** How many limits a job or a call may have. */
    public static final int MOST = 3;

    /** The highest number of permits. */
    public static final int MOST_PERMITS = 1_000_000;

    private static final Pattern NAME = Pattern.compile("[^\\p{Cntrl}]{1,200}");

    private final String name;
    private final KeyTemplate template;
    private final @Nullable Integer concurrency;

    private LimitRule(String name, KeyTemplate template, @Nullable Integer concurrency) {
        this.name = name;
        this.template = template;
        this.concurrency = concurrency;
    }

    /** The annotations of a method, or those of one of the method's annotations. */
    static List<Limit> on(Method method) {
        List<Limit> own = new ArrayList<>(List.of(method.getAnnotationsByType(Limit.class)));
        for (Annotation each : method.getAnnotations()) {
            own.addAll(List.of(each.annotationType().getAnnotationsByType(Limit.class)));
        }
        return own;
    }

    /** @throws JobDefinitionException if a method that is no job is annotated */
    public static void checkIsJob(Method method) {
        if (!on(method).isEmpty()) {
            throw new JobDefinitionException(
                    "@Limit on " + method.getDeclaringClass().getName() + "." + method.getName()
                            + " has no effect: the method is not a @Job",
                    "Add @Job, or remove @Limit.");
        }
    }

    /**
     * Reads the limits of a job.
     *
     * @param job the job's wire name, which is also the name of its own limit
     * @throws IllegalArgumentException if one of them can't work; says why
     */
    static List<LimitRule> of(String job, int concurrency, List<Limit> limits, List<ParameterType> parameters) {
        List<LimitRule> rules = new ArrayList<>();
        if (concurrency != 0) {
            rules.add(new LimitRule(job, KeyTemplate.EMPTY, checked("its concurrency", concurrency)));
        }
        for (Limit limit : limits) {
            if (!isName(limit.name())) {
                throw new IllegalArgumentException("the name '" + limit.name()
                        + "' of a @Limit is not 1 to 200 characters without control characters");
            }
            rules.add(new LimitRule(
                    limit.name(),
                    template(limit, parameters),
                    limit.concurrency() == 0
                            ? null
                            : (Integer)
                                    checked("the concurrency of @Limit '" + limit.name() + "'", limit.concurrency())));
        }
        if (rules.size() > MOST) {
            throw new IllegalArgumentException("it has " + rules.size() + " limits, but " + MOST + " is the most");
        }
        return List.copyOf(rules);
    }

    private static KeyTemplate template(Limit limit, List<ParameterType> parameters) {
        try {
            return KeyTemplate.of(limit.key(), parameters);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "the key '" + limit.key() + "' of its @Limit '" + limit.name() + "' " + e.getMessage(), e);
        }
    }

    private static int checked(String what, int permits) {
        if (permits < 1 || permits > MOST_PERMITS) {
            throw new IllegalArgumentException(what + " is " + permits + ", but 1 to " + MOST_PERMITS + " is possible");
        }
        return permits;
    }

    /** Whether a limit may have that name. */
    public static boolean isName(String name) {
        return NAME.matcher(name).matches();
    }

    /** The name of the limit. */
    public String name() {
        return name;
    }

    /** How many jobs with the same key may run at once; null if the code doesn't say. */
    public @Nullable Integer concurrency() {
        return concurrency;
    }

    /**
     * The key of a call.
     *
     * @param arguments as plain values, as {@link Payload#args} returns them
     * @throws InvalidJobException if an argument can't have the members that the template names
     */
    public String key(List<? extends @Nullable Object> arguments) {
        return template.key(arguments, "limit " + name);
    }
}
