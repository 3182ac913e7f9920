package dev.jobs.shards;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.Payload;
import dev.jobs.ordered.OrderRules;
import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.RedisKeys;
import dev.jobs.shards.QueueTransfer.Shard;
import dev.jobs.testing.RedisFixture;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/** Two shards in one Redis, the source without a prefix, and the jobs of a queue. */
final class TransferBed implements AutoCloseable {

    static final String QUEUE = "mail";
    static final String TARGET = "{b}:";

    final RedisFixture redis = RedisFixture.start();

    QueueTransfer transfer() {
        return transfer(TransferOptions.standard().evenUnserved());
    }

    QueueTransfer transfer(TransferOptions options) {
        return new QueueTransfer(source(), target(), QUEUE, options);
    }

    QueueTransfer transfer(OrderRules source, OrderRules target) {
        Duration timeout = Duration.ofSeconds(60);
        return new QueueTransfer(
                new Shard("a", redis.connections(new RedisKeys("", source), timeout), "default"),
                new Shard("b", redis.connections(new RedisKeys(TARGET, target), timeout), "default"),
                QUEUE,
                TransferOptions.standard().evenUnserved());
    }

    /** A transfer that does something of its own just before it takes a slice, or before it begins. */
    QueueTransfer transfer(Runnable beforeSlices, Runnable beforeBegin) {
        return new QueueTransfer(
                source(),
                target(),
                QUEUE,
                TransferOptions.standard().evenUnserved(),
                Clock.systemUTC(),
                new RandomGenerator() {
                    private final RandomGenerator random = new Random(1);

                    @Override
                    public void nextBytes(byte[] bytes) {
                        (bytes.length == 4 ? beforeSlices : beforeBegin).run();
                        random.nextBytes(bytes);
                    }

                    @Override
                    public long nextLong() {
                        return random.nextLong();
                    }
                });
    }

    Shard source() {
        return new Shard("a", redis.connections(""), "default");
    }

    Shard target() {
        return new Shard("b", redis.connections(TARGET), "default");
    }

    static Payload job(String jid) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("class", "Mails.send");
        members.put("args", List.of(5));
        members.put("jid", jid);
        members.put("queue", QUEUE);
        return Payload.of(members);
    }

    static String text(Payload job) {
        return new String(job.bytes(), UTF_8);
    }

    /** Pushes jobs with these ids; the first one is taken first. */
    void push(String prefix, String... jids) {
        for (String jid : jids) {
            redis.texts().lpush(prefix + "queue:" + QUEUE, text(job(jid)));
        }
    }

    void push(Payload... jobs) {
        for (Payload job : jobs) {
            redis.texts().lpush("queue:" + QUEUE, text(job));
        }
    }

    /** The names of so many jobs. */
    static String[] names(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(i -> prefix + i).toArray(String[]::new);
    }

    /** The ids of the jobs in the list of the queue; the one that is taken next comes first. */
    List<String> queue(String prefix) {
        List<String> jobs = new ArrayList<>(jids(redis.texts().lrange(prefix + "queue:" + QUEUE, 0, -1)));
        Collections.reverse(jobs);
        return jobs;
    }

    List<String> set(String key) {
        return jids(redis.texts().zrange(key, 0, -1));
    }

    /** The ids of all jobs in the shard, wherever they are; those of a slice only if the target has not stored it. */
    List<String> all(String prefix) {
        List<String> all = new ArrayList<>(queue(prefix));
        for (String set : List.of("schedule", "retry", "dead", "jobs:order:" + QUEUE)) {
            all.addAll(set(prefix + set));
        }
        return all;
    }

    private static List<String> jids(List<String> payloads) {
        return payloads.stream()
                .map(payload ->
                        String.valueOf(Payload.parse(payload.getBytes(UTF_8)).jid()))
                .toList();
    }

    RedisConnections connections(int port, String prefix, Duration timeout) {
        return redis.connections(prefix, timeout, port);
    }

    @Override
    public void close() {
        redis.close();
    }
}
