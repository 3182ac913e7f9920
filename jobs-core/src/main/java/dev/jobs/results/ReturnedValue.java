package dev.jobs.results;

import dev.jobs.Internal;
import dev.jobs.KeptResult;
import dev.jobs.batches.BatchRun;
import dev.jobs.codec.ArgumentCodec;
import dev.jobs.codec.JsonException;
import dev.jobs.engine.ClaimedJob;
import java.lang.reflect.Type;

/** Keeps what jobs return, for their batch or for those who wait. Thread-safe. */
@Internal
public final class ReturnedValue {

    private final ArgumentCodec codec;

    public ReturnedValue(ArgumentCodec codec) {
        this.codec = codec;
    }

    /**
     * Keeps what a job returned, if anybody wants it. The job has succeeded: a bad value only leaves a message.
     *
     * @param declared what its method is declared to return
     */
    public void keep(Object returned, Type declared, ClaimedJob job) {
        BatchRun run = job.batchRun();
        BatchRun batch = run != null && run.keepsResult() ? run : null;
        JobReport report = job.payload().has(KeptResult.KEEP) ? job.reporting() : null;
        if (batch == null && report == null) {
            return;
        }
        try {
            byte[] json = codec.encodeResult(returned, declared);
            if (batch != null) {
                batch.result(json);
            }
            if (report != null) {
                report.returned(json);
            }
        } catch (JsonException e) {
            String reason = "Its result is not kept: " + e.getMessage();
            if (batch != null) {
                batch.message(reason);
            }
            if (report != null) {
                report.noResult(reason);
            }
        }
    }
}
