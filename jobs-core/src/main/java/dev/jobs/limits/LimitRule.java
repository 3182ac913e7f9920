package dev.jobs.limits;

import dev.jobs.Internal;
import dev.jobs.InvalidJobException;
import dev.jobs.Job;
import dev.jobs.JobAnnotations;
import dev.jobs.KeyTemplate;
import dev.jobs.Payload;
import dev.jobs.codec.ArgumentCodec;
import dev.jobs.codec.ParameterType;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What {@link Limit} or {@link Job#concurrency()} says of a job, with the template parsed. Immutable. */
@Internal
public final class LimitRule {

    /** The payload's member for the limits of a call: an array of arrays of name and key. */
    public static final String MEMBER = "limits";

    /** How many limits a job or a call may have. */
    public static final int MOST = 3;

    /** The highest number of permits. */
    public static final int MOST_PERMITS = 1_000_000;

    /** With this begin the names of the limits of whole queues, and of no others. */
    public static final String OF_QUEUE = "queue:";

    private static final Pattern NAME = Pattern.compile("[^\\p{Cntrl}]{1,200}");

    private final String name;
    private final KeyTemplate template;
    private final @Nullable Integer concurrency;
    private final @Nullable LimitRate rate;

    private LimitRule(String name, KeyTemplate template, @Nullable Integer concurrency, @Nullable LimitRate rate) {
        this.name = name;
        this.template = template;
        this.concurrency = concurrency;
        this.rate = rate;
    }

    /**
     * Reads the limits of a job.
     *
     * @param job the job's wire name, which is also the name of its own limit
     * @throws IllegalArgumentException if one of them can't work; says why
     */
    static List<LimitRule> of(
            String job, int concurrency, List<Limit> limits, List<ParameterType> parameters, ArgumentCodec codec) {
        List<LimitRule> rules = new ArrayList<>();
        if (concurrency != 0) {
            if (job.startsWith(OF_QUEUE)) {
                throw new IllegalArgumentException("its concurrency would be a limit with the name of the job, but '"
                        + OF_QUEUE + "…' is the limit of a queue; give the job a @Limit with another name instead");
            }
            rules.add(new LimitRule(job, KeyTemplate.EMPTY, checked("its concurrency", concurrency), null));
        }
        for (Limit limit : limits) {
            if (!isName(limit.name())) {
                throw new IllegalArgumentException("the name '" + limit.name()
                        + "' of a @Limit is not 1 to 200 characters without control characters");
            }
            if (limit.name().startsWith(OF_QUEUE)) {
                throw new IllegalArgumentException("the name '" + limit.name() + "' of a @Limit begins with '"
                        + OF_QUEUE + "', as those of queues do (jobs.queue-limits)");
            }
            rules.add(new LimitRule(
                    limit.name(),
                    template(limit, parameters, codec),
                    limit.concurrency() == 0
                            ? null
                            : (Integer)
                                    checked("the concurrency of @Limit '" + limit.name() + "'", limit.concurrency()),
                    rate(limit)));
        }
        if (rules.size() > MOST) {
            throw new IllegalArgumentException("it has " + rules.size() + " limits, but " + MOST + " is the most");
        }
        return List.copyOf(rules);
    }

    private static @Nullable LimitRate rate(Limit limit) {
        String what = "its @Limit '" + limit.name() + "'";
        if (limit.rate() == 0) {
            if (!limit.per().isEmpty() || limit.burst() != 0) {
                throw new IllegalArgumentException(
                        what + " has " + (limit.per().isEmpty() ? "a burst" : "a per") + " but no rate");
            }
            return null;
        }
        if (limit.per().isEmpty()) {
            throw new IllegalArgumentException(
                    what + " has a rate of " + limit.rate() + " but no per, such as per = \"20s\"");
        }
        Duration per;
        try {
            per = JobAnnotations.duration(limit.per());
        } catch (DateTimeException | ArithmeticException e) {
            throw new IllegalArgumentException(
                    what + " has the per '" + limit.per()
                            + "', but it needs numbers with h, m, s and ms, or one with d, such as 20s, 1h30m or 1d",
                    e);
        }
        try {
            return new LimitRate(limit.rate(), per, limit.burst() == 0 ? limit.rate() : limit.burst());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(what + " has a rate that can't work: " + e.getMessage(), e);
        }
    }

    private static KeyTemplate template(Limit limit, List<ParameterType> parameters, ArgumentCodec codec) {
        try {
            return KeyTemplate.of(limit.key(), parameters, codec);
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

    /** Whether a limit of jobs may have that name. */
    static boolean isNameOfJobs(String name) {
        return isName(name) && !name.startsWith(OF_QUEUE);
    }

    /** Whether a limit may have that name. */
    static boolean isName(String name) {
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

    /** How many jobs with the same key may start in a time; null if the code doesn't say. */
    public @Nullable LimitRate rate() {
        return rate;
    }

    /** The positions of the arguments of which the key is made. */
    public Set<Integer> arguments() {
        return template.arguments();
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
