package dev.jobs.client;

import dev.jobs.Expiry;
import dev.jobs.Internal;
import dev.jobs.InvalidJobException;
import dev.jobs.Job;
import dev.jobs.JobDefinition;
import dev.jobs.Payload;
import dev.jobs.codec.RawJson;
import dev.jobs.limits.LimitRule;
import dev.jobs.unique.Debounce;
import dev.jobs.unique.JobLock;
import dev.jobs.unique.Unique.OnConflict;
import dev.jobs.unique.Unique.Until;
import dev.jobs.unique.UniqueRule;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
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
 * @param now whether jobs are stored by the call itself, also in a transaction
 * @param key the key of their lock; null for that of the annotation, if there is one
 * @param debounced the key by which they are debounced; null for none
 */
@Internal
public record Options(
        @Nullable Instant at,
        @Nullable List<Instant> each,
        @Nullable Duration in,
        @Nullable Duration spread,
        Map<String, RawJson> members,
        boolean now,
        @Nullable String key,
        @Nullable String debounced) {

    public static final Options NONE = new Options(null, null, null, null, Map.of(), false, null, null);

    private static final int MAX_RETRIES = 1_000;
    private static final Duration LONGEST_SPREAD = Duration.ofDays(366);
    private static final Set<String> RESERVED = Set.of("class", "args", "jid", "created_at", "enqueued_at", "at");

    Options at(Instant time) {
        return new Options(
                Objects.requireNonNull(time, "'time' must not be null"),
                null,
                null,
                spread,
                members,
                now,
                key,
                debounced);
    }

    Options atEach(Collection<Instant> times) {
        List<Instant> copy = new ArrayList<>(times);
        if (copy.contains(null)) {
            throw new InvalidJobException("'times' must be instants, but one of them was null");
        }
        return new Options(null, Collections.unmodifiableList(copy), null, spread, members, now, key, debounced);
    }

    /** These options for a single job; refuses the times of a bulk call. */
    Options ofOne() {
        if (each != null) {
            throw new InvalidJobException("atEach gives each job of a bulk call its time; a single job takes at(…)");
        }
        return this;
    }

    Options in(Duration delay) {
        return new Options(
                null,
                null,
                Objects.requireNonNull(delay, "'delay' must not be null"),
                spread,
                members,
                now,
                key,
                debounced);
    }

    Options spread(Duration interval) {
        if (interval.compareTo(LONGEST_SPREAD) > 0) {
            throw new InvalidJobException("'interval' must be at most " + LONGEST_SPREAD + " but was " + interval);
        }
        return new Options(
                at,
                each,
                in,
                interval.isNegative() || interval.isZero() ? null : interval,
                members,
                now,
                key,
                debounced);
    }

    Options outsideTransactions() {
        return new Options(at, each, in, spread, members, true, key, debounced);
    }

    public Options queue(String queue) {
        if (!JobDefinition.QUEUE_NAME.matcher(queue).matches()) {
            throw new InvalidJobException(
                    "'queue' must be " + PayloadRules.QUEUE_FORM + " but was '" + PayloadRules.shown(queue) + "'");
        }
        return with("queue", queue);
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

    Options unique(String key) {
        return new Options(at, each, in, spread, members, now, present(key), debounced);
    }

    Options throttle(String key, Duration period, OnConflict onConflict) {
        return unique(key)
                .with(UniqueRule.FOR, Expiry.seconds("period", period))
                .with(UniqueRule.UNTIL, JobLock.textOf(Until.EXPIRY))
                .with(UniqueRule.CONFLICT, JobLock.textOf(onConflict));
    }

    Options debounce(String key, Duration pause, Duration atMost) {
        if (atMost.compareTo(pause) < 0) {
            throw new InvalidJobException(
                    "'atMost' must not be less than the pause of " + pause + " but was " + atMost);
        }
        Options waiting = in(pause)
                .with(Debounce.PAUSE, Expiry.seconds("pause", pause))
                .with(Debounce.AT_MOST, Expiry.seconds("atMost", atMost));
        return new Options(null, null, pause, null, waiting.members, now, this.key, present(key));
    }

    private static String present(String key) {
        return Objects.requireNonNull(key, "'key' must not be null");
    }

    Options limit(String name, String key) {
        if (!LimitRule.isNameOfJobs(name)) {
            throw new InvalidJobException(
                    "'name' must be 1 to 200 characters without control characters and not begin with '"
                            + LimitRule.OF_QUEUE + "' but was '" + PayloadRules.shown(name) + "'");
        }
        List<Object> limits = new ArrayList<>();
        RawJson before = members.get(LimitRule.MEMBER);
        if (before != null
                && Payload.of(Map.of(LimitRule.MEMBER, before)).get(LimitRule.MEMBER) instanceof List<?> given) {
            limits.addAll(given);
        }
        limits.add(List.of(name, Objects.requireNonNull(key, "'key' must not be null")));
        if (limits.size() > LimitRule.MOST) {
            throw new InvalidJobException("A call can have " + LimitRule.MOST + " limits at most");
        }
        return with(LimitRule.MEMBER, limits);
    }

    Options tags(String... tags) {
        if (Arrays.asList(tags).contains(null)) {
            throw new InvalidJobException("'tags' must be text, but one of them was null");
        }
        return with("tags", List.of(tags));
    }

    public Options with(String member, @Nullable Object value) {
        if (RESERVED.contains(member)) {
            throw new InvalidJobException("The member '" + member + "' can't be set as an option: "
                    + (member.equals("at") ? "use at(…) or in(…)" : "every job gets its own")
                    + "; push(map) takes whole payloads");
        }
        Map<String, RawJson> more = new LinkedHashMap<>(members);
        more.put(member, new RawJson(encode(member, value)));
        return new Options(at, each, in, spread, Collections.unmodifiableMap(more), now, key, debounced);
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
