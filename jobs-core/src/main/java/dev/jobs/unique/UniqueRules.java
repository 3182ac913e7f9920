package dev.jobs.unique;

import dev.jobs.Expiry;
import dev.jobs.Internal;
import dev.jobs.InvalidJobException;
import dev.jobs.JobAnnotations;
import dev.jobs.JobClient;
import dev.jobs.JobDefinition;
import dev.jobs.Payload;
import dev.jobs.client.ClientWithOptions;
import dev.jobs.client.Options;
import dev.jobs.client.PayloadRule;
import dev.jobs.client.PayloadRules;
import dev.jobs.unique.Unique.OnConflict;
import dev.jobs.unique.Unique.Until;
import java.lang.annotation.Annotation;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@link Unique}, writes the locks of unique, throttled and debounced jobs into their payloads and tells of
 * duplicates.
 */
@Internal
public final class UniqueRules implements PayloadRule {

    private static final String LOCK_FORM = "1 to 64 letters, digits and the characters - _, beside a '"
            + UniqueRule.FOR + "' of 0.001 to 1,000,000,000 s and a '" + UniqueRule.UNTIL
            + "' that is success, start or expiry, and a '" + UniqueRule.CONFLICT
            + "' that fits it, if there is one,";

    private static final String DEBOUNCE_FORM = "1 to 64 letters, digits and the characters - _, beside a '"
            + Debounce.PAUSE + "' of 0.001 to 1,000,000,000 s and a '" + Debounce.AT_MOST + "' that is not less,";

    /** The key of a call's lock, in place of that of the annotation. */
    private record Key(String text) {}

    /** The key by which a call is debounced. */
    private record DebounceKey(String text) {}

    /** Methods of a client whose jobs may be unique, throttled or debounced. */
    public interface OptionMethods extends ClientWithOptions {

        @Override
        default JobClient unique(String key) {
            return choose(new Key(present(key)));
        }

        @Override
        default JobClient throttle(String key, Duration period) {
            return throttle(key, period, OnConflict.SKIP);
        }

        @Override
        default JobClient throttleKeepingLast(String key, Duration period) {
            return throttle(key, period, OnConflict.LATER);
        }

        private JobClient throttle(String key, Duration period, OnConflict onConflict) {
            return unique(key)
                    .with(UniqueRule.FOR, Expiry.seconds("period", period))
                    .with(UniqueRule.UNTIL, JobLock.textOf(Until.EXPIRY))
                    .with(UniqueRule.CONFLICT, JobLock.textOf(onConflict));
        }

        @Override
        default JobClient debounce(String key, Duration pause, Duration atMost) {
            if (atMost.compareTo(pause) < 0) {
                throw new InvalidJobException(
                        "'atMost' must not be less than the pause of " + pause + " but was " + atMost);
            }
            return choose(new DebounceKey(present(key)))
                    .in(pause)
                    .spread(Duration.ZERO)
                    .with(Debounce.PAUSE, Expiry.seconds("pause", pause))
                    .with(Debounce.AT_MOST, Expiry.seconds("atMost", atMost));
        }
    }

    private static String present(String key) {
        return Objects.requireNonNull(key, "'key' must not be null");
    }

    @Override
    public List<String> lua() {
        return List.of(
                "check_debounce",
                "check_later",
                "check_lock",
                "check_reject",
                "check_replace",
                "effect_lock",
                "effect_replaceable",
                "effect_rewritten",
                "effect_twin");
    }

    @Override
    public List<Class<? extends Annotation>> annotations() {
        return List.of(Unique.class);
    }

    @Override
    public @Nullable UniqueRule read(JobDefinition job, JobAnnotations annotations) {
        List<Unique> all = annotations.of(Unique.class);
        if (all.isEmpty()) {
            return null;
        }
        Unique unique = all.get(0);
        Number seconds = annotations.secondsOf("@Unique(forAtMost)", unique.forAtMost());
        String misfit = UniqueRule.misfit(unique);
        if (misfit != null) {
            throw annotations.wrong(misfit, "REPLACE needs until = SUCCESS or START, and LATER needs EXPIRY.");
        }
        try {
            return UniqueRule.of(unique, seconds, job.parameters(), job.codec());
        } catch (IllegalArgumentException e) {
            throw annotations.wrong(
                    "the key '" + unique.key() + "' of its @Unique " + e.getMessage(),
                    "Name arguments by their position or by the parameter's name, with their members, as in {0}, {shop} or"
                            + " {shop.id}, or leave the key out: all arguments then count.");
        }
    }

    @Override
    public void write(Map<String, @Nullable Object> members, @Nullable JobDefinition job, Options options) {
        UniqueRule rule = job == null ? null : job.rule(UniqueRule.class);
        Key key = options.choice(Key.class);
        DebounceKey debounced = options.choice(DebounceKey.class);
        if (debounced == null) {
            addLock(members, job, rule, key);
        } else if (rule != null || key != null) {
            throw new InvalidJobException(
                    "it is unique, and a unique job can't be debounced; use one of both for its key");
        } else { // another digest than that of a lock: both have a twin
            members.put(Debounce.KEY, UniqueRule.debounceDigest(name(members, job), debounced.text()));
        }
    }

    /** Names the lock, unless the caller has. What else the caller says of the lock has precedence. */
    private static void addLock(
            Map<String, @Nullable Object> members,
            @Nullable JobDefinition job,
            @Nullable UniqueRule rule,
            @Nullable Key key) {
        if (rule == null && key == null || members.containsKey(UniqueRule.LOCK)) {
            return;
        }
        UniqueRule known = rule == null ? UniqueRule.WITHOUT_ANNOTATION : rule;
        String whole = key == null ? known.key(Payload.of(members).args()) : key.text();
        members.putIfAbsent(UniqueRule.FOR, known.seconds());
        members.putIfAbsent(UniqueRule.UNTIL, JobLock.textOf(known.until()));
        if (known.onConflict() != OnConflict.SKIP && known.onConflict() != OnConflict.ERROR) {
            members.putIfAbsent(UniqueRule.CONFLICT, JobLock.textOf(known.onConflict()));
        }
        members.put(UniqueRule.LOCK, UniqueRule.digest(name(members, job), whole));
    }

    /** The same for all aliases of a job. */
    private static String name(Map<String, @Nullable Object> members, @Nullable JobDefinition job) {
        return job == null ? String.valueOf(members.get("class")) : job.name();
    }

    @Override
    public void check(Payload payload) {
        PayloadRules.require(
                !payload.has(UniqueRule.LOCK) || JobLock.of(payload) != null, payload, UniqueRule.LOCK, LOCK_FORM);
        PayloadRules.require(
                !payload.has(Debounce.KEY) || Debounce.of(payload) != null, payload, Debounce.KEY, DEBOUNCE_FORM);
    }

    /** A debounced job waits from when it is stored, as after a long transaction; its check sets the time. */
    @Override
    public double late(Payload payload, double now) {
        Debounce debounce = Debounce.of(payload);
        return debounce == null ? now : now + debounce.pause() / 1_000.0;
    }

    @Override
    public Refusals refusals(Clock clock) {
        return new Duplicates(clock);
    }

    /** Those of Sidekiq's own and of the gem for unique jobs, too. */
    @Override
    public Set<String> digests() {
        return Set.of(UniqueRule.LOCK, Debounce.KEY, "unique_digest", "lock_digest");
    }
}
