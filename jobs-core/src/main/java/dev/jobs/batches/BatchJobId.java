package dev.jobs.batches;

import dev.jobs.Internal;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A job of a batch, as its jid states: 16 hexadecimal digits of the batch, then 8 of the index.
 *
 * @param batch the id of the batch
 * @param index the number of the job: from 0 for jobs that were given to the batch, from {@value #FIRST_GROWN} for jobs
 *     that its own jobs added, from {@value #FIRST_CALLBACK} for callbacks
 */
@Internal
public record BatchJobId(String batch, long index) {

    /** The first index of jobs that were added by jobs of the batch. */
    public static final long FIRST_GROWN = 1L << 31;

    /** The index before that of the first event's callback. */
    public static final long FIRST_CALLBACK = 0xffff_ff00L;

    /** The largest index of a job that is given to a batch: the states of all jobs before it take a byte each. */
    public static final long LARGEST = 49_999_999;

    private static final int BATCH_DIGITS = 16;
    private static final int DIGITS = 24;

    /** Reads a jid; null if it can't be that of a job in a batch. */
    public static @Nullable BatchJobId parse(@Nullable String jid) {
        if (jid == null || jid.length() != DIGITS || !isHex(jid)) {
            return null;
        }
        return new BatchJobId(jid.substring(0, BATCH_DIGITS), HexFormat.fromHexDigitsToLong(jid, BATCH_DIGITS, DIGITS));
    }

    /** Whether a text has the form of a batch's id. */
    static boolean isBatch(String id) {
        return id.length() == BATCH_DIGITS && isHex(id);
    }

    private static boolean isHex(String text) {
        for (int i = 0; i < text.length(); i++) { // a stream would cost each job of a batch a tenth of a microsecond
            char c = text.charAt(i);
            if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) {
                return false;
            }
        }
        return true;
    }

    /** The job's jid. */
    public String jid() {
        return batch + HexFormat.of().toHexDigits(index, DIGITS - BATCH_DIGITS);
    }

    /** Whether the job is a callback of the batch. */
    public boolean isCallback() {
        return index >= FIRST_CALLBACK;
    }

    /** Whether the job was added by a job of the batch. */
    public boolean isGrown() {
        return index >= FIRST_GROWN && !isCallback();
    }

    /** The job's position in the states of its kind; for a callback its field among the counters. */
    String position() {
        return isCallback() ? "c" + (index - FIRST_CALLBACK) : Long.toString(offset());
    }

    /** The job's position in the states of its kind, if it is no callback. */
    long offset() {
        return isGrown() ? index - FIRST_GROWN : index;
    }
}
