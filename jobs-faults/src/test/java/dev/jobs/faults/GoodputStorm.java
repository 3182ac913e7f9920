package dev.jobs.faults;

import dev.jobs.JobClient;
import dev.jobs.assembly.RedisJobClient;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A rate that four keys use up for some time, on two workers. Of the first key many jobs expire while they wait, of the
 * second one many are cancelled, of the third one each job replaces the one before it, and all jobs of the fourth one
 * run. There are always more jobs that want to run than may start.
 */
final class GoodputStorm {

    /** The key whose jobs all run: what the machine and the engine make of a rate in this run. */
    static final String PLAIN = "plain";

    static final Set<String> KEYS = Set.of("expiry", "cancel", "replace", PLAIN);

    /** How many jobs of a key may start in a second. */
    static final int RATE = 20;

    private static final int WORKERS = 2;
    private static final int SPIKE = 300;
    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final Duration EXPIRES_IN = Duration.ofSeconds(2);

    private final Trial trial;
    private final WorkerSettings settings;
    private final Duration lasts;
    private final Map<String, String> keyOfJob = new ConcurrentHashMap<>();
    private final Map<String, Long> mostParked = new TreeMap<>();
    private final Set<Long> startsWithAVersion = new HashSet<>();
    private Instant begun = Instant.MIN;
    private Instant ended = Instant.MAX;
    private long mostReplaced;

    GoodputStorm(Trial trial, WorkerSettings settings) {
        this.trial = trial;
        this.settings = settings;
        this.lasts = trial.dose.of(Duration.ofSeconds(12), Duration.ofMinutes(3));
    }

    /** Returns when no more jobs are enqueued. */
    void run() {
        trial.redis.hset("jobs:limits", "s:api", "- " + RATE + " 1000000 " + RATE);
        trial.startAll(WORKERS, settings);
        try (RedisJobClient client = trial.producer.another()) {
            begun = Instant.now();
            enqueue("expiry", client.expiresIn(EXPIRES_IN), SPIKE);
            cancel(client, enqueue("cancel", client, SPIKE));
            enqueue(PLAIN, client, SPIKE);
            long next = System.nanoTime();
            for (int tick = 0; Duration.between(begun, Instant.now()).compareTo(lasts) < 0; tick++) {
                next += TICK_NANOS;
                enqueueVersion(client);
                if (tick % 5 == 0) {
                    enqueue("expiry", client.expiresIn(EXPIRES_IN), 4);
                    cancel(client, enqueue("cancel", client, 8).subList(0, 4));
                    enqueue(PLAIN, client, 2);
                    look();
                }
                LockSupport.parkNanos(next - System.nanoTime());
            }
            ended = Instant.now();
            cancel(
                    client,
                    keyOfJob.entrySet().stream()
                            .filter(each -> Set.of("cancel", PLAIN).contains(each.getValue()))
                            .map(Map.Entry::getKey)
                            .toList());
        }
    }

    private List<String> enqueue(String key, JobClient client, int count) {
        List<String> jids =
                client.queue("default").limit("api", key).enqueueAll("Work", Collections.nCopies(count, List.of(1)));
        jids.forEach(jid -> keyOfJob.put(jid, key));
        return jids;
    }

    private void enqueueVersion(RedisJobClient client) {
        String jid = client.queue("default")
                .limit("api", "replace")
                .unique("the only one")
                .with("unique_conflict", "replace")
                .with("unique_until", "start")
                .enqueue("Work", 1);
        keyOfJob.put(jid, "replace");
        startsWithAVersion.add(Duration.between(begun, Instant.now()).toMillis() * RATE / 1000);
    }

    private static void cancel(RedisJobClient client, List<String> jids) {
        jids.forEach(client::cancel);
    }

    private void look() {
        Map<String, Long> parked = new HashMap<>();
        for (String member : trial.redis.zrange("jobs:parked:api", 0, -1)) {
            parked.merge(member.substring(0, member.indexOf('\n')), 1L, Long::sum);
        }
        parked.forEach((key, count) -> mostParked.merge(key, count, Math::max));
        for (String twin : trial.redis.keys("jobs:twin:*")) {
            mostReplaced = Math.max(mostReplaced, trial.redis.hlen(twin));
        }
    }

    /** For how long there were more jobs of each key than could start. */
    Duration lasted() {
        return Duration.between(begun, ended);
    }

    /** For which part of the starts that the rate allows a version was enqueued, since a busy machine holds up the producer. */
    double enqueuedInTime() {
        return Math.min(1, startsWithAVersion.size() / (lasted().toMillis() * RATE / 1e3));
    }

    /** How many jobs of each key ran in that time. */
    Map<String, Long> ran() {
        Map<String, Long> ran = new TreeMap<>();
        KEYS.forEach(key -> ran.put(key, 0L));
        for (Execution each : trial.executions()) {
            String key = keyOfJob.get(each.jid());
            if (key != null && each.started().isBefore(ended)) {
                ran.merge(key, 1L, Long::sum);
            }
        }
        return ran;
    }

    /** The most parked jobs of a key at any time. */
    long mostParked(String key) {
        return mostParked.getOrDefault(key, 0L);
    }

    /** The most fields of what is stored about the job that the next one replaces. */
    long mostReplaced() {
        return mostReplaced;
    }
}
