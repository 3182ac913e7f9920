package dev.jobs.engine;

import dev.jobs.Internal;
import dev.jobs.threads.ThreadState;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * What an engine gets from outside: time, randomness, threads, what these may have, and a way to end the process.
 *
 * @param clock the wall clock, for times in payloads
 * @param nanoTime a monotonic clock, as {@link System#nanoTime()}, for leases and waiting
 * @param random for ids, jitter and the order of weighted queues; thread-safe
 * @param processorThreads creates the threads that run jobs, platform or virtual
 * @param outOfMemory ends the process, whose jobs then run elsewhere; called when a thread of the engine runs out of
 *     memory, in a job or anything else, after that was said on the error stream and in the log
 * @param threadStates what jobs may leave on their threads, to be taken away after each
 */
@Internal
public record EngineEnvironment(
        Clock clock,
        LongSupplier nanoTime,
        RandomGenerator random,
        ThreadFactory processorThreads,
        Consumer<OutOfMemoryError> outOfMemory,
        List<ThreadState> threadStates) {

    private static final int EXIT_CODE = 3; // what -XX:+ExitOnOutOfMemoryError uses

    public EngineEnvironment {
        threadStates = List.copyOf(threadStates);
    }

    /** Whose threads have nothing to look after but what the engine looks after itself. */
    public EngineEnvironment(
            Clock clock,
            LongSupplier nanoTime,
            RandomGenerator random,
            ThreadFactory processorThreads,
            Consumer<OutOfMemoryError> outOfMemory) {
        this(clock, nanoTime, random, processorThreads, outOfMemory, List.of());
    }

    /** The system's own clocks, platform threads, and a halt when memory runs out. */
    public static EngineEnvironment system() {
        return new EngineEnvironment(
                Clock.systemUTC(),
                System::nanoTime,
                new java.security.SecureRandom(),
                Thread::new,
                error -> Runtime.getRuntime().halt(EXIT_CODE));
    }

    /** A copy with another way to end the process. */
    public EngineEnvironment withOutOfMemory(Consumer<OutOfMemoryError> other) {
        return new EngineEnvironment(clock, nanoTime, random, processorThreads, other, threadStates);
    }

    /** A copy with another wall clock. */
    public EngineEnvironment withClock(Clock other) {
        return new EngineEnvironment(other, nanoTime, random, processorThreads, outOfMemory, threadStates);
    }

    /** A copy with other things to look after on threads. */
    public EngineEnvironment withThreadStates(List<ThreadState> states) {
        return new EngineEnvironment(clock, nanoTime, random, processorThreads, outOfMemory, states);
    }

    /** A copy with other threads for jobs. */
    public EngineEnvironment withProcessorThreads(ThreadFactory threads) {
        return new EngineEnvironment(clock, nanoTime, random, threads, outOfMemory, threadStates);
    }
}
