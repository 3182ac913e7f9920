package dev.jobs.batches;

import dev.jobs.ArgumentMasking;
import dev.jobs.Payload;
import dev.jobs.batches.BatchEffects.Report;
import dev.jobs.codec.JsonException;
import dev.jobs.codec.JsonText;
import dev.jobs.codec.OneLine;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** One execution of a job in a batch: gathers what the batch will be told of it. Thread-safe. */
final class BatchRun {

    static final int MOST_MESSAGES = 20;
    private static final int MESSAGE_CHARACTERS = 500;
    private static final byte[] NOTHING = {};

    private final BatchJobId batchJob;
    private final boolean keepsResult;
    private final BatchAccess access;
    private final Predicate<String> cancelled;
    private final ArgumentMasking masking;
    private final Payload payload;

    // Guarded by this.
    private final List<String> messages = new ArrayList<>();
    private byte[] result = NOTHING;
    private String progress = "";

    /** What the last note sent; it is sent again only if it changed. */
    private String noted = "-";

    /**
     * @param cancelled whether the batch with that id is cancelled
     * @param masking hides arguments in texts: readers of messages don't have the arguments
     */
    BatchRun(
            BatchJobId batchJob,
            boolean keepsResult,
            BatchAccess access,
            Predicate<String> cancelled,
            ArgumentMasking masking,
            Payload payload) {
        this.batchJob = batchJob;
        this.keepsResult = keepsResult;
        this.access = access;
        this.cancelled = cancelled;
        this.masking = masking;
        this.payload = payload;
    }

    BatchJobId batchJob() {
        return batchJob;
    }

    JobBatch batch() {
        return access.batch(batchJob.batch());
    }

    boolean isCancelled() {
        return !batchJob.isCallback() && cancelled.test(batchJob.batch());
    }

    boolean keepsResult() {
        return keepsResult;
    }

    /** Adds a message, unless there are too many. */
    synchronized void message(String message) {
        if (messages.size() < MOST_MESSAGES) {
            add(masking.shown(payload, message));
        }
    }

    /**
     * Adds the message of a failure, unless there are too many.
     *
     * @param asked whether the job asked for it, in its own words
     */
    synchronized void failed(Throwable failure, boolean asked) {
        if (messages.size() < MOST_MESSAGES) {
            add(asked ? masking.message(payload, failure) : masking.typeAndMessage(payload, failure));
        }
    }

    private void add(String shown) {
        messages.add(json(OneLine.of(shown, MESSAGE_CHARACTERS)));
    }

    private static String json(String text) {
        try {
            return new String(JsonText.encode(JsonText.wellFormed(text)), StandardCharsets.UTF_8);
        } catch (JsonException e) {
            throw new IllegalStateException(e); // well-formed text has a JSON form
        }
    }

    synchronized void progress(long done, long total) {
        progress = Math.max(0, done) + " " + Math.max(0, total);
    }

    /** Keeps the JSON of what the job returned. */
    synchronized void result(byte[] json) {
        result = json;
    }

    /** What the settlement tells the batch. */
    synchronized Report report() {
        return new Report(String.join(",", messages), result, "");
    }

    /** What a note tells the batch while the job runs; null if it told the same before. */
    synchronized @Nullable Report news() {
        String all = String.join(",", messages);
        String now = progress + all;
        if (now.equals(noted)) {
            return null;
        }
        noted = now;
        return new Report(all, NOTHING, progress);
    }

    /** The last news may not have arrived. */
    synchronized void noteAgain() {
        noted = "-";
    }
}
