package dev.jobs.benchmarks.driver;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The work of the jobs: counts them, records their times, and keeps them busy if they should take a while. Thread-safe.
 */
public final class Tally {

    private static final OperatingSystemMXBean PROCESS =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private final int expected;
    private final Duration work;
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger done = new AtomicInteger();
    private final CountDownLatch all = new CountDownLatch(1);
    private final Map<Long, Long> entered = new ConcurrentHashMap<>();
    private volatile long firstNanos;
    private volatile long firstCpu;
    private volatile long lastNanos;
    private volatile long lastCpu;

    /** @param expected the number of jobs */
    public Tally(int expected) {
        this(expected, Duration.ZERO);
    }

    /**
     * @param expected the number of jobs
     * @param work how long each of them waits
     */
    public Tally(int expected, Duration work) {
        this.expected = expected;
        this.work = work;
    }

    /** The method of a job that is not timed was entered. */
    public void ran() {
        if (begun.incrementAndGet() == 1) {
            firstCpu = PROCESS.getProcessCpuTime();
            firstNanos = System.nanoTime();
        }
        if (!work.isZero()) {
            Pauses.pause(work);
        }
        if (done.incrementAndGet() == expected) {
            lastNanos = System.nanoTime();
            lastCpu = PROCESS.getProcessCpuTime();
            all.countDown();
        }
    }

    /** The method of a job was entered, which has this number among its {@link Arguments}. */
    public void ran(long number) {
        if (number != Arguments.NOT_TIMED) {
            entered.putIfAbsent(number, System.nanoTime());
        }
        ran();
    }

    public int count() {
        return done.get();
    }

    /** Waits for all jobs. Returns whether all ran. */
    public boolean await(long seconds) throws InterruptedException {
        return all.await(seconds, TimeUnit.SECONDS);
    }

    /** The time from the beginning of the first job to the end of the last. */
    public long nanos() {
        return lastNanos - firstNanos;
    }

    /** The processor time that this process used in that time. */
    public long cpuNanos() {
        return lastCpu - firstCpu;
    }

    /** When the last job was done, by {@link System#nanoTime}. */
    public long lastNanos() {
        return lastNanos;
    }

    /** When each timed job was entered, by {@link System#nanoTime}. */
    public Map<Long, Long> entered() {
        return Map.copyOf(entered);
    }
}
