package dev.jobs.faults;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Three short-lived workers: each is killed soon after its first job, unless a job ends it before, and is replaced at
 * once. A worker that may be as old as its lease is asked to stop instead: it may run a suspect, which its death would
 * rightly bury.
 */
final class CrashLoop {

    private static final int WORKERS = 3;
    private static final Duration POLL = Duration.ofMillis(20);
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private final Trial trial;
    private final WorkerSettings settings;
    private final Duration shortest;
    private final Duration longest;
    private final Random random = new Random(34);
    private final List<Life> lives;
    private int crashes;
    private int kills;
    private int stops;

    /**
     * @param shortest the least time that a worker lives after it started its first job
     * @param longest the longest such time
     */
    CrashLoop(Trial trial, WorkerSettings settings, Duration shortest, Duration longest) {
        this.trial = trial;
        this.settings = settings;
        this.shortest = shortest;
        this.longest = longest;
        this.lives = Stream.generate(() -> new Life(trial.start(settings)))
                .limit(WORKERS)
                .collect(Collectors.toList());
    }

    private final class Life {

        private final Worker worker;
        private long bornAfter = System.nanoTime();
        private long span = settings.lease().toNanos();
        private boolean atWork;

        Life(Worker worker) {
            this.worker = worker;
        }

        /** Ends the worker when its time is over. Returns whether it lives on. */
        boolean goesOn() {
            if (!worker.isAlive()) {
                crashes++;
                return false;
            }
            long now = System.nanoTime();
            if (!worker.hasBegun()) {
                bornAfter = now;
            } else if (!atWork && !worker.executions().isEmpty()) {
                atWork = true;
                long life = now - bornAfter + random.nextLong(shortest.toNanos(), longest.toNanos());
                span = Math.min(life, span - span / 10); // a start may take long
            }
            if (now - bornAfter < span) {
                return true;
            }
            end();
            return false;
        }

        private void end() {
            try {
                worker.freeze(); // or it could reach the age of a lease between the check and its death
                if (System.nanoTime() - bornAfter < settings.lease().toNanos()) {
                    worker.kill();
                    kills++;
                } else {
                    worker.thaw();
                    worker.terminate();
                    stops++;
                }
            } catch (IllegalStateException e) {
                if (!worker.awaitEnd(PATIENCE)) { // otherwise a job has just ended it
                    throw e;
                }
                crashes++;
            }
        }
    }

    /** Continues until this number of workers has ended. */
    void rage(int ends) {
        await().atMost(Duration.ofHours(1)).pollInterval(POLL).until(() -> {
            lives.replaceAll(life -> life.goesOn() ? life : new Life(trial.start(settings)));
            return crashes + kills + stops >= ends;
        });
        trial.note("kills", kills);
        trial.note("stops", stops);
    }

    /** Lets workers live until the condition holds, and replaces those that a job ends. */
    void calm(BooleanSupplier until) {
        await().atMost(Duration.ofHours(1)).pollInterval(POLL).until(() -> {
            boolean isOver = until.getAsBoolean(); // checked first, so that no worker is missing afterwards
            lives.replaceAll(life -> life.worker.isAlive() ? life : new Life(trial.start(settings)));
            return isOver;
        });
    }
}
