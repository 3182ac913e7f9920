package dev.jobs.results;

import dev.jobs.Internal;
import dev.jobs.InvalidPayloadException;
import dev.jobs.Payload;
import dev.jobs.engine.ClaimedJob;
import dev.jobs.engine.JobEffects;
import dev.jobs.engine.Outcome;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.results.JobReports.Report;
import dev.jobs.store.Effect;
import dev.jobs.store.EffectSource;
import dev.jobs.store.PayloadMark;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes the effects by which the result of a job is kept, and its client told. Thread-safe. */
@Internal
public final class ResultEffects implements EffectSource, JobEffects.Part {

    private static final PayloadMark MARK = PayloadMark.ofMember(KeptResult.KEEP);
    private static final byte[] NONE = {};

    private final ResultKeys keys;

    public ResultEffects(RedisKeys keys) {
        this.keys = new ResultKeys(keys);
    }

    /** Whether stored bytes may be a job whose result is kept. */
    public static boolean mayConcern(byte[] stored) {
        return MARK.isIn(stored);
    }

    /** The effects for a job that moves or ends without a processor. */
    @Override
    public List<Effect> of(byte[] stored) {
        Payload job = read(stored);
        return job == null ? List.of() : of(job, NONE);
    }

    /** The effects for a job that goes to another shard. What is kept of it here would be found before its end there. */
    public List<Effect> leaving(byte[] stored) {
        Payload job = read(stored);
        return job == null ? List.of() : List.of(Effect.unlink(keys.result(String.valueOf(job.jid()))));
    }

    /**
     * The effects for a failed job that comes from another shard. What is kept has no message, since that of the payload
     * may show masked arguments. No client is told: it was when the job failed.
     *
     * @param state {@code retried} or {@code dead}
     */
    public List<Effect> arriving(byte[] stored, String state) {
        Payload job = read(stored);
        KeptResult kept = job == null ? null : KeptResult.of(job);
        if (job == null || kept == null) {
            return List.of();
        }
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("state", state);
        String error = job.text("error_class");
        if (error != null) {
            members.put("error", error);
        }
        return List.of(effect(
                String.valueOf(job.jid()),
                kept.time(),
                null,
                job,
                Payload.of(members).bytes()));
    }

    /** A job whose result is kept; null for any other. */
    private static @Nullable Payload read(byte[] stored) {
        if (!mayConcern(stored)) {
            return null;
        }
        try {
            Payload job = Payload.parse(stored);
            String jid = job.jid();
            return KeptResult.of(job) == null || jid == null || jid.isEmpty() ? null : job;
        } catch (InvalidPayloadException e) {
            return null;
        }
    }

    /** What it reported, and what is kept of its end. */
    @Override
    public void ended(List<Effect> all, ClaimedJob job, @Nullable Outcome outcome) {
        JobReport report = job.part(JobReport.class);
        if (report == null) {
            return;
        }
        addReport(all, job, report);
        byte[] result = outcome == null ? null : report.result(outcome);
        if (result != null && report.keepsResult()) {
            all.addAll(of(job.payload(), result));
        }
    }

    @Override
    public void handedBack(List<Effect> all, ClaimedJob job) {
        JobReport report = job.part(JobReport.class);
        if (report != null) {
            addReport(all, job, report);
        }
    }

    private void addReport(List<Effect> all, ClaimedJob job, JobReport report) {
        Report last = job.jid().isEmpty() ? null : report.last();
        if (last != null) {
            all.add(JobReports.effect(keys, job.jid(), last));
        }
    }

    /**
     * The effects of the settlement of a job that ran here; none if its result isn't kept.
     *
     * @param result a JSON object whose first member is the {@code state}
     */
    public List<Effect> of(Payload payload, byte[] result) {
        KeptResult kept = KeptResult.of(payload);
        String jid = payload.jid();
        if (kept == null || jid == null || jid.isEmpty()) {
            return List.of();
        }
        return List.of(effect(jid, kept.time(), kept.replyTo(), payload, result));
    }

    private Effect effect(String jid, Duration time, @Nullable String client, Payload payload, byte[] result) {
        List<byte[]> own = client == null ? List.of(keys.result(jid)) : List.of(keys.result(jid), keys.replies(client));
        return new Effect(
                "result",
                own,
                "",
                List.of(
                        Bytes.of(client == null ? "" : jid),
                        Bytes.of(time.toMillis()),
                        Bytes.of(ifPoisoned(payload)),
                        result));
    }

    private static String ifPoisoned(Payload payload) {
        return Boolean.FALSE.equals(payload.get("dead")) ? "discarded" : "dead";
    }

    @Override
    public boolean hasAny(RedisConnection connection) {
        return connection.<Long>run(commands -> commands.exists(keys.used())) > 0;
    }
}
