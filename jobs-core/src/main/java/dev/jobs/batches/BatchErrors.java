package dev.jobs.batches;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.admin.Page;
import dev.jobs.admin.ScanBudget;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks unfinished batches in turn. A check reads a byte for each job, so a reading checks one batch, and a large
 * batch is followed by readings without a check. Each reading may be made by another process, so it begins with what
 * the last one found.
 */
@Internal
public final class BatchErrors {

    /** Jobs for each reading, on average. */
    private static final int JOBS = 50_000;

    private static final int MOST_WRONG = 20;

    private final BatchesAdmin batches;

    /**
     * What is known of the unfinished batches; NaN if it can't be read.
     *
     * @param unfinished their number
     * @param wrong by how much counters and states of batches differ
     * @param next the first batch of the next check
     * @param pauses how many readings make no check
     */
    public record Found(double unfinished, Map<String, Long> wrong, long next, long pauses) {

        public static final Found NOTHING = new Found(Double.NaN, Map.of(), 0, 0);

        /** The sum of the known differences between counters and states. */
        public double error() {
            return Double.isNaN(unfinished)
                    ? Double.NaN
                    : wrong.values().stream().mapToLong(Long::longValue).sum();
        }

        public Map<String, Object> members() {
            Map<String, Object> members = new LinkedHashMap<>();
            if (!Double.isNaN(unfinished)) {
                members.put("unfinished", (long) unfinished);
            }
            members.put("wrong", wrong);
            members.put("next", next);
            members.put("pauses", pauses);
            return members;
        }

        /** @throws ClassCastException if these are other members */
        public static Found of(@Nullable Object members) {
            if (!(members instanceof Map<?, ?> all) || !(all.get("wrong") instanceof Map<?, ?> some)) {
                throw new ClassCastException("not what was found");
            }
            Map<String, Long> wrong = new LinkedHashMap<>();
            some.forEach((id, error) -> wrong.put((String) id, number(error)));
            return new Found(
                    all.get("unfinished") instanceof Number number ? number.doubleValue() : Double.NaN,
                    wrong,
                    number(all.get("next")),
                    number(all.get("pauses")));
        }

        private static long number(@Nullable Object value) {
            return value instanceof Number number ? number.longValue() : 0;
        }
    }

    public BatchErrors(BatchesAdmin batches) {
        this.batches = batches;
    }

    /** @throws JobStoreException if Redis can't be read now */
    public Found read(Found before) {
        try {
            Page<BatchStatus> page = batches.list(true, batch -> true, before.next(), 1, ScanBudget.standard());
            if (before.pauses() > 0) {
                return new Found(page.total(), before.wrong(), before.next(), before.pauses() - 1);
            }
            Map<String, Long> wrong = new LinkedHashMap<>(before.wrong());
            long pauses = 0;
            for (BatchStatus batch : page.items()) {
                pauses = batch.total() / JOBS;
                check(batch.id(), wrong);
            }
            List.copyOf(wrong.keySet()).forEach(id -> check(id, wrong));
            return new Found(page.total(), wrong, Math.max(0, page.next()), pauses);
        } catch (JobStoreException e) {
            if (e.kind() != JobStoreException.Kind.WRONG_TYPE) {
                throw e;
            }
            return Found.NOTHING; // the other gauges can be read
        }
    }

    private void check(String id, Map<String, Long> wrong) {
        long error = batches.error(id);
        if (error == 0) {
            wrong.remove(id);
        } else if (wrong.containsKey(id) || wrong.size() < MOST_WRONG) {
            wrong.put(id, error);
        }
    }
}
