package dev.jobs.engine;

import dev.jobs.redis.Claims;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A group of queues with a fetcher and as many processors as jobs may run at once. */
final class Capsule {

    private static final Logger log = LoggerFactory.getLogger(Capsule.class);

    private final CapsuleConfig config;
    private final Fetcher fetcher;
    private final Thread fetching;
    private final BlockingQueue<Optional<ClaimedJob>> ready = new LinkedBlockingQueue<>();
    private final List<Thread> processors = new ArrayList<>();

    /** @param line its number among the capsules of the process */
    Capsule(CapsuleConfig config, int line, Shared shared, Claims claims, JobRunner runner) {
        this.config = config;
        this.fetcher = new Fetcher(config, line, shared, claims, job -> ready.add(Optional.of(job)));
        this.fetching = new Thread(fetcher, "jobs-" + config.name() + "-fetcher");
        for (int i = 1; i <= config.concurrency(); i++) {
            Thread thread =
                    shared.environment().processorThreads().newThread(new Processor(ready, fetcher, runner, shared));
            thread.setName("jobs-" + config.name() + "-processor-" + i);
            processors.add(thread);
        }
    }

    void start() {
        processors.forEach(Thread::start);
        fetching.start();
    }

    CapsuleConfig config() {
        return config;
    }

    Fetcher fetcher() {
        return fetcher;
    }

    /** Interrupts what still runs of the jobs that were handed back, and waits for its threads a little. */
    void interrupt(List<ClaimedJob> running) {
        running.forEach(ClaimedJob::interrupt);
    }

    /** Ends the processors; those that don't come back in time are left behind, with a line that shows what they do. */
    void endProcessors(Duration grace) {
        ready.add(Optional.empty());
        long deadline = System.nanoTime() + grace.toNanos();
        for (Thread processor : processors) {
            Duration left = Duration.ofNanos(Math.max(1, deadline - System.nanoTime()));
            if (!Threads.join(processor, left)) {
                log.warn(
                        "{} ignores its interruption and is left behind; its job was handed back and runs elsewhere, so this is a "
                                + "duplicate from here on. It is at\n    {}",
                        processor.getName(),
                        String.join("\n    ", frames(processor)));
            }
        }
    }

    /** Ends the fetcher once all is settled, or without that when patience ends. */
    void endFetcher(Duration patience) {
        fetcher.end();
        if (!Threads.join(fetching, patience)) {
            fetcher.abandon();
            Threads.join(fetching, patience);
        }
    }

    static List<String> frames(Thread thread) {
        List<String> frames = new ArrayList<>();
        for (StackTraceElement frame : thread.getStackTrace()) {
            frames.add(frame.toString());
        }
        return frames;
    }
}
