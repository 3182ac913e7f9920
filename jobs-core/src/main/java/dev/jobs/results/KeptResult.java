package dev.jobs.results;

import dev.jobs.Internal;
import dev.jobs.InvalidJobException;
import dev.jobs.JobClient;
import dev.jobs.Payload;
import dev.jobs.client.ClientWithOptions;
import dev.jobs.client.Options;
import dev.jobs.client.PayloadRule;
import dev.jobs.client.PayloadRules;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * That a job's result is kept, in members of its payload. Workers of Ruby ignore them.
 *
 * @param time how long the result is kept after the job's end
 * @param replyTo the client that waits for the end; null if none does
 */
@Internal
public record KeptResult(Duration time, @Nullable String replyTo) {

    /** The payload's member for the seconds for which the result is kept. */
    public static final String KEEP = "keep_result";

    /** The payload's member for the id of the client that is told of the end. */
    public static final String REPLY_TO = "reply_to";

    private static final Duration LONGEST = Duration.ofDays(30);
    private static final Pattern CLIENT = Pattern.compile("[A-Za-z0-9-]{1,64}");

    /** Methods of a client whose jobs may leave their results. */
    public interface OptionMethods extends ClientWithOptions {

        @Override
        default JobClient keepResult(Duration time) {
            return with(keep(options(), time));
        }
    }

    /**
     * The options of jobs whose result is kept for that long.
     *
     * @throws InvalidJobException if it is not 1 second to 30 days
     */
    static Options keep(Options options, Duration time) {
        if (time.compareTo(Duration.ofSeconds(1)) < 0 || time.compareTo(LONGEST) > 0) {
            throw new InvalidJobException("'keepResult' must be 1 s to 30 days but was " + time);
        }
        return options.with(KEEP, time.toSeconds());
    }

    /** What a payload says; null if its result isn't kept, or if no client of ours can have written it. */
    public static @Nullable KeptResult of(Payload payload) {
        if (!payload.has(KEEP)) {
            return null;
        }
        double seconds = payload.get(KEEP) instanceof Number number ? number.doubleValue() : 0;
        String replyTo = payload.text(REPLY_TO);
        boolean told = payload.has(REPLY_TO);
        return !(seconds >= 1 && seconds <= LONGEST.toSeconds())
                        || told && (replyTo == null || !CLIENT.matcher(replyTo).matches())
                ? null
                : new KeptResult(Duration.ofMillis((long) (seconds * 1_000)), replyTo);
    }

    /** Checks what payloads say of their results. */
    @Internal
    public static final class Rules implements PayloadRule {

        private static final String KEEP_FORM = "a number of seconds from 1 to 2,592,000, beside a '" + REPLY_TO
                + "' of 1 to 64 letters, digits and the character - if there is one,";

        /** Without a {@value KeptResult#KEEP}, a {@value KeptResult#REPLY_TO} is ignored. */
        @Override
        public List<String> lua() {
            return List.of("effect_report", "effect_result");
        }

        @Override
        public void check(Payload payload) {
            PayloadRules.require(!payload.has(KEEP) || of(payload) != null, payload, KEEP, KEEP_FORM);
        }
    }
}
