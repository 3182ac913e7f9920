package dev.jobs.faults;

import dev.jobs.faults.WorkerSettings.Program;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * A queue is transferred from one Redis to another, with workers on both, while clients enqueue to both. The process
 * that transfers it and the workers are killed in turn and replaced.
 */
final class TransferStorm implements AutoCloseable {

    static final String QUEUE = "moved";

    /** The file that says that no more jobs come to the source. */
    static final String ENOUGH = "enough";

    private static final int WORKERS = 2;
    private static final int BULK = 1_000;
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LOAD_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final Trial source;
    private final Trial target;
    private final WorkerSettings settings;
    private final Random random = new Random(73);
    private final int jobs;
    private final int kills;
    private final int backlog;
    private final int shortest;
    private final int mostSlices;
    private final List<Worker> transferrers = new ArrayList<>();
    /** The number of the slice at which the present process is killed. */
    private long goal;

    private int killed;
    private int killedTransferrers;
    private int cutSlices;

    TransferStorm(Trial source, Trial target, String sourceUri, String targetUri) {
        this.source = source;
        this.target = target;
        this.settings = WorkerSettings.of(sourceUri, QUEUE).withUri(sourceUri + " " + targetUri);
        this.jobs = source.dose.of(10_000, 100_000);
        this.kills = source.dose.of(10, 20);
        this.backlog = source.dose.of(1_000, 10_000);
        this.shortest = source.dose.of(20, 10);
        this.mostSlices = source.dose.of(15, 60);
        fill();
        for (int i = 0; i < WORKERS; i++) {
            source.start(settings.withUri(sourceUri));
            target.start(settings.withUri(targetUri));
        }
        source.awaitAllRegistered();
        target.awaitAllRegistered();
    }

    /** Jobs that wait in the source, a tenth of which fail once, and some that are scheduled. */
    private void fill() {
        for (int left = jobs; left > 0; left -= BULK) {
            source.producer.enqueueAll(QUEUE, left % (10 * BULK) == 0 ? "FailOnce" : "Work", millis(BULK));
            source.producer.enqueueAllIn(Duration.ofSeconds(1 + random.nextInt(30)), QUEUE, "Work", millis(BULK / 100));
        }
    }

    private List<List<Object>> millis(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> List.<Object>of(shortest + random.nextInt(6 * shortest)))
                .toList();
    }

    /** Continues until the dose's number of kills is reached and nothing is left in the source. */
    void run() {
        startTransferrer();
        long nextKill = System.nanoTime() + pause();
        long nextLoad = System.nanoTime();
        while (killed < kills) {
            if (System.nanoTime() - nextLoad > 0) {
                load();
                nextLoad = System.nanoTime() + LOAD_NANOS;
            }
            if (System.nanoTime() - nextKill > 0 && killOne()) {
                nextKill = System.nanoTime() + pause();
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
        source.release(ENOUGH);
        if (!transferrer().awaitEnd(PATIENCE)) {
            throw new AssertionError("The transfer did not end, see " + source.directory);
        }
        source.note("kills", killed);
        source.note("killed_transferrers", killedTransferrers);
        source.note("cut_slices", cutSlices);
        source.note("moved", moved());
    }

    /**
     * Clients whose configuration is old, which leave the transfer something to do, and others: only while the target
     * isn't behind, or the jobs would become more and more as long as this waits for a process to start.
     */
    private void load() {
        if (target.queued() > jobs) {
            return;
        }
        source.producer.enqueueAll(QUEUE, "Work", millis(source.queued() < backlog ? BULK : 3));
        target.producer.enqueueAll(QUEUE, "Work", millis(5));
        target.producer.enqueueAll(QUEUE, "FailOnce", millis(1));
    }

    private Worker transferrer() {
        return transferrers.get(transferrers.size() - 1);
    }

    private void startTransferrer() {
        transferrers.add(Worker.start(
                1_000 + transferrers.size(),
                settings.withProgram(Program.TRANSFER),
                source.directory,
                WorkerJvm.command()));
        goal = slices() + 1 + random.nextInt(mostSlices);
    }

    /** The number of the last slice that was taken. */
    private long slices() {
        String number = source.redis.hget("jobs:outgoing:" + QUEUE, "number");
        return number == null ? 0 : Long.parseLong(number);
    }

    /** How many jobs the target has stored of the transfer, by what the last process said. */
    long moved() {
        return transferrer().said().stream()
                .filter(line -> line.startsWith(Transferrer.FINISHED))
                .mapToLong(line -> Long.parseLong(line.substring(Transferrer.FINISHED.length())))
                .findFirst()
                .orElse(-1);
    }

    /** How often a kill left jobs between the two. */
    int cutSlices() {
        return cutSlices;
    }

    private long pause() {
        return random.nextLong(TimeUnit.MILLISECONDS.toNanos(100), TimeUnit.MILLISECONDS.toNanos(600));
    }

    /** Kills the process that transfers the queue, if it is at work, or a worker that runs a job. Returns whether it did. */
    private boolean killOne() {
        if (killed % 2 == 0) {
            if (slices() < goal) {
                return false;
            }
            transferrer().kill();
            cutSlices += source.redis.exists("jobs:slice:" + QUEUE) > 0 ? 1 : 0;
            startTransferrer();
            killedTransferrers++;
        } else {
            Trial side = random.nextBoolean() ? source : target;
            List<Worker> alive = side.alive();
            Worker victim = alive.get(random.nextInt(alive.size()));
            if (!victim.killInTheMiddleOfAJob()) {
                return false;
            }
            side.replace(victim);
        }
        killed++;
        return true;
    }

    @Override
    public void close() {
        transferrers.forEach(Worker::close);
    }
}
