package dev.jobs.dashboard.live;

import dev.jobs.admin.Finding;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Findings that are asked for once for all callers within a moment, on a thread of its own that ends with the answer:
 * what they are about may be a database that makes its callers wait for a long time, and nobody waits for that longer
 * than for a page. Meanwhile, the last ones count. Thread-safe.
 */
final class LastFindings {

    private final Supplier<List<Finding>> asking;
    private final Duration lasts;
    private final Clock clock;
    private final ThreadFactory threads;

    // Guarded by this.
    private @Nullable List<Finding> found;
    private long foundAt;
    private @Nullable FutureTask<List<Finding>> underWay;

    /** @param lasts for how long an answer counts, from when it came */
    LastFindings(Supplier<List<Finding>> asking, Duration lasts, Clock clock, ThreadFactory threads) {
        this.asking = asking;
        this.lasts = lasts;
        this.clock = clock;
        this.threads = threads;
    }

    /**
     * The findings, or the last ones; none if there was no answer yet.
     *
     * @param patience how long the caller waits if it is the one who asks, or if nothing is known
     */
    List<Finding> get(Duration patience) {
        FutureTask<List<Finding>> answer;
        synchronized (this) {
            List<Finding> known = found;
            long age = clock.millis() - foundAt;
            if (known != null && (underWay != null || age >= 0 && age < lasts.toMillis())) {
                return known;
            }
            answer = underWay == null ? begin() : underWay;
        }
        try {
            return answer.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException failure ? failure : new IllegalStateException(e.getCause());
        } catch (TimeoutException e) {
            return last();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return last();
        }
    }

    private FutureTask<List<Finding>> begin() {
        FutureTask<List<Finding>> begun = new FutureTask<>(this::ask);
        threads.newThread(begun).start();
        underWay = begun; // only now: the thread might not have started
        return begun;
    }

    private List<Finding> ask() {
        try {
            List<Finding> answer = asking.get();
            synchronized (this) {
                found = answer;
                foundAt = clock.millis();
            }
            return answer;
        } finally {
            synchronized (this) {
                underWay = null;
            }
        }
    }

    private synchronized List<Finding> last() {
        List<Finding> known = found;
        return known == null ? List.of() : known;
    }
}
