package dev.jobs.faults;

import dev.jobs.assembly.RedisJobClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Jobs of many keys, with limits of 1, 2 and 5, on three workers, of which one at a time is killed, stopped or frozen
 * past its lease. Redis is compared with the promise again and again.
 */
final class LimitStorm {

    /** How many jobs of a key may run at once, by the name of the limit. */
    static final Map<String, Integer> LIMITS = Map.of("storm-1", 1, "storm-2", 2, "storm-5", 5);

    private static final int KEYS = 50;
    private static final int WORKERS = 3;
    private static final int BACKLOG = 400;
    private static final long SNAPSHOT_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Trial trial;
    private final WorkerSettings settings;
    private final RedisJobClient client;
    private final Random random = new Random(19);
    private final int faults;
    private final Duration shortestPause;
    private final Duration longestPause;
    private final Map<String, String> limitIds = new HashMap<>();
    private final Map<Worker, Long> frozen = new HashMap<>();
    private final Map<String, Integer> counts = new HashMap<>();
    private final List<String> wrong = new ArrayList<>();
    private int mostParked;

    LimitStorm(Trial trial, WorkerSettings settings) {
        this.trial = trial;
        this.settings = settings;
        this.client = trial.producer.another();
        this.faults = trial.dose.of(8, 150);
        this.shortestPause = trial.dose.of(Duration.ofMillis(500), Duration.ofMillis(800));
        this.longestPause = trial.dose.of(Duration.ofMillis(1_300), Duration.ofMillis(2_200));
    }

    /** Continues until the dose's number of faults is reached, and returns when no worker is frozen any more. */
    void run() {
        LIMITS.forEach(this::set);
        for (int i = 0; i < WORKERS; i++) {
            trial.start(settings);
        }
        fill();
        trial.awaitStarts(WORKERS);
        long next = System.nanoTime() + pause();
        for (int done = 0; done < faults; ) {
            fill();
            look();
            thawDue();
            if (System.nanoTime() - next > 0 && strike(done)) {
                next = System.nanoTime() + pause();
                done++;
            }
            LockSupport.parkNanos(SNAPSHOT_NANOS);
        }
        while (!frozen.isEmpty()) {
            thawDue();
            look();
            LockSupport.parkNanos(SNAPSHOT_NANOS);
        }
        LIMITS.forEach(this::set);
        client.close();
    }

    private void set(String limit, int permits) {
        trial.redis.hset("jobs:limits", "s:" + limit, Integer.toString(permits));
    }

    /** Enqueues what is missing from the backlog, once: workers may be faster than this process. */
    private void fill() {
        for (long i = trial.queued() + LimitSnapshot.take(trial.redis).parked; i < BACKLOG; i++) {
            enqueue();
        }
    }

    /** Some keys have many jobs, most have few. */
    private void enqueue() {
        String limit = List.copyOf(LIMITS.keySet()).get(random.nextInt(LIMITS.size()));
        String key = "key-" + (int) (KEYS * random.nextDouble() * random.nextDouble());
        String name = random.nextInt(10) == 0 ? "FailOnce" : "Work";
        String jid = client.queue(random.nextBoolean() ? "default" : "low")
                .limit(limit, key)
                .enqueue(name, 5L + random.nextInt(trial.dose.of(60, 120)));
        trial.producer.accepted(jid);
        limitIds.put(jid, limit + "/" + key);
    }

    private void look() {
        LimitSnapshot snapshot = LimitSnapshot.take(trial.redis);
        mostParked = Math.max(mostParked, snapshot.parked);
        wrong.addAll(snapshot.wrong.subList(0, Math.min(5, snapshot.wrong.size())));
    }

    /** Harms a worker that runs a job. Returns false if there is none. */
    private boolean strike(int number) {
        List<Worker> busy = trial.alive().stream()
                .filter(worker -> !frozen.containsKey(worker))
                .filter(Worker::runsAJob)
                .toList();
        if (busy.isEmpty()) {
            return false;
        }
        Worker victim = busy.get(random.nextInt(busy.size()));
        String next = List.of("kills", "stops", "kills", "freezes").get(number % 4);
        // Only the first time at which a worker was gone is noted.
        String fault = next.equals("freezes") && victim.diedAt() != null ? "kills" : next;
        if (!victim.freezeInTheMiddleOfAJob()) {
            return false;
        }
        counts.merge(fault, 1, Integer::sum);
        switch (fault) {
            case "kills" -> {
                victim.kill();
                trial.replace(victim);
            }
            case "stops" -> {
                victim.terminate();
                victim.thaw();
                trial.replace(victim);
            }
            default -> {
                victim.freezeForGood();
                frozen.put(
                        victim,
                        System.nanoTime() + settings.lease().multipliedBy(2).toNanos());
            }
        }
        return true;
    }

    private void thawDue() {
        frozen.entrySet().removeIf(each -> {
            boolean due = System.nanoTime() - each.getValue() > 0;
            if (due) {
                each.getKey().thaw();
            }
            return due;
        });
    }

    /** The limit and key of each accepted job, by its id. */
    Map<String, String> limitIds() {
        return limitIds;
    }

    /** What was wrong in any of the snapshots. */
    List<String> wrong() {
        return wrong;
    }

    int mostParked() {
        return mostParked;
    }

    /** Notes the figures of this scenario. */
    void note() {
        counts.forEach(trial::note);
        trial.note("most_parked", mostParked);
    }

    private long pause() {
        return random.nextLong(shortestPause.toNanos(), longestPause.toNanos());
    }
}
