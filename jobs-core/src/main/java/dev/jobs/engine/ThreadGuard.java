package dev.jobs.engine;

import dev.jobs.codec.AnyFailure;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Keeps the threads of an engine at work whatever is thrown on them. Memory that runs out ends the process. Everything else is logged, once
 * while it happens again and again, and the thread goes on. If one ends all the same, the process is lame: it gives no more signs of life,
 * so that others take over its jobs. Thread-safe.
 */
final class ThreadGuard {

    private static final Logger log = LoggerFactory.getLogger(ThreadGuard.class);

    /** How long a thread does nothing after a failure that may come again at once. */
    static final Duration PAUSE = Duration.ofSeconds(1);

    private final Runnable outOfMemory;
    private final Set<String> failing = ConcurrentHashMap.newKeySet();
    private volatile @Nullable String lame;

    /** @param outOfMemory ends the process */
    ThreadGuard(Runnable outOfMemory) {
        this.outOfMemory = outOfMemory;
    }

    /** All the work of a thread. That it ends by something thrown is noted. */
    Runnable watched(Runnable work) {
        return () -> {
            try {
                work.run();
            } catch (Throwable e) {
                lame(Thread.currentThread().getName() + " has ended", e);
            }
        };
    }

    private void lame(String what, Throwable e) {
        lame = what;
        AnyFailure.log(
                log,
                Level.ERROR,
                what + ". This process gives no more signs of life, so that others take over its jobs. Restart it",
                e);
    }

    /**
     * Something unexpected was thrown.
     *
     * @param who whose work it cut short
     */
    void failed(String who, Throwable e) {
        endIfOutOfMemory(e);
        Level level = failing.add(who) ? Level.ERROR : Level.DEBUG;
        AnyFailure.log(log, level, who + " ran into an unexpected error, and goes on", e);
    }

    /** Something unexpected was thrown, which is logged each time. */
    void report(String line, Throwable e) {
        endIfOutOfMemory(e);
        AnyFailure.log(log, Level.ERROR, line, e);
    }

    private void endIfOutOfMemory(Throwable e) {
        if (AnyFailure.outOfMemory(e) != null) {
            outOfMemory();
        }
    }

    /** Memory ran out: ends the process. */
    void outOfMemory() {
        try {
            outOfMemory.run();
        } catch (Throwable e) {
            lame("Memory ran out, and the process can't be ended", e);
        }
    }

    /** Its work was not cut short. */
    void worked(String who) {
        if (!failing.isEmpty() && failing.remove(who)) {
            log.info("{} works again", who);
        }
    }

    /** A piece of work on a thread that isn't the engine's own. */
    void run(String who, Runnable work) {
        try {
            work.run();
            worked(who);
        } catch (Throwable e) {
            failed(who, e);
        }
    }

    /** Why the process can't be relied on, or null. */
    @Nullable String lame() {
        return lame;
    }
}
