package dev.jobs;

import dev.jobs.codec.JsonText;
import dev.jobs.codec.OneLine;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An attempt at a job that failed. The payload remembers the latest ones: at most ten, in at most 2 KiB. Workers of
 * Ruby keep what is there, and add nothing.
 *
 * @param at when it began
 * @param waited how long the job had been in its queue by then; zero if unknown
 * @param ran how long it ran
 * @param process the identity of the process that ran it
 * @param error the class of the failure, at most 100 characters
 * @param message the message of the failure in one line, at most 200 characters, without masked arguments
 */
public record PastAttempt(Instant at, Duration waited, Duration ran, String process, String error, String message) {

    /** The payload's member for attempts, oldest first. */
    public static final String MEMBER = "past_attempts";

    private static final String MESSAGE = "message";

    private static final String AT = "at";
    private static final String WAITED = "waited";
    private static final String RAN = "ran";
    private static final String PROCESS = "process";
    private static final String ERROR = "error";

    private static final long LATEST = 253_402_300_799_999L; // the end of the year 9999
    private static final int MOST = 10;
    private static final int MOST_BYTES = 2 * 1_024;
    private static final int NAME = 100;
    private static final int TEXT = 200;

    public PastAttempt {
        error = shortened(error, NAME);
        message = shortened(message, TEXT);
        process = shortened(process, NAME);
    }

    private static String shortened(String text, int characters) {
        return JsonText.wellFormed(OneLine.of(text, characters));
    }

    /** The attempts that a payload remembers, oldest first. What no worker of ours has written is left out. */
    public static List<PastAttempt> of(Payload payload) {
        List<PastAttempt> attempts = new ArrayList<>();
        if (payload.has(MEMBER) && payload.get(MEMBER) instanceof List<?> stored) {
            String error = "";
            String message = "";
            for (Object each : stored) {
                if (each instanceof Map<?, ?> members && attempts.size() < MOST) {
                    // written once for attempts in succession that failed in the same way
                    error = Objects.requireNonNullElse(text(members, ERROR), error);
                    message = Objects.requireNonNullElse(text(members, MESSAGE), message);
                    PastAttempt attempt = of(members, error, message);
                    if (attempt != null) {
                        attempts.add(attempt);
                    }
                }
            }
        }
        return attempts;
    }

    private static @Nullable PastAttempt of(Map<?, ?> members, String error, String message) {
        return members.get(AT) instanceof Long at && at >= 0 && at <= LATEST
                ? new PastAttempt(
                        Instant.ofEpochMilli(at),
                        duration(members.get(WAITED)),
                        duration(members.get(RAN)),
                        Objects.requireNonNullElse(text(members, PROCESS), ""),
                        error,
                        message)
                : null;
    }

    private static @Nullable String text(Map<?, ?> members, String name) {
        return members.get(name) instanceof String text ? text : null;
    }

    private static Duration duration(@Nullable Object millis) {
        return millis instanceof Long number && number > 0 ? Duration.ofMillis(number) : Duration.ZERO;
    }

    /** The payload that remembers this attempt, too, in place of the oldest ones where there is no room. */
    public Payload addTo(Payload payload) {
        List<PastAttempt> all = new ArrayList<>(of(payload));
        all.add(this);
        int first = Math.max(0, all.size() - MOST);
        Payload with = payload.with(MEMBER, members(all.subList(first, all.size())));
        while (first < all.size() - 1 && Objects.requireNonNull(with.raw(MEMBER)).length > MOST_BYTES) {
            with = payload.with(MEMBER, members(all.subList(++first, all.size())));
        }
        return with;
    }

    private static List<Map<String, Object>> members(List<PastAttempt> attempts) {
        List<Map<String, Object>> all = new ArrayList<>();
        String error = null;
        String message = null;
        for (PastAttempt each : attempts) {
            Map<String, Object> members = new LinkedHashMap<>();
            members.put(AT, each.at.toEpochMilli());
            members.put(WAITED, each.waited.toMillis());
            members.put(RAN, each.ran.toMillis());
            members.put(PROCESS, each.process);
            if (!each.error.equals(error)) {
                members.put(ERROR, each.error);
            }
            if (!each.message.equals(message)) {
                members.put(MESSAGE, each.message);
            }
            error = each.error;
            message = each.message;
            all.add(members);
        }
        return all;
    }
}
