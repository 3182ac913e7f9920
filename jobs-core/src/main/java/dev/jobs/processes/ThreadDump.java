package dev.jobs.processes;

import dev.jobs.Internal;
import dev.jobs.Payload;
import dev.jobs.engine.Capsules;
import dev.jobs.threads.Threads;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The stacks of threads and the jobs that they run. Thread-safe. */
@Internal
public final class ThreadDump {

    private static final Logger log = LoggerFactory.getLogger(ThreadDump.class);

    private static final int MOST_FRAMES = 300;
    private static final StackTraceElement[] NO_FRAMES = {};

    private final Capsules capsules;
    private final Clock clock;

    public ThreadDump(Capsules capsules, Clock clock) {
        this.capsules = capsules;
        this.clock = clock;
    }

    /** Writes the stacks of all threads to the log, in one entry, including the engine's virtual threads. */
    public void log() {
        Map<Thread, String> jobs = new HashMap<>();
        Map<Thread, StackTraceElement[]> stacks = new HashMap<>(Thread.getAllStackTraces());
        capsules.jobs().forEach(job -> {
            Thread thread = job.runner();
            if (thread != null) {
                jobs.put(thread, " runs " + job);
            }
        });
        capsules.processors().forEach(thread -> stacks.computeIfAbsent(thread, Thread::getStackTrace));
        List<Thread> threads = new ArrayList<>(stacks.keySet());
        threads.sort(Comparator.comparing(Thread::getName));
        StringBuilder text = new StringBuilder();
        for (Thread thread : threads) {
            text.append('\n').append(thread.getName()).append(jobs.getOrDefault(thread, ""));
            for (StackTraceElement frame : stacks.getOrDefault(thread, NO_FRAMES)) {
                text.append("\n    ").append(frame);
            }
        }
        log.info("The stacks of {} threads:{}\n", stacks.size(), text);
    }

    /**
     * The stack of one running job, for user interfaces. Only the time if no job runs on that thread any more.
     *
     * @param tid Sidekiq's name of the thread
     */
    Payload ofJob(String tid) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("at", clock.millis());
        capsules.jobs().forEach(job -> {
            Thread runner = job.runner();
            if (runner != null && tid(runner).equals(tid)) {
                List<String> frames = Threads.frames(runner);
                if (job.runner() == runner) { // else these may be frames of another job
                    shown.put("jid", job.jid());
                    shown.put("thread", runner.getName());
                    shown.put("stack", frames.subList(0, Math.min(MOST_FRAMES, frames.size())));
                }
            }
        });
        return Payload.of(shown);
    }

    /** Sidekiq's name of a thread. */
    static String tid(Thread thread) {
        return Long.toString(thread.getId(), 36);
    }
}
