package dev.jobs.results;

import dev.jobs.Internal;
import dev.jobs.InvalidPayloadException;
import dev.jobs.KeptResult;
import dev.jobs.Payload;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.Effect;
import dev.jobs.store.EffectSource;
import dev.jobs.store.Mark;
import java.util.List;

/** Makes the effects by which the result of a job is kept, and its client told. Thread-safe. */
@Internal
public final class ResultEffects implements EffectSource {

    private static final Mark MARK = Mark.ofMember(KeptResult.KEEP);
    private static final byte[] NONE = {};

    private final RedisKeys keys;

    public ResultEffects(RedisKeys keys) {
        this.keys = keys;
    }

    /** Whether stored bytes may be a job whose result is kept. */
    public static boolean mayConcern(byte[] stored) {
        return MARK.isIn(stored);
    }

    /** The effects for a job that moves or ends without a processor. */
    @Override
    public List<Effect> of(byte[] stored) {
        if (!mayConcern(stored)) {
            return List.of();
        }
        try {
            return effects(Payload.parse(stored), NONE);
        } catch (InvalidPayloadException e) {
            return List.of();
        }
    }

    /**
     * The effects of the settlement of a job that ran here; none if its result isn't kept.
     *
     * @param result a JSON object whose first member is the {@code state}
     */
    public List<Effect> of(Payload payload, byte[] result) {
        return effects(payload, result);
    }

    private List<Effect> effects(Payload payload, byte[] result) {
        KeptResult kept = KeptResult.of(payload);
        String jid = payload.jid();
        if (kept == null || jid == null || jid.isEmpty()) {
            return List.of();
        }
        String client = kept.replyTo();
        List<byte[]> own = client == null ? List.of(keys.result(jid)) : List.of(keys.result(jid), keys.replies(client));
        return List.of(new Effect(
                "result",
                own,
                "",
                List.of(
                        Bytes.of(client == null ? "" : jid),
                        Bytes.of(kept.time().toMillis()),
                        Bytes.of(ifPoisoned(payload)),
                        result)));
    }

    private static String ifPoisoned(Payload payload) {
        return Boolean.FALSE.equals(payload.get("dead")) ? "discarded" : "dead";
    }

    @Override
    public boolean hasAny(RedisConnection connection) {
        return connection.<Long>run(commands -> commands.exists(keys.resultsUsed())) > 0;
    }
}
