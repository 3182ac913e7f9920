package dev.jobs.client;

import dev.jobs.Internal;
import dev.jobs.InvalidJobException;
import dev.jobs.Job;
import dev.jobs.JobDefinition;
import dev.jobs.Payload;
import dev.jobs.codec.RawJson;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The options of a client for all its jobs: when they are due, and members of their payloads. Immutable: values are
 * encoded at once, so that a list that changes later changes no job.
 *
 * @param at when jobs are due; null if no time was given
 * @param each when each job of a bulk call is due; null if no such times were given
 * @param in how long jobs wait; null if no delay was given
 * @param spread each job waits for a random part of this time in addition; null for none
 * @param members members of the payload, in the order in which they were given
 * @param choices what the rules of features are told, by its class
 */
@Internal
public record Options(
        @Nullable Instant at,
        @Nullable List<Instant> each,
        @Nullable Duration in,
        @Nullable Duration spread,
        Map<String, RawJson> members,
        Map<Class<?>, Object> choices) {

    public static final Options NONE = new Options(null, null, null, null, Map.of(), Map.of());

    private static final int MAX_RETRIES = 1_000;
    private static final Duration LONGEST_SPREAD = Duration.ofDays(366);
    private static final Set<String> RESERVED = Set.of("class", "args", "jid", "created_at", "enqueued_at", "at");

    /** These options for a single job; refuses the times of a bulk call. */
    public Options ofOne() {
        if (each != null) {
            throw new InvalidJobException("atEach gives each job of a bulk call its time; a single job takes at(…)");
        }
        return this;
    }

    Options at(Instant time) {
        return due(Objects.requireNonNull(time, "'time' must not be null"), null, null);
    }

    Options due(@Nullable Instant time, @Nullable List<Instant> times, @Nullable Duration delay) {
        return new Options(time, times, delay, spread, members, choices);
    }

    Options spread(Duration interval) {
        if (interval.compareTo(LONGEST_SPREAD) > 0) {
            throw new InvalidJobException("'interval' must be at most " + LONGEST_SPREAD + " but was " + interval);
        }
        return new Options(
                at, each, in, interval.isNegative() || interval.isZero() ? null : interval, members, choices);
    }

    Options retry(int retries) {
        if (retries == Job.NONE || retries == Job.DEFAULT) {
            return with("retry", retries == Job.DEFAULT);
        }
        if (retries < 0 || retries > MAX_RETRIES) {
            throw new InvalidJobException("'retries' must be 0 to " + MAX_RETRIES
                    + ", Job.NONE to discard a failed job or Job.DEFAULT, but was " + retries);
        }
        return with("retry", retries);
    }

    public Options queue(String queue) {
        if (!JobDefinition.QUEUE_NAME.matcher(queue).matches()) {
            throw new InvalidJobException(
                    "'queue' must be " + PayloadRules.QUEUE_FORM + " but was '" + PayloadRules.shown(queue) + "'");
        }
        return with("queue", queue);
    }

    /** Tells the rule of a feature something, in place of what it was told with an object of the same class before. */
    public Options choose(Object choice) {
        Map<Class<?>, Object> more = new HashMap<>(choices);
        more.put(choice.getClass(), choice);
        return new Options(at, each, in, spread, members, Collections.unmodifiableMap(more));
    }

    /** What the rule of a feature is told; null for nothing. */
    public <C> @Nullable C choice(Class<C> type) {
        return type.cast(choices.get(type));
    }

    /** Gives payloads one more member. */
    public Options with(String member, @Nullable Object value) {
        if (RESERVED.contains(member)) {
            throw new InvalidJobException("The member '" + member + "' can't be set as an option: "
                    + (member.equals("at") ? "use at(…) or in(…)" : "every job gets its own")
                    + "; push(map) takes whole payloads");
        }
        Map<String, RawJson> more = new LinkedHashMap<>(members);
        more.put(member, new RawJson(encode(member, value)));
        return new Options(at, each, in, spread, Collections.unmodifiableMap(more), choices);
    }

    private static byte[] encode(String member, @Nullable Object value) {
        byte[] json = Payload.of(Collections.singletonMap(member, value)).raw(member);
        return Objects.requireNonNull(json);
    }

    /** Whether jobs that are enqueued now may have to wait in the scheduled set. */
    boolean mayBeDueLater(Instant now) {
        return spread != null || each != null || start(now) != null;
    }

    /**
     * When a job that is enqueued now is due; null for at once.
     *
     * @param random used only if there is a spread
     */
    @Nullable Instant due(Instant now, RandomGenerator random) {
        Instant start = start(now);
        if (spread == null) {
            return start;
        }
        long millis = random.nextLong(spread.toMillis() + 1);
        return millis == 0 ? start : end(start == null ? now : start, Duration.ofMillis(millis));
    }

    private @Nullable Instant start(Instant now) {
        Instant time = in == null ? at : end(now, in);
        return time != null && time.isAfter(now) ? time : null;
    }

    private static Instant end(Instant now, Duration delay) {
        try {
            return now.plus(delay);
        } catch (DateTimeException | ArithmeticException e) {
            throw new InvalidJobException("'delay' must end within the range of time but was " + delay, e);
        }
    }
}
