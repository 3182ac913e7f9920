package dev.jobs.dashboard.batches;

import dev.jobs.Internal;
import dev.jobs.batches.BatchEvent;
import dev.jobs.batches.BatchJob;
import dev.jobs.batches.BatchJobState;
import dev.jobs.batches.BatchMembership;
import dev.jobs.batches.BatchStatus;
import dev.jobs.dashboard.web.Shown;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Batches and their jobs as shown in answers, with long texts cut. */
@Internal
public final class BatchViews {

    private static final int TEXT = 1_000;
    private static final int MESSAGE = 500;
    private static final int MESSAGES = 20;
    private static final int RESULT = 2_000;

    private BatchViews() {}

    /** A batch. */
    record BatchView(
            String id,
            String name,
            String description,
            List<String> tags,
            String createdBy,
            String state,
            boolean open,
            boolean abandoned,
            Counts counts,
            long children,
            long childrenOpen,
            @Nullable Long createdAt,
            @Nullable Long changedAt,
            @Nullable Long cancelledAt,
            @Nullable Long finishedAt,
            double rate,
            @Nullable Long remaining) {}

    /** Its jobs by what became of them. */
    public record Counts(
            long total, long waiting, long retrying, long succeeded, long failed, long dead, long skipped, long lost) {}

    static BatchView batch(BatchStatus batch, boolean abandoned, Instant now) {
        return new BatchView(
                batch.id(),
                Shown.cut(batch.name(), TEXT),
                Shown.cut(batch.description(), TEXT),
                batch.tags().stream().map(tag -> Shown.cut(tag, TEXT)).toList(),
                Shown.cut(batch.createdBy(), TEXT),
                word(batch.state()),
                batch.open(),
                abandoned,
                new Counts(
                        batch.total(),
                        batch.waiting(),
                        batch.retrying(),
                        batch.succeeded(),
                        batch.failed(),
                        batch.dead(),
                        batch.skipped(),
                        batch.lost()),
                batch.children(),
                batch.childrenOpen(),
                Shown.millis(batch.createdAt()),
                Shown.millis(batch.changedAt()),
                Shown.millis(batch.cancelledAt()),
                Shown.millis(batch.events().get(BatchEvent.FINISHED)),
                batch.rate(now),
                batch.remaining(now).map(Duration::toMillis).orElse(null));
    }

    /** A job of a batch. */
    record JobOfBatch(
            String jid,
            long index,
            String state,
            List<String> messages,
            BatchJob.@Nullable Progress progress,
            @Nullable String result) {}

    static JobOfBatch job(BatchJob job) {
        String result = job.result();
        return new JobOfBatch(
                job.jid(),
                job.index(),
                word(job.state()),
                job.messages().stream()
                        .limit(MESSAGES)
                        .map(message -> Shown.cut(message, MESSAGE))
                        .toList(),
                job.progress(),
                result == null ? null : Shown.cut(result, RESULT));
    }

    /** A job of a batch, as the batch knows it. */
    public record Membership(
            String id,
            String name,
            @Nullable JobOfBatch job,
            @Nullable String callbackOf,
            @Nullable String state) {}

    public static Membership membership(BatchMembership member) {
        BatchJob job = member.job();
        BatchJobState state = job == null ? member.callbackState() : job.state();
        return new Membership(
                member.batch().id(),
                Shown.cut(member.batch().name(), TEXT),
                job == null ? null : job(job),
                member.callbackOf() == null ? null : word(member.callbackOf()),
                state == null ? null : word(state));
    }

    /** The counts of states by their words. */
    static Map<String, Long> counts(Map<BatchJobState, Long> counts) {
        Map<String, Long> words = new LinkedHashMap<>();
        for (BatchJobState state : BatchJobState.values()) {
            words.put(word(state), counts.getOrDefault(state, 0L));
        }
        return words;
    }

    /** As it is written in addresses and answers. */
    public static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
