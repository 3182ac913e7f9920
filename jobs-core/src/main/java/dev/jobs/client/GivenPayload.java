package dev.jobs.client;

import dev.jobs.codec.RubyTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A payload that a caller gives as a whole, instead of a job with its arguments. */
record GivenPayload(String name, Map<String, ? extends @Nullable Object> given) {

    /** Lower numbers mean seconds from now, others seconds since 1970, as everywhere in Sidekiq. */
    private static final double RELATIVE = 1e9;

    /** @throws dev.jobs.InvalidJobException if it names no job */
    static GivenPayload of(Map<String, ? extends @Nullable Object> given) {
        if (!(given.get("class") instanceof CharSequence text)) {
            throw PayloadRules.refused(null, "its 'class' must be the job's name as text", null);
        }
        return new GivenPayload(text.toString(), given);
    }

    /** Overrides members, as they are given. */
    void addTo(Map<String, @Nullable Object> members) {
        members.putAll(given);
        if (members.containsKey(null)) {
            throw PayloadRules.refused(name, "it has a member without a name", null);
        }
    }

    List<?> arguments() {
        Object args = given.get("args");
        if (args instanceof Collection<?> collection) {
            return new ArrayList<>(collection);
        }
        if (args instanceof Object[] array) {
            return Arrays.asList(array);
        }
        throw PayloadRules.refused(name, "its 'args' must be a collection or an array", null);
    }

    /** Overrides when the job is due, if that is given. */
    void addTime(Map<String, @Nullable Object> members, Instant now) {
        if (!given.containsKey("at")) {
            return;
        }
        if (!(given.get("at") instanceof Number number)) {
            throw PayloadRules.refused(
                    name, "its 'at' must be a number of seconds; leave it out to enqueue at once", null);
        }
        double seconds = number.doubleValue();
        members.put("at", seconds < RELATIVE ? RubyTime.seconds(now) + seconds : seconds);
    }
}
