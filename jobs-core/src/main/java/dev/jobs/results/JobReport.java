package dev.jobs.results;

import dev.jobs.ArgumentMasking;
import dev.jobs.Internal;
import dev.jobs.JobListener.Ending;
import dev.jobs.Payload;
import dev.jobs.codec.JsonException;
import dev.jobs.codec.JsonObject;
import dev.jobs.codec.OneLine;
import dev.jobs.codec.RawJson;
import dev.jobs.engine.Outcome;
import dev.jobs.results.JobReports.Report;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one execution of a job reports: its progress, its log lines and what it returns. Keeps news until Redis has
 * taken them. Thread-safe.
 */
@Internal
public final class JobReport {

    private static final int MOST_LINE = 1_000;
    private static final long EACH_NANOS = Duration.ofMillis(990).toNanos(); // a little less than its chore's interval

    /**
     * What all reports of an engine need.
     *
     * @param masking hides arguments in texts: readers don't have the arguments
     */
    public record Surroundings(ArgumentMasking masking, Clock clock) {}

    private final Payload payload;
    private final Surroundings surroundings;
    private final long began;

    // Guarded by this.
    private final Deque<String> lines = new ArrayDeque<>();
    private long numbered;
    private String progress = "";
    private String keptProgress = "";
    private boolean used;
    private boolean noted;
    private long notedNanos;
    private byte @Nullable [] result;
    private @Nullable String noResult;

    JobReport(Payload payload, Surroundings surroundings) {
        this.payload = payload;
        this.surroundings = surroundings;
        this.began = surroundings.clock().millis();
    }

    synchronized void progress(long done, long total) {
        used = true;
        progress = Math.max(0, done) + " " + Math.max(0, total) + " "
                + surroundings.clock().millis();
    }

    /** Adds a line. If Redis doesn't take them, the oldest are dropped, as it would. */
    void log(@Nullable String text) {
        String line = cut(OneLine.of(shown(String.valueOf(text)), MOST_LINE));
        synchronized (this) {
            used = true;
            numbered++;
            lines.add(began + " " + numbered + " " + surroundings.clock().millis() + " " + line);
            if (lines.size() > JobReports.MOST_LINES) {
                lines.remove();
            }
        }
    }

    /** The first thousand bytes of a text, in whole characters. */
    private static String cut(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length <= MOST_LINE) {
            return text;
        }
        int end = MOST_LINE;
        while ((bytes[end] & 0xc0) == 0x80) {
            end--;
        }
        return new String(bytes, 0, end, StandardCharsets.UTF_8) + "…";
    }

    private String shown(String text) {
        return surroundings.masking().shown(payload, text);
    }

    /** The texts of the lines that Redis has not taken yet. */
    public synchronized List<String> texts() {
        return lines.stream().map(line -> line.split(" ", 4)[3]).toList();
    }

    /** News to keep while the job runs, once a second at most; null if there are none. */
    synchronized @Nullable Report news(long nanos) {
        if (lines.isEmpty() && progress.equals(keptProgress) || noted && nanos - notedNanos < EACH_NANOS) {
            return null;
        }
        noted = true;
        notedNanos = nanos;
        return report();
    }

    private Report report() {
        return new Report(progress.equals(keptProgress) ? "" : progress, List.copyOf(lines));
    }

    /** Redis has taken these news, or the job is no longer held here. */
    synchronized void kept(Report news) {
        if (!news.progress().isEmpty()) {
            keptProgress = news.progress();
        }
        for (String line : news.lines()) {
            if (line.equals(lines.peek())) { // else it was dropped
                lines.remove();
            }
        }
    }

    /** News to keep with the job's end, even if they are empty: what is kept has to expire. Null if it told nothing. */
    synchronized @Nullable Report last() {
        return used ? report() : null;
    }

    /** Keeps the JSON of what the job returned. */
    synchronized void returned(byte[] json) {
        result = json;
    }

    /** What the job returned can't be kept. */
    synchronized void noResult(String reason) {
        noResult = reason;
    }

    /** Whether anybody wants the job's end to be kept. */
    public boolean keepsResult() {
        return payload.has(KeptResult.KEEP);
    }

    /** How the job ended, as it is kept for those who wait; null if it has not. */
    public synchronized byte @Nullable [] result(Outcome outcome) {
        Map<String, Object> members = new LinkedHashMap<>();
        String state = state(outcome);
        if (state == null) {
            return null;
        }
        members.put("state", state); // first, as effect_result.lua needs it
        Throwable failure = outcome.failure();
        String message = outcome.message();
        if (outcome.ending() == Ending.DONE) {
            if (noResult != null) {
                members.put("message", noResult);
            } else if (result != null) {
                members.put("value", new RawJson(result));
            }
        } else if (message != null) {
            members.put("message", message);
        } else if (failure != null) {
            members.put("error", failure.getClass().getName());
            members.put("message", surroundings.masking().message(payload, failure));
        }
        try {
            return JsonObject.of(members).bytes();
        } catch (JsonException e) {
            throw new IllegalStateException(e); // well-formed texts have a JSON form
        }
    }

    /** Null for a job that has not ended. */
    private static @Nullable String state(Outcome outcome) {
        return switch (outcome.ending()) {
            case DONE -> "done";
            case RETRIED -> "retried";
            case FAILED -> "failed";
            case DEAD -> "dead";
            case DISCARDED -> "discarded";
            case EXPIRED -> "expired";
            case REPLACED -> "deleted";
            case CANCELLED, SKIPPED -> "cancelled";
            case INTERRUPTED, POSTPONED, OVER_LIMIT, HANDED_BACK, LOST -> null;
        };
    }
}
