package dev.jobs.limiters;

import dev.jobs.JobsException;
import java.time.Duration;

/**
 * Limits what all processes on one Redis do together: how often, or how many at once. Usable in jobs and everywhere
 * else. With Spring, a bean of this type is there.
 *
 * <pre>{@code
 * @Component
 * class Invoices {
 *
 *     private final Limiter erp;
 *
 *     Invoices(Limiters limiters) {
 *         erp = limiters.bucket("erp", 10, Duration.ofSeconds(1)); // 10 calls a second
 *     }
 *
 *     @Job("export-invoice")
 *     void export(long id) {
 *         erp.run(() -> client.send(id));
 *     }
 * }
 * }</pre>
 *
 * <p>What is limited is one piece of code inside a block, not the whole job. If there is no room, an
 * {@link OverLimitException} is thrown, which lets a job come back later; a caller may also
 * {@linkplain Limiter#waitAtMost wait}. Redis' clock counts, and each use is one call to Redis.
 *
 * <p>A limiter is known by its kind and its name, wherever in the code and in which process it was made; making one
 * calls nothing. Give a name only one size: processes with different ones each go by their own. A size that was set at
 * run time, with {@code JobsAdmin.limiters()}, wins over that of the code.
 *
 * <p>Names have 1 to 200 characters, none of them a control character. A name may end with a colon and a key, such as
 * {@code shop:5}, for one limiter each; metrics take all limiters with the same text before the first colon together.
 *
 * <p>All methods throw a {@link JobsException} if a name, size or time is not allowed. Thread-safe.
 */
public interface Limiters {

    /** The kinds of limiters. */
    enum Kind {
        CONCURRENT,
        BUCKET,
        WINDOW,
        LEAKY,
        POINTS
    }

    /**
     * At most so many at once.
     *
     * @param max 1 to 10,000
     */
    ConcurrentLimiter concurrent(String name, int max);

    /**
     * At most so many in each second, minute, hour or day of the clock (UTC). At the turn of a period twice as many may
     * follow each other closely.
     *
     * @param most 1 to 1,000,000,000
     * @param period exactly a second, a minute, an hour or a day
     */
    Limiter bucket(String name, int most, Duration period);

    /**
     * At most so many in any period, wherever it begins. Redis keeps the time of each use, some 11 bytes.
     *
     * @param most 1 to 10,000
     * @param period 1 ms to 31 days
     */
    Limiter window(String name, int most, Duration period);

    /**
     * So many at once, and then as many as drain: a bucket that leaks evenly, and is empty after the given time if
     * nothing is added. In any time <em>t</em> at most {@code size + size * t / drain}.
     *
     * @param size 1 to 1,000,000,000
     * @param drain 1 ms to 31 days
     */
    Limiter leaky(String name, int size, Duration drain);

    /**
     * Points that are used up and refilled evenly, for interfaces whose calls have different costs.
     *
     * @param size how many points there are at most, 1 to 1,000,000,000
     * @param refillPerSecond more than 0, at most 1,000,000; has to fill all points within 31 days
     */
    PointsLimiter points(String name, long size, double refillPerSecond);
}
