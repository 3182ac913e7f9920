package dev.jobs.benchmarks.application.libraries;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.benchmarks.application.Readiness;
import io.lettuce.core.LMoveArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import org.springframework.context.SmartLifecycle;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.stereotype.Component;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * What an idle worker needs of the libraries of the starter, and nothing else. It is ready when it waits for a job.
 *
 * <ul>
 *   <li>Five connections on which Redis has answered: for claims, claims that stand, beats, chores and the doorbell.
 *       None may wait for another. They belong to the application's client: one of their own would cost more.
 *   <li>One script, since only a script takes a job and notes who has it.
 *   <li>The arguments of one job, read from JSON: a worker that is ready could run a job at once, and knows by then that
 *       it can read what the methods of its jobs take. Nothing is written, and no argument is an object, since an idle
 *       worker writes none, and the job of the application with the starter takes no object. The mapper has one setting,
 *       and no module.
 *   <li>One thread, which waits for a job as long at once as a worker does.
 * </ul>
 *
 * <p>There is no Micrometer: the starter doesn't bring its core, so an application without it has no meters.
 */
@Component
final class BareWorker implements Readiness, SmartLifecycle {

    private static final int CONNECTIONS = 5;
    private static final byte[] QUEUE = "queue".getBytes(UTF_8);
    private static final byte[] CLAIMED = "claimed".getBytes(UTF_8);
    private static final String SCRIPT = "return redis.call('LMOVE', KEYS[1], KEYS[2], 'RIGHT', 'LEFT')";
    private static final String ARGUMENTS = "[\"Bob\",1,true]";
    private static final List<Class<?>> PARAMETERS = List.of(String.class, long.class, boolean.class);
    private static final double SECONDS = 1;

    private final LettuceConnectionFactory factory;
    private volatile boolean running;
    private volatile boolean waiting;

    BareWorker(LettuceConnectionFactory factory) {
        this.factory = factory;
    }

    @Override
    public void start() {
        StatefulRedisConnection<byte[], byte[]> connection = connect();
        for (int more = 1; more < CONNECTIONS; more++) {
            connection = connect();
        }
        connection
                .async()
                .eval(SCRIPT, ScriptOutputType.VALUE, QUEUE, CLAIMED)
                .toCompletableFuture()
                .join();
        readArguments();
        running = true;
        StatefulRedisConnection<byte[], byte[]> standing = connection;
        new Thread(() -> work(standing), "bare-worker").start();
    }

    private static void readArguments() {
        JsonMapper mapper = JsonMapper.builder()
                .disable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS) // the next argument follows
                .build();
        try (JsonParser parser = mapper.createParser(ARGUMENTS)) {
            parser.nextToken();
            for (Class<?> each : PARAMETERS) {
                parser.nextToken();
                mapper.readValue(parser, each);
            }
        }
    }

    private StatefulRedisConnection<byte[], byte[]> connect() {
        RedisClient client = (RedisClient) factory.getRequiredNativeClient();
        StatefulRedisConnection<byte[], byte[]> connection = client.connect(ByteArrayCodec.INSTANCE);
        connection.async().ping().toCompletableFuture().join();
        return connection;
    }

    private void work(StatefulRedisConnection<byte[], byte[]> standing) {
        while (running) {
            var claim = standing.async().blmove(QUEUE, CLAIMED, LMoveArgs.Builder.rightLeft(), SECONDS);
            waiting = true;
            try {
                claim.toCompletableFuture().join();
            } catch (CompletionException | CancellationException e) {
                if (running) {
                    throw e;
                }
            }
        }
    }

    @Override
    public void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public boolean isReady() {
        return waiting;
    }
}
