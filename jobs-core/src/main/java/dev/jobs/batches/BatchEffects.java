package dev.jobs.batches;

import dev.jobs.Internal;
import dev.jobs.InvalidPayloadException;
import dev.jobs.JobListener.Ending;
import dev.jobs.Payload;
import dev.jobs.engine.ClaimedJob;
import dev.jobs.engine.JobEffects;
import dev.jobs.engine.Outcome;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.Effect;
import dev.jobs.store.EffectSource;
import dev.jobs.store.PayloadMark;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Makes the effects by which a batch learns what became of its jobs. A job of a batch has the payload member {@code jb}
 * and a jid that names the batch. Thread-safe.
 */
@Internal
public final class BatchEffects implements EffectSource, JobEffects.Part {

    /** The payload member of a job in a batch: {@value #PLAIN}, or {@value #KEEPS_RESULT}. */
    public static final String MEMBER = "jb";

    /** The member's value for a job whose result is not kept. */
    public static final long PLAIN = 1;

    /** The member's value for a job whose result is kept. */
    public static final long KEEPS_RESULT = 2;

    private static final PayloadMark MARK = PayloadMark.ofMember(MEMBER);

    /** The keys for jobs of one batch. */
    private record BatchKeysOfJob(String batch, boolean grown, List<byte[]> keys) {}

    private final BatchKeys names;

    /** The latest: jobs of a batch come together. */
    private volatile @Nullable BatchKeysOfJob lastKeys;

    public BatchEffects(RedisKeys keys) {
        this.names = new BatchKeys(keys);
    }

    /**
     * What a job tells its batch.
     *
     * @param messages JSON values separated by commas; may be empty
     * @param result the JSON of its result; may be empty
     * @param progress may be empty
     */
    public record Report(String messages, byte[] result, String progress) {

        /** Nothing but the outcome. */
        public static final Report NOTHING = new Report("", new byte[0], "");

        boolean isEmpty() {
            return messages.isEmpty() && result.length == 0 && progress.isEmpty();
        }
    }

    /** Which job of which batch a payload is; null if it belongs to none. */
    public static @Nullable BatchJobId batchJob(Payload payload) {
        Long mark = payload.integer(MEMBER);
        return mark != null && (mark == PLAIN || mark == KEEPS_RESULT) ? BatchJobId.parse(payload.text("jid")) : null;
    }

    /** The batch whose cancellation ends a job before it begins; null if there is none, as for callbacks. */
    public static @Nullable String cancelledWith(Payload payload) {
        BatchJobId batchJob = batchJob(payload);
        return batchJob == null || batchJob.isCallback() ? null : batchJob.batch();
    }

    @Override
    public List<Effect> of(byte[] stored) {
        if (!MARK.isIn(stored)) {
            return List.of();
        }
        try {
            Payload payload = Payload.parse(stored);
            BatchJobId job = batchJob(payload);
            if (job == null) {
                return List.of();
            }
            String comesBack = payload.has("retry_count") ? "r" : "q";
            String poisoned = Boolean.FALSE.equals(payload.get("dead")) ? "x" : "d";
            return List.of(effect(job, comesBack + poisoned, Report.NOTHING));
        } catch (InvalidPayloadException e) {
            return List.of();
        }
    }

    @Override
    public void ended(List<Effect> all, ClaimedJob job, @Nullable Outcome outcome) {
        BatchRun run = job.part(BatchRun.class);
        if (run == null) {
            return;
        }
        Throwable failure = outcome == null ? null : outcome.failure();
        if (outcome != null && failure != null) {
            run.failed(failure, outcome.ending() == Ending.FAILED);
        }
        all.add(of(run.batchJob(), run.report()));
    }

    /**
     * A batch is told even if its job has not run: an audit may have looked for it in the queue while it was here, and
     * here after it had gone back.
     */
    @Override
    public boolean hearsOfHandingBack(ClaimedJob job) {
        return job.part(BatchRun.class) != null;
    }

    /** The batch of stored bytes that are a job of one of these batches, other than a callback; null if they are not. */
    static @Nullable String batchAmong(Set<String> batches, byte[] stored) {
        String batch = batchOf(stored);
        return batch != null && batches.contains(batch) ? batch : null;
    }

    /** The batch of stored bytes that are a job of one, other than a callback; null if they are not. */
    static @Nullable String batchOf(byte[] stored) {
        try {
            BatchJobId job = MARK.isIn(stored) ? batchJob(Payload.parse(stored)) : null;
            return job == null || job.isCallback() ? null : job.batch();
        } catch (InvalidPayloadException e) {
            return null;
        }
    }

    /** The effect for a job that this process runs. */
    public Effect of(BatchJobId job, Report report) {
        return report.isEmpty() && !job.isCallback()
                ? Effect.brief("batch", keysOf(job), job.offset())
                : effect(job, "rd", report);
    }

    private Effect effect(BatchJobId job, String letters, Report report) {
        return new Effect(
                "batch",
                keysOf(job),
                "",
                List.of(
                        Bytes.of(job.position()),
                        Bytes.of(letters),
                        Bytes.of(report.messages()),
                        report.result(),
                        Bytes.of(report.progress())));
    }

    private List<byte[]> keysOf(BatchJobId job) {
        BatchKeysOfJob last = lastKeys;
        if (last == null || last.grown() != job.isGrown() || !last.batch().equals(job.batch())) {
            last = new BatchKeysOfJob(
                    job.batch(),
                    job.isGrown(),
                    List.of(
                            names.batch(job.batch()),
                            names.states(job.batch(), job.isGrown()),
                            names.texts(job.batch()),
                            names.resting()));
            lastKeys = last;
        }
        return last.keys();
    }

    @Override
    public boolean hasAny(RedisConnection connection) {
        // A finished batch whose job has just been revived wants a look before it is open again.
        return connection.<Long>run(commands -> commands.zcard(names.resting())) > 0
                || connection.<Long>run(commands -> commands.zcard(names.open())) > 0;
    }
}
