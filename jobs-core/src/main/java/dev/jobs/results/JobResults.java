package dev.jobs.results;

import dev.jobs.Internal;
import dev.jobs.client.ResultStore;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.Replies;
import dev.jobs.redis.UseNote;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The results that jobs left, and the lists by which clients are told of them. Thread-safe. */
@Internal
public final class JobResults implements ResultStore, AutoCloseable {

    /** Told in place of jids, if there were too many of them: every job may have ended. */
    public static final String ANY = "";

    private static final Duration LONGEST_CALL = Duration.ofSeconds(1);
    private static final int AT_ONCE = 1_000;

    private final RedisConnection connection;
    private final RedisConnection listening;
    private final ResultKeys keys;
    private final UseNote use;

    /**
     * @param connection for calls that are answered at once
     * @param listening for {@link #next}, which blocks
     */
    public JobResults(RedisConnection connection, RedisConnection listening, RedisKeys keys) {
        this.connection = connection;
        this.listening = listening;
        this.keys = new ResultKeys(keys);
        this.use = new UseNote(connection, this.keys.used());
    }

    @Override
    public byte @Nullable [] find(String jid) {
        return connection.run(
                commands -> Replies.<byte @Nullable []>unlessWrongType(commands.get(keys.result(jid)), null));
    }

    /** Short enough for the answer to arrive before the command timeout. */
    @Override
    public Duration longestCall() {
        Duration half = Duration.ofMillis(Math.max(1, listening.timeout().toMillis() / 2));
        return half.compareTo(LONGEST_CALL) < 0 ? half : LONGEST_CALL;
    }

    /** Takes up to a thousand jids. */
    @Override
    public List<String> next(String client) {
        byte[] list = keys.replies(client);
        double seconds = longestCall().toMillis() / 1_000.0;
        return listening.run(commands -> {
            var first = commands.blpop(seconds, list).toCompletableFuture();
            var more = commands.lpop(list, AT_ONCE - 1).toCompletableFuture();
            return first.thenCombine(more, (one, others) -> {
                List<String> jids = new ArrayList<>();
                if (one != null && one.hasValue()) {
                    jids.add(Bytes.text(one.getValue()));
                }
                if (others != null) {
                    others.forEach(each -> jids.add(Bytes.text(each)));
                }
                return jids;
            });
        });
    }

    /**
     * Notes that there are jobs whose results are kept, so that clearing a queue looks for them. To be called before
     * each push of such jobs; asks Redis once a minute.
     */
    public void noteUse() {
        use.set();
    }

    /** Closes the connection that blocks. */
    @Override
    public void close() {
        listening.close();
    }
}
