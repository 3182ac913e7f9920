package dev.jobs.threads;

import dev.jobs.Internal;
import dev.jobs.codec.AnyFailure;
import dev.jobs.codec.OneLine;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * What a process says before it ends because memory ran out: on the error stream, in the log, and in Redis for the dead
 * set, in this order. Each may fail for lack of memory, and then the next has its turn. Thread-safe.
 *
 * @param <J> a job, whose text names it
 */
@Internal
public final class OutOfMemoryNotice<J> {

    private static final Logger log = LoggerFactory.getLogger(OutOfMemoryNotice.class);

    /** Freed first, so that there is memory for what is said. */
    private static final int RESERVE = 256 * 1_024;

    private static final long OTHERS_SECONDS = 2;

    private static final byte[] WITHOUT_MEMORY =
            "Memory ran out on a thread of Jobs, so this process ends\n".getBytes(StandardCharsets.US_ASCII);

    private final Function<Thread, @Nullable J> running;
    private final BiConsumer<J, String> note;
    private final ReentrantLock turn = new ReentrantLock();
    private final AtomicReference<byte @Nullable []> reserve = new AtomicReference<>(new byte[RESERVE]);

    /**
     * @param running the job that a thread runs, if any
     * @param note keeps the reason for the dead set, where the job may end up; takes a second at most
     */
    public OutOfMemoryNotice(Function<Thread, @Nullable J> running, BiConsumer<J, String> note) {
        this.running = running;
        this.note = note;
    }

    /** Throws nothing. While another thread gives it, waits for that one for a moment. */
    void give(OutOfMemoryError error) {
        try {
            if (!turn.tryLock(OTHERS_SECONDS, TimeUnit.SECONDS)) {
                return;
            }
        } catch (Throwable e) {
            return;
        }
        try {
            write(error);
        } finally {
            turn.unlock();
        }
    }

    private void write(OutOfMemoryError error) {
        reserve.set(null);
        J job = null;
        String line = null;
        try {
            job = running.apply(Thread.currentThread());
            line = line(error, job);
            System.err.println(line);
        } catch (Throwable e) {
            System.err.write(WITHOUT_MEMORY, 0, WITHOUT_MEMORY.length);
        }
        System.err.flush();
        try {
            AnyFailure.log(log, Level.ERROR, line == null ? "Memory ran out, so this process ends" : line, error);
        } catch (Throwable e) {
            // the stream has it
        }
        if (job != null) {
            try {
                note.accept(job, error.toString());
            } catch (Throwable e) {
                // then the dead set will not say why
            }
        }
    }

    private static String line(OutOfMemoryError error, @Nullable Object job) {
        String thread = OneLine.of(Thread.currentThread().getName());
        String where = job == null ? "on thread " + thread : "in job " + job + " on thread " + thread;
        return "Memory ran out " + where + ": " + OneLine.of(error.toString())
                + ". This process ends at once; its jobs run again, elsewhere or after its restart";
    }
}
