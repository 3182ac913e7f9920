package dev.jobs.faults;

import dev.jobs.assembly.RedisJobClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Many producers enqueue unique jobs with the same keys, on three workers, of which one at a time is killed and
 * replaced. A snapshot of Redis is compared with the promise again and again.
 */
final class UniqueStorm {

    private static final int KEYS = 1_000;
    private static final int PRODUCERS = 20;
    private static final int WORKERS = 3;
    private static final long SNAPSHOT_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Trial trial;
    private final WorkerSettings settings;
    private final Random random = new Random(62);
    private final int kills;
    private final Duration shortestPause;
    private final Duration longestPause;
    private final Map<String, String> keys = new ConcurrentHashMap<>();
    private final AtomicInteger duplicates = new AtomicInteger();
    private final List<String> wrong = new ArrayList<>();
    private int snapshots;
    private int mostHeld;
    private int killed;
    private volatile boolean ended;
    private volatile @Nullable Throwable failure;

    UniqueStorm(Trial trial, WorkerSettings settings) {
        this.trial = trial;
        this.settings = settings;
        this.kills = trial.dose.of(6, 150);
        this.shortestPause = trial.dose.of(Duration.ofMillis(500), Duration.ofMillis(800));
        this.longestPause = trial.dose.of(Duration.ofMillis(1_300), Duration.ofMillis(2_200));
    }

    /** Continues until the dose's number of kills is reached, and returns when no producer enqueues any more. */
    void run() {
        for (int i = 0; i < WORKERS; i++) {
            trial.start(settings);
        }
        List<Thread> producers = new ArrayList<>();
        for (int i = 0; i < PRODUCERS; i++) {
            Random own = new Random(random.nextLong());
            Thread producer = new Thread(() -> produce(own), "producer-" + i);
            producer.start();
            producers.add(producer);
        }
        try {
            trial.awaitStarts(WORKERS);
            long nextKill = System.nanoTime() + pause();
            while (killed < kills && failure == null) {
                look();
                if (System.nanoTime() - nextKill > 0 && killOne()) {
                    nextKill = System.nanoTime() + pause();
                }
                LockSupport.parkNanos(SNAPSHOT_NANOS);
            }
        } finally {
            ended = true;
            producers.forEach(UniqueStorm::join);
        }
        if (failure != null) {
            throw new AssertionError("A producer failed", failure);
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private void produce(Random own) {
        try (RedisJobClient client = trial.producer.another()) {
            while (!ended) {
                enqueue(client, own);
                LockSupport.parkNanos(own.nextLong(10_000_000, 40_000_000));
            }
        } catch (Throwable e) {
            failure = e;
        }
    }

    private void enqueue(RedisJobClient client, Random own) {
        String key = "key-" + own.nextInt(KEYS);
        int dice = own.nextInt(10);
        var unique = client.unique(key).queue(dice < 5 ? "default" : "low");
        long millis = 5L + own.nextInt(trial.dose.of(50, 100));
        // One key has one name: the name is part of the lock.
        String jid = dice == 0
                ? unique.in(Duration.ofMillis(own.nextInt(1_500))).enqueue("FailOnce", millis)
                : unique.enqueue("FailOnce", millis);
        if (jid == null) {
            duplicates.incrementAndGet();
        } else {
            trial.producer.accepted(jid);
            keys.put(jid, key);
        }
    }

    /** The key of each accepted job, by its id. */
    Map<String, String> keys() {
        return keys;
    }

    /** The calls that stored nothing. */
    int duplicates() {
        return duplicates.get();
    }

    /** What was wrong in any of the snapshots. */
    List<String> wrong() {
        return wrong;
    }

    private void look() {
        LockSnapshot snapshot = LockSnapshot.take(trial.redis);
        snapshots++;
        mostHeld = Math.max(mostHeld, snapshot.held);
        wrong.addAll(snapshot.wrong.subList(0, Math.min(5, snapshot.wrong.size())));
    }

    /** Notes the figures of this scenario. */
    void note() {
        trial.note("kills", killed);
        trial.note("unique_duplicates", duplicates.get());
        trial.note("snapshots", snapshots);
        trial.note("most_held", mostHeld);
    }

    private long pause() {
        return random.nextLong(shortestPause.toNanos(), longestPause.toNanos());
    }

    /** Kills a worker that runs a job. Returns false if there is none. */
    private boolean killOne() {
        List<Worker> busy = trial.alive().stream().filter(Worker::runsAJob).toList();
        if (busy.isEmpty()) {
            return false;
        }
        Worker victim = busy.get(random.nextInt(busy.size()));
        if (!victim.killInTheMiddleOfAJob()) {
            return false;
        }
        trial.replace(victim);
        killed++;
        return true;
    }
}
