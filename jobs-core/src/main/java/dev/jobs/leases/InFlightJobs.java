package dev.jobs.leases;

import dev.jobs.Internal;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.Replies;
import dev.jobs.store.JobClaims;
import dev.jobs.store.JobClaims.Claimed;
import io.lettuce.core.KeyValue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The jobs that Redis holds for processes, for one that may not know all of them. Thread-safe. */
@Internal
public final class InFlightJobs {

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final JobRecoveries recoveries;

    public InFlightJobs(RedisConnection connection, RedisKeys keys) {
        this.connection = connection;
        this.keys = keys;
        this.recoveries = new JobRecoveries(connection, keys);
    }

    /** Those that have registered and were not given up for good. */
    public List<String> incarnations() {
        return connection.run(commands -> commands.zrange(keys.beats(), 0, -1)).stream()
                .map(Bytes::text)
                .toList();
    }

    /** The tokens of all jobs that this incarnation holds. */
    public List<String> tokens(String incarnation) {
        List<String> tokens = new ArrayList<>();
        for (byte[] field : connection.run(commands -> commands.hkeys(keys.inFlight(incarnation)))) {
            String token = Bytes.text(field);
            if (!token.startsWith("#")) {
                tokens.add(token);
            }
        }
        return tokens;
    }

    /** The jobs of some of those tokens; jobs no longer held are left out. */
    public List<Claimed> find(String incarnation, List<String> tokens) {
        List<Claimed> found = new ArrayList<>();
        for (KeyValue<byte[], byte[]> entry : stored(incarnation, tokens)) {
            String token = Bytes.text(entry.getKey());
            byte[] payload = entry.getValue();
            int count = (int) recoveries.count(Bytes.sha1(payload));
            found.add(new Claimed(token, JobClaims.queueOf(token), payload, count));
        }
        return found;
    }

    /** The stored bytes alone of the same jobs. */
    public List<byte[]> payloads(String incarnation, List<String> tokens) {
        return stored(incarnation, tokens).stream().map(KeyValue::getValue).toList();
    }

    private List<KeyValue<byte[], byte[]>> stored(String incarnation, List<String> tokens) {
        List<KeyValue<byte[], byte[]>> found = new ArrayList<>();
        Map<String, Long> sizes = sizes(incarnation, tokens);
        for (List<String> some : connection.bounds().cut(tokens, token -> sizes.getOrDefault(token, 0L))) {
            byte[][] fields = some.stream().map(Bytes::of).toArray(byte[][]::new);
            connection.run(commands -> commands.hmget(keys.inFlight(incarnation), fields)).stream()
                    .filter(KeyValue::hasValue)
                    .forEach(found::add);
        }
        return found;
    }

    private Map<String, Long> sizes(String incarnation, List<String> tokens) {
        List<Long> answers = connection.run(commands -> Replies.all(tokens.stream()
                .map(token -> commands.hstrlen(keys.inFlight(incarnation), Bytes.of(token)))
                .toList()));
        Map<String, Long> sizes = new HashMap<>();
        for (int i = 0; i < answers.size(); i++) {
            sizes.put(tokens.get(i), answers.get(i));
        }
        return sizes;
    }
}
