package dev.jobs.engine;

import dev.jobs.KeptResult;
import dev.jobs.codec.ArgumentCodec;
import dev.jobs.codec.JsonException;
import java.util.Arrays;
import java.util.List;

/** Keeps what jobs return, for their batch or for those who wait. Thread-safe. */
final class ReturnedValue {

    private final ArgumentCodec codec;

    ReturnedValue(ArgumentCodec codec) {
        this.codec = codec;
    }

    /** Keeps what a job returned, if anybody wants it. The job has succeeded: a bad value only leaves a message. */
    void keep(Object returned, ClaimedJob job) {
        BatchRun run = job.batchRun();
        BatchRun batch = run != null && run.keepsResult() ? run : null;
        JobReport report = job.payload().has(KeptResult.KEEP) ? job.reporting() : null;
        if (batch == null && report == null) {
            return;
        }
        try {
            byte[] list = codec.encode(List.of(returned));
            byte[] json = Arrays.copyOfRange(list, 1, list.length - 1);
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
