package dev.jobs.engine;

import java.time.Clock;
import java.util.concurrent.ThreadFactory;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * What an engine gets from outside: time, randomness, threads and the end of the process.
 *
 * @param clock the wall clock, for times in payloads
 * @param nanoTime a clock that only goes forward, as {@link System#nanoTime()}, for leases and waiting
 * @param random for ids, jitter and the order of weighted queues; thread-safe
 * @param processorThreads makes the threads that run jobs, platform or virtual ones
 * @param outOfMemory called when memory ran out on a thread of the engine, in a job or anything else: ends the process, whose jobs then run
 *     elsewhere
 */
public record EngineEnvironment(
        Clock clock,
        LongSupplier nanoTime,
        RandomGenerator random,
        ThreadFactory processorThreads,
        Runnable outOfMemory) {

    private static final int EXIT_CODE = 3; // what -XX:+ExitOnOutOfMemoryError uses

    /** The system's own clocks, platform threads, and a halt when memory runs out. */
    public static EngineEnvironment system() {
        return new EngineEnvironment(
                Clock.systemUTC(),
                System::nanoTime,
                new java.security.SecureRandom(),
                Thread::new,
                () -> Runtime.getRuntime().halt(EXIT_CODE));
    }

    /** The same with another end of the process. */
    EngineEnvironment withOutOfMemory(Runnable other) {
        return new EngineEnvironment(clock, nanoTime, random, processorThreads, other);
    }

    /** The same with other threads for jobs. */
    public EngineEnvironment withProcessorThreads(ThreadFactory threads) {
        return new EngineEnvironment(clock, nanoTime, random, threads, outOfMemory);
    }
}
