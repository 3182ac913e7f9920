package dev.jobs.threads;

import dev.jobs.Internal;
import dev.jobs.codec.AnyFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.slf4j.event.Level;

/** What a thread has before the application's code runs on it, to be given back to it afterwards. For that thread. */
@Internal
public final class ThreadSnapshot {

    private static final Logger log = LoggerFactory.getLogger(ThreadSnapshot.class);

    private final Thread thread = Thread.currentThread();
    private final String name = thread.getName();
    private final int priority = thread.getPriority();
    private final @Nullable ClassLoader loader = thread.getContextClassLoader();
    private final boolean interrupted = thread.isInterrupted();
    private final @Nullable Map<String, @Nullable String> mdc;
    private final List<Runnable> others = new ArrayList<>();
    private boolean failed;

    private ThreadSnapshot() {
        Map<String, @Nullable String> copy = MDC.getCopyOfContextMap();
        mdc = copy == null || copy.isEmpty() ? null : copy;
    }

    /**
     * Remembers the current thread.
     *
     * @param states what else it may have
     */
    public static ThreadSnapshot take(List<ThreadState> states) {
        ThreadSnapshot taken = new ThreadSnapshot();
        for (ThreadState state : states) {
            taken.guarded(() -> taken.others.add(state.remember()));
        }
        return taken;
    }

    /**
     * Remembers the current thread, and takes away what a thread of a worker would not have.
     *
     * @param states what else it may have
     */
    public static ThreadSnapshot takeAway(List<ThreadState> states) {
        ThreadSnapshot taken = take(states);
        states.forEach(state -> taken.guarded(state::clear));
        MDC.clear();
        return taken;
    }

    /** Makes the thread what it was. Throws nothing unless memory runs out. */
    public void restore() {
        for (int i = 0; i < others.size(); i++) { // after each job, so without an iterator
            guarded(others.get(i));
        }
        if (!interrupted) {
            Thread.interrupted();
        }
        if (thread.getContextClassLoader() != loader) {
            thread.setContextClassLoader(loader);
        }
        if (thread.getPriority() != priority) {
            thread.setPriority(priority);
        }
        if (!thread.getName().equals(name)) {
            thread.setName(name);
        }
        if (mdc == null) {
            MDC.clear();
        } else {
            MDC.setContextMap(mdc);
        }
    }

    /** Of one thread, the first failure is a line, for it may fail after each job. */
    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (Throwable e) {
            AnyFailure.passOutOfMemory(e);
            AnyFailure.log(
                    log, failed ? Level.DEBUG : Level.WARN, "What code left on this thread could not be taken away", e);
            failed = true;
        }
    }
}
