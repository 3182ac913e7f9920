package dev.jobs.dashboard.jobs;

import dev.jobs.Internal;
import dev.jobs.Payload;
import dev.jobs.admin.JobRecord;
import dev.jobs.dashboard.web.ApiRequest;
import java.time.Instant;
import java.util.Locale;
import java.util.Objects;
import java.util.StringJoiner;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Selects jobs: all given conditions must hold.
 *
 * @param since the earliest time by which its set is sorted, and {@code until} the latest
 */
@Internal
public record Filter(
        @Nullable String text,
        @Nullable String job,
        @Nullable String queue,
        @Nullable String error,
        @Nullable String cause,
        @Nullable String tag,
        @Nullable Instant since,
        @Nullable Instant until) {

    private static final int MOST_TEXT = 200;

    /** The year 9999. */
    private static final long LATEST = 253_402_300_799_999L;

    /** @param inQueue whether the parameter 'queue' is the place to search rather than a condition */
    public static Filter of(ApiRequest request, boolean inQueue) {
        return new Filter(
                emptyIsNone(request.textOrNull("text", MOST_TEXT)),
                emptyIsNone(request.textOrNull("job", ApiRequest.MOST_NAME)),
                inQueue ? null : emptyIsNone(request.textOrNull("queue", ApiRequest.MOST_NAME)),
                emptyIsNone(request.textOrNull("error", MOST_TEXT)),
                request.textOrNull("cause", ApiRequest.MOST_NAME),
                emptyIsNone(request.textOrNull("tag", MOST_TEXT)),
                time(request, "since"),
                time(request, "until"));
    }

    private static @Nullable Instant time(ApiRequest request, String name) {
        return request.has(name) ? Instant.ofEpochMilli(request.number(name, 0, 0, LATEST)) : null;
    }

    /** The same without the times, for a place that was narrowed to them. */
    Filter atAnyTime() {
        return new Filter(text, job, queue, error, cause, tag, null, null);
    }

    public boolean isEmpty() {
        return equals(new Filter(null, null, null, null, null, null, null, null));
    }

    private static @Nullable String emptyIsNone(@Nullable String text) {
        return text == null || text.isEmpty() ? null : text;
    }

    public Predicate<JobRecord> on(Views views) {
        return record -> (job == null || job.equals(views.name(record)))
                && (queue == null || queue.equals(record.queue()))
                && (cause == null || cause.equals(Objects.requireNonNullElse(record.errorClass(), "")))
                && (tag == null || views.hasTag(record, tag))
                && (since == null && until == null || isWithin(record))
                && (error == null || failed(record, views, error))
                && (text == null || views.contains(record, text));
    }

    private boolean isWithin(JobRecord record) {
        Instant at = record.set() == null ? record.enqueuedAt() : record.at();
        return at != null && (since == null || !at.isBefore(since)) && (until == null || !at.isAfter(until));
    }

    private static boolean failed(JobRecord record, Views views, String error) {
        if (record.errorClass() == null && record.errorMessage() == null) {
            return false;
        }
        Payload shown = views.payload(record);
        String message = shown == null ? null : shown.text("error_message");
        return (Objects.requireNonNullElse(record.errorClass(), "") + ": " + Objects.requireNonNullElse(message, ""))
                .toLowerCase(Locale.ROOT)
                .contains(error.toLowerCase(Locale.ROOT));
    }

    /** For people, in log lines; hides the searched text and error, which may be confidential. */
    @Override
    public String toString() {
        StringJoiner conditions = new StringJoiner(", ");
        add(conditions, "job", job);
        add(conditions, "queue", queue);
        add(conditions, "cause", cause);
        add(conditions, "tag", tag);
        add(conditions, "since", since == null ? null : since.toString());
        add(conditions, "until", until == null ? null : until.toString());
        add(conditions, "text", text == null ? null : "…");
        add(conditions, "error", error == null ? null : "…");
        return conditions.length() == 0 ? "all" : conditions.toString();
    }

    private static void add(StringJoiner conditions, String name, @Nullable String value) {
        if (value != null) {
            conditions.add(name + "=" + value);
        }
    }
}
