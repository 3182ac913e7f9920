package dev.jobs.faults;

import static org.awaitility.Awaitility.await;

import dev.jobs.assembly.RedisJobClient;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/**
 * Jobs of many keys with a rate, on three workers. Once each key has begun, the workers are killed one at a time, the
 * leader among them.
 */
final class RateStorm {

    /** How many of a key may start in a period, and at once after a quiet time. */
    static final int RATE = 2;

    static final int BURST = 2;

    private static final int JOBS_OF_A_KEY = 5;
    private static final int WORKERS = 3;

    private final Trial trial;
    private final WorkerSettings settings;
    private final int keys;
    private final int kills;
    private final Duration period;
    private final Random random = new Random(59);
    private final Map<String, String> keyOfJob = new HashMap<>();
    private final Map<String, Instant> enqueued = new HashMap<>();
    private Instant firstKill = Instant.MAX;

    RateStorm(Trial trial, WorkerSettings settings) {
        this.trial = trial;
        this.settings = settings;
        this.keys = trial.dose.of(150, 10_000);
        this.kills = trial.dose.of(3, 20);
        this.period = trial.dose.of(Duration.ofSeconds(4), Duration.ofSeconds(60));
    }

    Duration period() {
        return period;
    }

    /** The time between two starts of a key whose burst is used up. */
    Duration every() {
        return period.dividedBy(RATE);
    }

    /** Returns when all jobs have run. */
    void run() {
        trial.redis.hset("jobs:limits", "s:api", "- " + RATE + " " + period.toMillis() * 1_000 + " " + BURST);
        trial.startAll(WORKERS, settings);
        try (RedisJobClient client = trial.producer.another()) {
            for (int i = 0; i < keys; i++) {
                enqueue(client, "key " + i);
            }
        }
        awaitFinished(keys * (BURST + 1)); // so all bursts are over
        firstKill = Instant.now();
        for (int i = 0; i < kills; i++) {
            List<Worker> alive = trial.alive();
            Worker victim = alive.get(random.nextInt(alive.size()));
            victim.kill();
            trial.replace(victim);
            LockSupport.parkNanos(trial.dose
                    .of(settings.lease().dividedBy(2), settings.lease())
                    .toNanos());
        }
        awaitFinished(keys * JOBS_OF_A_KEY);
    }

    private void enqueue(RedisJobClient client, String key) {
        enqueued.put(key, Instant.now());
        for (String jid : client.queue("default")
                .limit("api", key)
                .enqueueAll("Work", Collections.nCopies(JOBS_OF_A_KEY, List.of(1)))) {
            trial.producer.accepted(jid);
            keyOfJob.put(jid, key);
        }
    }

    private void awaitFinished(int jobs) {
        await().pollInterval(Duration.ofMillis(500))
                .until(() -> trial.executions().stream()
                                .filter(Execution::finished)
                                .map(Execution::jid)
                                .distinct()
                                .count()
                        >= jobs);
    }

    /** When jobs of each key started, in order. */
    Map<String, List<Instant>> starts() {
        Map<String, List<Instant>> starts = new HashMap<>();
        for (Execution each : trial.executions()) {
            String key = keyOfJob.get(each.jid());
            if (key != null) {
                starts.computeIfAbsent(key, first -> new ArrayList<>()).add(each.started());
            }
        }
        starts.values().forEach(Collections::sort);
        return starts;
    }

    /** When the first job of a key was about to be enqueued. */
    Instant enqueued(String key) {
        return enqueued.get(key);
    }

    /** When the first worker was killed. */
    Instant firstKill() {
        return firstKill;
    }

    int keys() {
        return keys;
    }

    int kills() {
        return kills;
    }
}
