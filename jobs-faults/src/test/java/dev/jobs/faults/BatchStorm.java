package dev.jobs.faults;

import dev.jobs.faults.WorkerSettings.Program;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** Batches on three workers while one process fills them; one of the four at a time is killed and replaced. */
final class BatchStorm implements AutoCloseable {

    /** The file of the filler. */
    static final String FILLED = "filled";

    private static final int WORKERS = 3;

    /** One of so many kills hits the filler, beginning with the first. */
    private static final int FILLERS_TURN = 2;

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final Trial trial;
    private final WorkerSettings settings;
    private final Random random = new Random(57);
    private final Path filled;
    private final int kills;
    private final Duration shortestPause;
    private final Duration longestPause;
    private final List<Worker> fillers = new ArrayList<>();
    private int killed;
    private int killedFillers;

    BatchStorm(Trial trial, WorkerSettings settings) {
        this.trial = trial;
        this.settings = settings.withProgram(Program.ENGINE_WITH_BATCHES);
        this.filled = trial.directory.resolve(FILLED);
        this.kills = trial.dose.of(8, 150);
        this.shortestPause = trial.dose.of(Duration.ofMillis(500), Duration.ofMillis(1_500));
        this.longestPause = trial.dose.of(Duration.ofMillis(1_300), Duration.ofSeconds(4));
    }

    /** Continues until all batches are filled and the dose's number of kills is reached. */
    void run() {
        for (int i = 0; i < WORKERS; i++) {
            trial.start(settings);
        }
        startFiller();
        boolean atWork = false;
        long nextKill = System.nanoTime();
        while (killed < kills || isFilling()) {
            if (isFilling() && !filler().isAlive()) { // it ends if Redis doesn't answer in time
                startFiller();
            }
            if (!atWork) {
                atWork = trial.executions().size() >= WORKERS;
                nextKill = System.nanoTime() + pause();
            } else if (killed < kills && System.nanoTime() - nextKill > 0 && killOne()) {
                nextKill = System.nanoTime() + pause();
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        trial.note("kills", killed);
        trial.note("killed_fillers", killedFillers);
    }

    private boolean isFilling() {
        return BatchFiller.filled(filled) < BatchFiller.count(trial.dose);
    }

    private Worker filler() {
        return fillers.get(fillers.size() - 1);
    }

    private void startFiller() {
        List<String> jvm = new ArrayList<>(WorkerJvm.command());
        jvm.add("-Djobs.faults.dose=" + trial.dose);
        fillers.add(
                Worker.start(1_000 + fillers.size(), settings.withProgram(Program.BATCH_FILLER), trial.directory, jvm));
    }

    private long pause() {
        return random.nextLong(shortestPause.toNanos(), longestPause.toNanos());
    }

    /** Returns false if it is a worker's turn and none runs a job yet. */
    private boolean killOne() {
        boolean isFillersTurn = killed % FILLERS_TURN == 0;
        boolean dies = isFillersTurn && isFilling() ? killFiller() : killWorker(random.nextInt(WORKERS));
        killed += dies ? 1 : 0;
        return dies;
    }

    private boolean killFiller() {
        filler().kill();
        startFiller();
        killedFillers++;
        return true;
    }

    /** Kills that worker or another one that runs a job; a worker without jobs only when no more jobs are added. */
    private boolean killWorker(int preferred) {
        List<Worker> alive = trial.alive();
        Optional<Worker> hit = Stream.concat(Stream.of(alive.get(preferred)), alive.stream())
                .filter(Worker::killInTheMiddleOfAJob)
                .findFirst();
        if (hit.isEmpty() && !isFilling()) {
            hit = Optional.of(alive.get(preferred));
            hit.get().kill();
        }
        hit.ifPresent(trial::replace);
        return hit.isPresent();
    }

    @Override
    public void close() {
        fillers.forEach(Worker::close);
    }
}
