package dev.jobs.ordered;

import dev.jobs.Internal;
import dev.jobs.InvalidJobException;
import dev.jobs.Job;
import dev.jobs.JobAnnotations;
import dev.jobs.JobClient;
import dev.jobs.JobDefinition;
import dev.jobs.KeyTemplate;
import dev.jobs.Payload;
import dev.jobs.client.ClientWithOptions;
import dev.jobs.client.Options;
import dev.jobs.client.PayloadRule;
import dev.jobs.client.PayloadRules;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a job says of its turn in an ordered queue, in members of its payload: {@link Job#key()} and
 * {@link Job#priority()}. Other queues and workers of Ruby ignore them.
 */
@Internal
public final class JobOrder implements PayloadRule {

    /** The payload's member for whose job it is. */
    public static final String KEY = "order_key";

    /** The payload's member for its priority. */
    public static final String PRIORITY = "priority";

    /** The highest priority; the lowest one is as far below 0. */
    private static final int HIGHEST = 100;

    /** What a key may be. */
    public static final String KEY_FORM = "text of at most 200 characters, without control characters";

    /** What a priority may be. */
    private static final String PRIORITY_FORM = "a whole number from -" + HIGHEST + " to " + HIGHEST;

    private static final Pattern WHOLE_KEY = Pattern.compile("\\P{Cntrl}{0,200}");

    /** Whose job a call is. */
    private record Declared(KeyTemplate key) {

        String of(List<? extends @Nullable Object> arguments) {
            return key.key(arguments, "its turn");
        }
    }

    /** Whether that can be a key. */
    public static boolean isKey(String key) {
        return WHOLE_KEY.matcher(key).matches();
    }

    private static boolean isPriority(long priority) {
        return priority >= -HIGHEST && priority <= HIGHEST;
    }

    private static boolean hasValidKey(Payload payload) {
        String key = payload.text(KEY);
        return key == null ? !payload.has(KEY) : isKey(key);
    }

    private static boolean hasValidPriority(Payload payload) {
        Long priority = payload.integer(PRIORITY);
        return priority == null ? !payload.has(PRIORITY) : isPriority(priority);
    }

    /** The key of a job; empty if it has none, as for all other jobs without one. */
    public static String key(Payload payload) {
        String key = payload.text(KEY);
        return key != null && isKey(key) ? key : "";
    }

    /** The priority of a job; 0 if it has none. */
    public static int priority(Payload payload) {
        Long priority = payload.integer(PRIORITY);
        return priority == null ? 0 : (int) Math.max(-HIGHEST, Math.min(HIGHEST, priority));
    }

    /** Methods of a client whose jobs may belong to a key, and have a priority. */
    public interface OptionMethods extends ClientWithOptions {

        @Override
        default JobClient key(@Nullable String key) {
            if (key == null || !isKey(key)) {
                throw new InvalidJobException(
                        "'key' must be " + KEY_FORM + " but was " + (key == null ? "null" : "'" + shown(key) + "'"));
            }
            return with(KEY, key);
        }

        @Override
        default JobClient priority(int priority) {
            if (!isPriority(priority)) {
                throw new InvalidJobException("'priority' must be " + PRIORITY_FORM + " but was " + priority);
            }
            return with(PRIORITY, priority);
        }
    }

    private static String shown(String key) {
        String clean = key.replaceAll("\\p{Cntrl}", "?");
        return clean.length() > 100 ? clean.substring(0, 100) + "…" : clean;
    }

    /** The same for a job that doesn't say it, as {@link Job#key()} makes it of the arguments. */
    public static String key(Payload payload, @Nullable JobDefinition job) {
        Declared declared = payload.has(KEY) || job == null ? null : job.rule(Declared.class);
        return declared == null ? key(payload) : declared.of(payload.args());
    }

    /** Whether a job makes its key of its arguments. */
    public static boolean isKeyed(JobDefinition job) {
        return job.rule(Declared.class) != null;
    }

    @Override
    public List<String> lua() {
        return List.of("gate_queue_order shared_order", "shared_order");
    }

    @Override
    public void options(Map<String, Object> options, JobAnnotations annotations) {
        int priority = annotations.job().priority();
        if (!isPriority(priority)) {
            throw annotations.wrong("its priority is " + priority, "Use " + PRIORITY_FORM + ".");
        }
        if (priority != 0) {
            options.put(PRIORITY, priority);
        }
    }

    @Override
    public @Nullable Object read(JobDefinition job, JobAnnotations annotations) {
        String text = annotations.job().key();
        KeyTemplate key;
        try {
            key = KeyTemplate.of(text, job.parameters(), job.codec());
        } catch (IllegalArgumentException e) {
            throw annotations.wrong(
                    "its key '" + text + "' " + e.getMessage(),
                    "Name arguments by their position or by the parameter's name, with their members, as in {0}, {shop} or"
                            + " {shop.id}.");
        }
        job.checkHidesMasked("its key", key.arguments());
        return key.isEmpty() ? null : new Declared(key);
    }

    @Override
    public void write(Map<String, @Nullable Object> members, @Nullable JobDefinition job, Options options) {
        Declared declared = job == null ? null : job.rule(Declared.class);
        if (declared != null && !members.containsKey(KEY)) {
            members.put(KEY, declared.of(Payload.of(members).args()));
        }
    }

    @Override
    public void check(Payload payload) {
        PayloadRules.require(hasValidKey(payload), payload, KEY, KEY_FORM);
        PayloadRules.require(hasValidPriority(payload), payload, PRIORITY, PRIORITY_FORM);
    }
}
