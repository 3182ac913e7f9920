package dev.jobs.threads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ProcessorThreadsTests {

    private final AtomicInteger outOfMemory = new AtomicInteger();
    private final ThreadGuard guard = new ThreadGuard(error -> outOfMemory.incrementAndGet());
    private final CountDownLatch end = new CountDownLatch(1);
    private final Semaphore running = new Semaphore(0);

    private ProcessorThreads processors(ThreadFactory factory) {
        return processors(factory, this::work);
    }

    private ProcessorThreads processors(ThreadFactory factory, Runnable work) {
        return new ProcessorThreads("jobs-mail-", 3, factory, work, () -> List.of(guard));
    }

    private void work() {
        running.release();
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @AfterEach
    void endThreads() {
        end.countDown();
    }

    @Test
    void threadsAreThereOnceTheyAreNeeded() throws Exception {
        ProcessorThreads processors = processors(Thread::new);

        processors.prepare();
        assertThat(processors.all()).isEmpty();

        processors.need(1);
        assertThat(processors.all()).extracting(Thread::getName).containsExactly("jobs-mail-1");

        processors.need(2);
        processors.need(1);
        assertThat(processors.all()).extracting(Thread::getName).containsExactly("jobs-mail-1", "jobs-mail-2");

        processors.need(9);
        assertThat(processors.all())
                .extracting(Thread::getName)
                .containsExactly("jobs-mail-1", "jobs-mail-2", "jobs-mail-3");
        running.acquire(3);
    }

    @Test
    void afterTheEndNoThreadIsStarted() {
        ProcessorThreads processors = processors(Thread::new);
        processors.prepare();
        processors.need(1);

        processors.end();
        processors.need(3);

        assertThat(processors.all()).hasSize(1);
    }

    @Test
    void aThreadThatCanNotBeStartedIsStartedLater() {
        AtomicInteger calls = new AtomicInteger();
        ProcessorThreads processors = processors(work -> {
            if (calls.incrementAndGet() == 2) {
                throw new IllegalStateException("no more threads");
            }
            return new Thread(work);
        });
        processors.prepare();

        processors.need(2);
        assertThat(processors.all()).hasSize(1);

        processors.need(2);
        assertThat(processors.all()).hasSize(2);
        assertThat(outOfMemory).hasValue(0);
    }

    @Test
    void aSystemWithoutThreadsIsOutOfMemory() {
        AtomicInteger calls = new AtomicInteger();
        ProcessorThreads processors = processors(work -> {
            if (calls.incrementAndGet() == 2) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            return new Thread(work);
        });
        processors.prepare();

        processors.need(2);

        assertThat(outOfMemory).hasValue(1);
    }

    @Test
    void theStartFailsIfNotEvenOneThreadCanBeMade() {
        ProcessorThreads processors = processors(work -> {
            throw new IllegalStateException("no threads");
        });

        assertThatThrownBy(processors::prepare).hasMessage("no threads");
    }

    @Test
    void aThreadThatEndsMakesTheProcessLame() throws Exception {
        ProcessorThreads processors = processors(Thread::new, () -> {
            throw new IllegalStateException("a fault");
        });
        processors.need(1);

        processors.all().get(0).join();

        assertThat(guard.lame()).isEqualTo("jobs-mail-1 has ended");
    }
}
