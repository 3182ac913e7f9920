package dev.jobs.spring.autoconfigure.transactions;

import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.scheduler.Schedulers;

/** Warns once of a thread that must not wait and enqueues jobs. Refusing that would end what works on most days. */
final class EventLoopWarning implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(EventLoopWarning.class);

    private final AtomicBoolean said = new AtomicBoolean();

    @Override
    public void run() {
        if (Schedulers.isInNonBlockingThread() && said.compareAndSet(false, true)) {
            log.warn(
                    "A thread that must not block ({}) enqueues jobs with JobClient, and waits for Redis meanwhile: what "
                            + "else it serves stands still. Use ReactiveJobClient there. This is said once",
                    Thread.currentThread().getName());
        }
    }
}
