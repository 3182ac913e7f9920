package dev.jobs.spring.autoconfigure.metrics;

import dev.jobs.BatchStatus;
import dev.jobs.JobStoreException;
import dev.jobs.admin.BatchesAdmin;
import dev.jobs.admin.Page;
import dev.jobs.admin.ScanBudget;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Checks unfinished batches in turn. A check reads a byte for each job, so a reading checks one batch, and a large
 * batch is followed by readings without a check. Confined to one thread.
 */
final class BatchErrors {

    /** Jobs for each reading, on average. */
    private static final int JOBS = 50_000;

    private static final int MOST_WRONG = 20;

    private final BatchesAdmin batches;
    private final Map<String, Long> wrong = new LinkedHashMap<>();
    private long next;
    private long pauses;

    /**
     * What is known of the unfinished batches; NaN if it can't be read.
     *
     * @param unfinished their number
     * @param error the sum of the known differences between counters and states
     */
    record Found(double unfinished, double error) {}

    BatchErrors(BatchesAdmin batches) {
        this.batches = batches;
    }

    /** @throws JobStoreException if Redis can't be read now */
    Found read() {
        try {
            Page<BatchStatus> page = batches.list(true, batch -> true, next, 1, ScanBudget.standard());
            if (pauses > 0) {
                pauses--;
            } else {
                next = Math.max(0, page.next());
                for (BatchStatus batch : page.items()) {
                    pauses = batch.total() / JOBS;
                    check(batch.id());
                }
                List.copyOf(wrong.keySet()).forEach(this::check);
            }
            return new Found(
                    page.total(),
                    wrong.values().stream().mapToLong(Long::longValue).sum());
        } catch (JobStoreException e) {
            if (e.kind() != JobStoreException.Kind.WRONG_TYPE) {
                throw e;
            }
            return new Found(Double.NaN, Double.NaN); // the other gauges can be read
        }
    }

    private void check(String id) {
        long error = batches.error(id);
        if (error == 0) {
            wrong.remove(id);
        } else if (wrong.containsKey(id) || wrong.size() < MOST_WRONG) {
            wrong.put(id, error);
        }
    }
}
