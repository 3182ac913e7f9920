package dev.jobs;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a job says of its turn in an ordered queue, in members of its payload. Other queues and workers of Ruby ignore
 * them.
 */
@Internal
public final class JobOrder {

    /** The payload's member for whose job it is. */
    public static final String KEY = "order_key";

    /** The payload's member for its priority. */
    public static final String PRIORITY = "priority";

    /** The highest priority; the lowest one is as far below 0. */
    public static final int HIGHEST = 100;

    /** What a key may be. */
    public static final String KEY_FORM = "text of at most 200 characters, without control characters";

    /** What a priority may be. */
    public static final String PRIORITY_FORM = "a whole number from -" + HIGHEST + " to " + HIGHEST;

    private static final Pattern WHOLE_KEY = Pattern.compile("\\P{Cntrl}{0,200}");

    private JobOrder() {}

    /** Whether that can be a key. */
    public static boolean isKey(String key) {
        return WHOLE_KEY.matcher(key).matches();
    }

    /** Whether that can be a priority. */
    public static boolean isPriority(long priority) {
        return priority >= -HIGHEST && priority <= HIGHEST;
    }

    /** Whether a payload has no key, or one that can be stored. */
    public static boolean hasValidKey(Payload payload) {
        String key = payload.text(KEY);
        return key == null ? !payload.has(KEY) : isKey(key);
    }

    /** Whether a payload has no priority, or one that can be stored. */
    public static boolean hasValidPriority(Payload payload) {
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

    /** @throws InvalidJobException if it can't be stored */
    public static String requireKey(@Nullable String key) {
        if (key == null || !isKey(key)) {
            throw new InvalidJobException(
                    "'key' must be " + KEY_FORM + " but was " + (key == null ? "null" : "'" + shown(key) + "'"));
        }
        return key;
    }

    /** @throws InvalidJobException if it is out of range */
    public static int requirePriority(int priority) {
        if (!isPriority(priority)) {
            throw new InvalidJobException("'priority' must be " + PRIORITY_FORM + " but was " + priority);
        }
        return priority;
    }

    private static String shown(String key) {
        String clean = key.replaceAll("\\p{Cntrl}", "?");
        return clean.length() > 100 ? clean.substring(0, 100) + "…" : clean;
    }
}
