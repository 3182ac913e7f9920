package dev.jobs.ordered;

import dev.jobs.Payload;
import dev.jobs.lists.JobQueues;
import dev.jobs.lists.JobSets;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.EffectSource;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.TestPushes;
import dev.jobs.testing.RedisFixture;
import dev.jobs.trash.JobTrash;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Ordered queues by three rules, for tests: "fair", "mail" by priority, and "old", which is ordered no longer. */
final class OrderedQueueBed implements AutoCloseable {

    private static final OrderRules RULES = new OrderRules(Map.of(
            "fair", OrderRule.fair(Map.of("big", 3)),
            "mail", OrderRule.priority(Duration.ofMinutes(1)),
            "old", OrderRule.none()));

    final ScriptTestBed bed;
    /** A process that knows of no ordered queues. */
    final RedisKeys plain = new RedisKeys("");

    final TestPushes pushes;
    final JobQueues queues;
    final JobSets sets;
    private final RedisFixture redis;

    OrderedQueueBed(RedisFixture redis) {
        this.redis = redis;
        this.bed = new ScriptTestBed(redis, redis.connections(new RedisKeys("", RULES), Duration.ofSeconds(60)));
        this.pushes = pushes(bed.keys);
        this.queues = new JobQueues(bed.connection, bed.keys);
        this.sets = bed.sets();
    }

    /** Pushes as a process does that knows these ordered queues. */
    TestPushes pushes(RedisKeys keys) {
        return new TestPushes(bed.connection, keys, Duration.ofSeconds(5));
    }

    JobTrash trash() {
        return new JobTrash(bed.connection, bed.keys, JobTrash.Bounds.standard(), EffectSource.NONE);
    }

    static byte[] job(String jid) {
        return job(jid, "", 0);
    }

    static byte[] job(String jid, String key, int priority) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("class", "A");
        members.put("args", List.of());
        members.put("jid", jid);
        if (!key.isEmpty()) {
            members.put("order_key", key);
        }
        if (priority != 0) {
            members.put("priority", priority);
        }
        return Payload.of(members).bytes();
    }

    /** So many jobs of a key, called KEY1, KEY2 and so on. */
    static List<byte[]> jobs(String key, int count) {
        return IntStream.rangeClosed(1, count)
                .mapToObj(i -> job(key + i, key, 0))
                .toList();
    }

    static String jid(byte[] job) {
        return String.valueOf(Payload.parse(job).jid());
    }

    static List<String> jids(List<Claimed> claimed) {
        return claimed.stream().map(each -> jid(each.payload())).toList();
    }

    List<String> inSet(String queue) {
        return redis.bytes().zrange(bed.keys.order(queue), 0, -1).stream()
                .map(OrderedQueueBed::jid)
                .toList();
    }

    List<String> inList(String queue) {
        List<String> jids = new ArrayList<>(redis.bytes().lrange(bed.keys.queue(queue), 0, -1).stream()
                .map(OrderedQueueBed::jid)
                .toList());
        Collections.reverse(jids);
        return jids;
    }

    static List<String> read(List<byte[]> jobs) {
        return jobs.stream().map(OrderedQueueBed::jid).toList();
    }

    @Override
    public void close() {
        bed.connection.close();
    }
}
