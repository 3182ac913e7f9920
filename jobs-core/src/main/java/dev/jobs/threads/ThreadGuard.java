package dev.jobs.threads;

import dev.jobs.Internal;
import dev.jobs.codec.AnyFailure;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Keeps the threads of an engine running whatever is thrown on them. Running out of memory ends the process, which says
 * why. Everything else is logged, only once while it keeps happening, and the thread goes on. If a thread ends anyway,
 * the process is lame: it stops beating, so that others take over its jobs. Thread-safe.
 */
@Internal
public final class ThreadGuard {

    private static final Logger log = LoggerFactory.getLogger(ThreadGuard.class);

    /** How long a thread pauses after a failure that may happen again at once. */
    public static final Duration PAUSE = Duration.ofSeconds(1);

    private final Consumer<OutOfMemoryError> outOfMemory;
    private final List<ThreadState> states;
    private volatile OutOfMemoryNotice<?> notice = new OutOfMemoryNotice<Object>(thread -> null, (job, reason) -> {});
    private volatile boolean ending;
    private boolean stillEnding; // of the beats' thread alone
    private final Set<String> failing = ConcurrentHashMap.newKeySet();
    private volatile @Nullable String lame;

    /** @param outOfMemory ends the process */
    public ThreadGuard(Consumer<OutOfMemoryError> outOfMemory) {
        this(outOfMemory, List.of());
    }

    /** @param states what code may leave on a thread */
    public ThreadGuard(Consumer<OutOfMemoryError> outOfMemory, List<ThreadState> states) {
        this.outOfMemory = outOfMemory;
        this.states = states;
    }

    /** What the current thread has, to be restored after the application's code has run on it. */
    public ThreadSnapshot snapshot() {
        return ThreadSnapshot.take(states);
    }

    /** What is said before memory that ran out ends the process. */
    public void says(OutOfMemoryNotice<?> said) {
        notice = said;
    }

    /** Wraps all the work of a thread, so that its end by something thrown makes the process lame. */
    public Runnable watched(Runnable work) {
        return () -> {
            try {
                work.run();
            } catch (Throwable e) {
                lame(Thread.currentThread().getName() + " has ended", e);
            }
        };
    }

    /** The process can't go on. */
    public void lame(String what, Throwable e) {
        lame = what;
        AnyFailure.log(
                log,
                Level.ERROR,
                what + ". This process stops beating, so that others take over its jobs. Restart it",
                e);
    }

    /**
     * Something unexpected was thrown. Logged as an error once, until the work succeeds again.
     *
     * @param who names the work
     */
    public void failed(String who, Throwable e) {
        endIfOutOfMemory(e);
        Level level = failing.add(who) ? Level.ERROR : Level.DEBUG;
        AnyFailure.log(log, level, who + " failed with an unexpected error and goes on", e);
    }

    /** Something unexpected was thrown. Logged each time. */
    public void report(String line, Throwable e) {
        endIfOutOfMemory(e);
        AnyFailure.log(log, Level.ERROR, line, e);
    }

    private void endIfOutOfMemory(Throwable e) {
        OutOfMemoryError error = AnyFailure.outOfMemory(e);
        if (error != null) {
            outOfMemory(error);
        }
    }

    /** Says why, and ends the process. Until then it doesn't beat, in case that a word gets stuck. */
    public void outOfMemory(OutOfMemoryError error) {
        ending = true;
        notice.give(error);
        end(error);
        ending = false; // the application decided to go on
    }

    private void end(OutOfMemoryError error) {
        try {
            outOfMemory.accept(error);
        } catch (Throwable e) {
            lame("Memory ran out and ending the process failed", e);
        }
    }

    /**
     * Whether the process may beat. Called for each beat: if the process was about to end at the one before and is still
     * there, the thread that ends it is stuck, and this one ends it.
     */
    public boolean mayBeat() {
        if (ending && stillEnding) {
            end(new OutOfMemoryError("on another thread, which did not end the process"));
        }
        stillEnding = ending;
        return !ending && lame == null;
    }

    /** The work succeeded. */
    public void worked(String who) {
        if (!failing.isEmpty() && failing.remove(who)) {
            log.info("{} works again", who);
        }
    }

    /** Runs work on a thread that isn't the engine's own. */
    public void run(String who, Runnable work) {
        try {
            work.run();
            worked(who);
        } catch (Throwable e) {
            failed(who, e);
        }
    }

    /** Why the process has stopped beating, or null. */
    @Nullable public String lame() {
        return lame;
    }
}
