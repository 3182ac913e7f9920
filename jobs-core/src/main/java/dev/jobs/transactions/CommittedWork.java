package dev.jobs.transactions;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.codec.AnyFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Does what committed transactions left to do, on threads of its own that end when they are idle, so that no shard uses
 * up another's time. While a transaction ends, its thread still holds the connection to the database: it waits for the
 * work only as long as the shard answers. What fails goes on later, in its order. Thread-safe.
 */
@Internal
public final class CommittedWork implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(CommittedWork.class);

    private static final long IDLE_SECONDS = 10;
    private static final long PAUSE_MILLIS = 100;

    /** How many transactions of one shard send at once. */
    private static final int THREADS = 16;

    /**
     * How often a thread looks whether its work is done, and how often before the shard counts as silent: longer than a
     * healthy server takes, and so short that others who need a connection to the database hardly notice. The first
     * answer may take longer, since a connection has to be opened: then that goes on without the transaction. Looks are
     * counted, not time: on a busy machine they come late, as answers do.
     */
    private static final long LOOK_MILLIS = 5;

    private static final int LOOKS = 10;

    /** How many jobs may wait for one shard, and how many kilobytes of them. */
    private static final int ROOM = 65_536;

    private final Duration timeout;
    private final Duration patience;
    private final LongSupplier nanoTime;
    private final Look look;

    /** Of all that follows. */
    private final Lock lock = new ReentrantLock();

    private final Condition ended = lock.newCondition();

    /** By the name of the shard. */
    private final Map<String, Line> lines = new HashMap<>();

    private boolean closed;

    /** What waits for one shard. */
    private static final class Line {

        private final ThreadPoolExecutor first = threads(THREADS);
        private final ThreadPoolExecutor repeats = threads(1);
        private final Semaphore room = new Semaphore(ROOM, true);
        private int left;
        private final AtomicLong answers = new AtomicLong();
        private volatile long answered;
        private volatile boolean silent;
        private final SentAgain sentAgain;

        private Line(SentAgain sentAgain, long now) {
            this.sentAgain = sentAgain;
            this.answered = now;
        }

        private static ThreadPoolExecutor threads(int most) {
            ThreadPoolExecutor threads = new ThreadPoolExecutor(
                    most, most, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                        Thread made = new Thread(task, "jobs-client-commit");
                        made.setDaemon(true);
                        return made;
                    });
            threads.allowCoreThreadTimeOut(true);
            return threads;
        }
    }

    /** What transactions leave to do. */
    public enum Unit {
        JOB("job", "jobs"),
        BATCH("batch", "batches");

        private final String one;
        private final String many;

        Unit(String one, String many) {
            this.one = one;
            this.many = many;
        }

        public String counted(int count) {
            return count + " " + (count == 1 ? one : many);
        }
    }

    /** Looks whether work is done, and waits for it so long at most. */
    @FunctionalInterface
    interface Look {
        boolean isDone(CountDownLatch done, long millis) throws InterruptedException;
    }

    /** Work that was begun. */
    public final class Begun {

        private final Line line;
        private final CountDownLatch done = new CountDownLatch(1);

        private Begun(Line line) {
            this.line = line;
        }

        /** Waits until it is done, as long as the shard answers. */
        public void await() {
            long answers = line.answers.get();
            try {
                for (int looks = 0; !line.silent && !look.isDone(done, LOOK_MILLIS); looks++) {
                    if (line.answers.get() != answers) {
                        answers = line.answers.get();
                        looks = 0;
                    } else if (looks >= LOOKS - 1) {
                        line.silent = true;
                        log.debug("Redis has not answered for a moment, and transactions do not wait until it does");
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * @param timeout of one call
     * @param patience how long work is repeated after its commit, and how long {@link #close} waits for it
     */
    public CommittedWork(Duration timeout, Duration patience) {
        this(timeout, patience, System::nanoTime, (done, millis) -> done.await(millis, TimeUnit.MILLISECONDS));
    }

    /**
     * @param nanoTime by which a shard is silent
     * @param look by which transactions wait
     */
    CommittedWork(Duration timeout, Duration patience, LongSupplier nanoTime, Look look) {
        this.look = look;
        this.timeout = timeout;
        this.patience = patience;
        this.nanoTime = nanoTime;
    }

    /** How long work may be repeated. */
    public Duration patience() {
        return patience;
    }

    /** How long one call may take. */
    Duration timeout() {
        return timeout;
    }

    /** Waits before work is repeated. Returns false if the client closes. */
    public static boolean pause() {
        try {
            Thread.sleep(PAUSE_MILLIS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private Line line(String shard) {
        return lines.computeIfAbsent(
                shard, none -> new Line(new SentAgain(shard, patience, nanoTime), nanoTime.getAsLong()));
    }

    /** A shard has answered, so that it is worth waiting for. */
    public void answered(String shard) {
        lock.lock();
        try {
            Line line = line(shard);
            line.answers.incrementAndGet();
            line.answered = nanoTime.getAsLong();
            line.silent = false;
            line.sentAgain.answered();
        } finally {
            lock.unlock();
        }
    }

    /**
     * A shard did not take some, which have to be sent again. If it gave no answer, nobody waits for it until it does.
     * Each has to {@link #ended end}.
     */
    public void failed(String shard, Unit unit, int count, JobStoreException failure) {
        lock.lock();
        try {
            Line line = line(shard);
            line.sentAgain.failed(unit, count, failure);
            line.silent |= failure.isAway();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Some of those that {@link #failed} are stored or given up.
     *
     * @param lost how many of them are given up
     */
    public void ended(String shard, Unit unit, int count, int lost) {
        lock.lock();
        try {
            line(shard).sentAgain.ended(unit, count, lost);
        } finally {
            lock.unlock();
        }
    }

    /** Whether a shard has answered nothing for the timeout of a call, though there is work for it. */
    public boolean isSilent(String shard) {
        lock.lock();
        try {
            Line line = line(shard);
            return line.left > 0 && nanoTime.getAsLong() - line.answered > timeout.toNanos();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes room for the jobs of a transaction; waits for it as long as the shard answers. One that needs more than there
     * is takes all: its jobs are in memory anyway.
     *
     * @return what has to be given back; 0 if there is no room
     */
    int takeRoom(String shard, int jobs, long bytes) {
        int wanted = (int) Math.min(ROOM, Math.max(jobs, bytes / 1_024 + 1));
        Semaphore room = room(shard);
        try {
            boolean silent;
            do {
                silent = isSilent(shard); // then there is room or there is none: the caller holds a connection
                if (room.tryAcquire(wanted, silent ? 0 : timeout.toNanos() / LOOKS, TimeUnit.NANOSECONDS)) {
                    return wanted;
                }
            } while (!silent);
            return 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 0;
        }
    }

    void giveRoom(String shard, int taken) {
        room(shard).release(taken);
    }

    private Semaphore room(String shard) {
        lock.lock();
        try {
            return line(shard).room;
        } finally {
            lock.unlock();
        }
    }

    /** Runs work for a shard at once; what it throws is logged. On the caller's thread if this was closed. */
    public Begun begin(String shard, Runnable work) {
        return begin(shard, work, true);
    }

    /** The same after what waits to be repeated, which nobody waits for. */
    public void later(String shard, Runnable work) {
        begin(shard, work, false);
    }

    private Begun begin(String shard, Runnable work, boolean first) {
        Begun begun;
        lock.lock();
        try {
            Line line = line(shard);
            begun = new Begun(line);
            if (line.left++ == 0) {
                line.answered = nanoTime.getAsLong(); // before, there was nothing to answer
            }
            if (!closed) {
                (first ? line.first : line.repeats).execute(() -> {
                    guarded(work);
                    end(begun);
                });
                return begun;
            }
        } finally {
            lock.unlock();
        }
        guarded(work);
        end(begun);
        return begun;
    }

    private void end(Begun begun) {
        begun.done.countDown();
        lock.lock();
        try {
            begun.line.left--;
            ended.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private static void guarded(Runnable work) {
        try {
            work.run();
        } catch (Throwable e) {
            AnyFailure.log(log, Level.ERROR, "Work of a committed transaction failed", e);
            AnyFailure.passOutOfMemory(e);
        }
    }

    /** Waits until the work is done, at most for the patience. */
    public void awaitDone() {
        long left = patience.toNanos();
        lock.lock();
        try {
            while (lines.values().stream().anyMatch(line -> line.left > 0)) {
                if (left <= 0) {
                    log.debug("Work of committed transactions is left");
                    return;
                }
                left = ended.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until the work is done, at most for the patience. */
    @Override
    public void close() {
        long deadline = System.nanoTime() + patience.toNanos();
        List<ThreadPoolExecutor> all = new ArrayList<>();
        lock.lock();
        try {
            closed = true;
            lines.values().forEach(line -> all.addAll(List.of(line.first, line.repeats)));
        } finally {
            lock.unlock();
        }
        all.forEach(ThreadPoolExecutor::shutdown);
        try {
            for (ThreadPoolExecutor each : all) {
                if (!each.awaitTermination(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                    giveUp(each);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            all.forEach(CommittedWork::giveUp);
        }
        lock.lock();
        try {
            lines.values().forEach(line -> line.sentAgain.close());
        } finally {
            lock.unlock();
        }
    }

    /** Work that has not begun yet runs here: its time is over, and it says which jobs are not stored. */
    private static void giveUp(ThreadPoolExecutor threads) {
        threads.shutdownNow().forEach(Runnable::run);
    }
}
