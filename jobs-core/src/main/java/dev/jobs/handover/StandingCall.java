package dev.jobs.handover;

import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.JobClaims;
import dev.jobs.store.JobClaims.Reply;
import dev.jobs.store.JobClaims.Request;
import io.lettuce.core.LMoveArgs;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Lets an exchange stand in Redis, over a connection that nothing else uses. Thread-safe.
 *
 * <p>A {@code BLMOVE} of a queue onto itself precedes the script on the connection and delays it: the command ends when
 * there is a job, and leaves the job in its place. Between the two, Redis executes only other standing calls for the
 * same queue.
 */
final class StandingCall {

    /** What ended the wait. */
    enum Waited {
        /** A job was in the queue. */
        PUSHED,
        /** The time ran out. */
        TIMEOUT,
        /** The server doesn't let the command wait: the exchange was made at once. */
        REFUSED
    }

    /** The answer. */
    record Stood(Waited waited, Reply reply) {}

    private final JobClaims claims;
    private final RedisConnection connection;
    private final RedisKeys keys;

    private StandingCall(JobClaims claims, RedisConnection connection, RedisKeys keys) {
        this.claims = claims;
        this.connection = connection;
        this.keys = keys;
    }

    /** @param claims on a connection that nothing else uses */
    static StandingCall of(JobClaims claims) {
        return claims.over((connection, keys) -> new StandingCall(claims, connection, keys));
    }

    /**
     * Sends an exchange without waiting for it: Redis executes it as soon as the queue has a job, or after the given
     * time. So Redis sends a job to this process at its push, without a notification and a request first.
     *
     * <p>The call fails at once if there is no connection, and later on any other error. The connection is then closed,
     * so that the server forgets a claim that may still be standing; {@link JobClaims#exchange} with the same number,
     * over another connection, returns the answer.
     *
     * @param atMost more than 0, less than the timeout of the connection
     */
    CompletionStage<Stood> stand(Request request, String queue, Duration atMost) {
        byte[] key = keys.queue(queue);
        Function<RedisClusterAsyncCommands<byte[], byte[]>, CompletionStage<Reply>> exchange = claims.prepared(request);
        return connection
                .runAsync(commands -> {
                    CompletionStage<Waited> waited = commands.blmove(
                                    key, key, LMoveArgs.Builder.rightRight(), atMost.toMillis() / 1000.0)
                            .handle((job, failure) ->
                                    failure != null ? Waited.REFUSED : job == null ? Waited.TIMEOUT : Waited.PUSHED);
                    return waited.thenCombine(exchange.apply(commands), Stood::new);
                })
                .whenComplete((stood, failure) -> {
                    if (failure != null) {
                        connection.drop();
                    }
                });
    }

    /** Whether it would notice all jobs of a queue: those of a sorted queue don't pass its list. */
    boolean isPossibleAt(String queue) {
        return keys.sorted(queue) == null;
    }

    /** Whether there is a connection; without one, {@link #stand} fails. */
    boolean isConnected() {
        return connection.isReady();
    }

    /** Opens the connection and waits until it works. */
    void connect() {
        connection.run(RedisClusterAsyncCommands::ping);
    }

    /** The command timeout. */
    Duration timeout() {
        return connection.timeout();
    }
}
