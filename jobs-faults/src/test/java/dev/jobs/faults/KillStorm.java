package dev.jobs.faults;

import java.time.Duration;
import java.util.List;
import java.util.Random;

/** Load on three workers, of which one at a time is killed at random and replaced. */
final class KillStorm {

    private static final int WORKERS = 3;
    private static final int BACKLOG = 500;

    private final Trial trial;
    private final WorkerSettings settings;
    private final Load load;
    private final Random random = new Random(42);
    private final int jobs;
    private final int kills;
    private final Duration shortestPause;
    private final Duration longestPause;
    private int killed;

    KillStorm(Trial trial, WorkerSettings settings) {
        this.trial = trial;
        this.settings = settings;
        this.load = new Load(trial, 42, trial.dose.of(50, 240));
        this.jobs = trial.dose.of(2_500, 100_000);
        this.kills = trial.dose.of(6, 150);
        this.shortestPause = trial.dose.of(Duration.ofMillis(600), Duration.ofMillis(1_500));
        this.longestPause = trial.dose.of(Duration.ofMillis(1_600), Duration.ofSeconds(4));
    }

    /** Continues until the dose's number of jobs and kills is reached. */
    void run() {
        for (int i = 0; i < WORKERS; i++) {
            trial.start(settings);
        }
        load.fill(BACKLOG);
        trial.awaitStarts(WORKERS);
        long nextKill = System.nanoTime() + pause();
        while (killed < kills || trial.producer.count() < jobs) {
            load.fill(BACKLOG);
            if (killed < kills && System.nanoTime() - nextKill > 0 && killOne()) {
                nextKill = System.nanoTime() + pause();
            }
        }
        trial.note("kills", killed);
    }

    private long pause() {
        return random.nextLong(shortestPause.toNanos(), longestPause.toNanos());
    }

    /** Kills a worker if it runs a job. Returns whether it did. */
    private boolean killOne() {
        List<Worker> alive = trial.alive();
        Worker victim = alive.get(random.nextInt(alive.size()));
        boolean dies = victim.killInTheMiddleOfAJob();
        if (dies) {
            trial.replace(victim);
            killed++;
        }
        return dies;
    }
}
