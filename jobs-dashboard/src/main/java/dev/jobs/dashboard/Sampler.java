package dev.jobs.dashboard;

import dev.jobs.JobStoreException;
import dev.jobs.admin.Finding;
import dev.jobs.admin.JobsAdmin;
import dev.jobs.admin.QueueInfo;
import dev.jobs.admin.Stats;
import dev.jobs.admin.Workforce;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the numbers that all viewers share: every two seconds while there are viewers, otherwise only on request, and
 * never more often, regardless of the number of viewers. Thread-safe.
 */
final class Sampler {

    private static final Logger log = LoggerFactory.getLogger(Sampler.class);

    static final Duration INTERVAL = Duration.ofSeconds(2);
    /** A little less than the interval, so that an early tick doesn't get the previous numbers. */
    private static final Duration FRESH = INTERVAL.multipliedBy(3).dividedBy(4);

    private static final Duration WARNINGS_LAST = Duration.ofSeconds(10);
    private static final int QUEUES_SHOWN = 50;
    private static final int POINTS = 150;

    /** The numbers of one moment. */
    record Live(
            long at,
            long processed,
            long failed,
            long enqueued,
            long scheduled,
            long retries,
            long dead,
            long busy,
            int processes,
            @Nullable Double processedRate,
            @Nullable Double failedRate,
            int queueCount,
            List<QueueView> queues) {}

    /** A queue. */
    record QueueView(String name, long size, long latency, boolean paused, boolean broken, int workers) {

        static QueueView of(QueueInfo queue, Workforce workforce) {
            return new QueueView(
                    queue.name(),
                    queue.size(),
                    queue.latency().toMillis(),
                    queue.paused(),
                    queue.broken(),
                    workforce.workers(queue.name()));
        }
    }

    private final JobsAdmin admin;
    private final Clock clock;
    private final LiveStream stream;

    private final BriefCache<Live> latest;

    // Guarded by this.
    private @Nullable Live before;
    private final Deque<List<Object>> recent = new ArrayDeque<>();
    private List<Finding> warnings = List.of();
    private long warnedAt = Long.MIN_VALUE;

    Sampler(JobsAdmin admin, Clock clock, LiveStream stream) {
        this.admin = admin;
        this.clock = clock;
        this.stream = stream;
        this.latest = new BriefCache<>(this::read, FRESH, clock);
    }

    /** Opens a stream of the numbers to the sender of a request. */
    void open(HttpServletRequest request, HttpServletResponse response) {
        stream.open(request, response, ServerSentEvents.first(event()));
    }

    /** Sends the numbers to all viewers, if there are any. Never throws. */
    void tick() {
        if (stream.hasViewers()) {
            stream.send(event());
        }
    }

    private byte[] event() {
        try {
            return ServerSentEvents.event("live", Json.bytes(latest()));
        } catch (JobStoreException e) {
            return down(Problem.redis(e));
        } catch (RuntimeException e) {
            log.warn("The dashboard has no live numbers for now", e);
            return down(new Problem(500, "internal", "The numbers can't be read; the log says why"));
        }
    }

    private static byte[] down(Problem problem) {
        return ServerSentEvents.event("down", Json.bytes(Map.of("code", problem.code(), "message", problem.text())));
    }

    /** The numbers, at most two seconds old. */
    Live latest() {
        return latest.get();
    }

    /**
     * The latest points of the chart: time, processed and failed jobs per second, busy, enqueued; none older than the
     * chart's span.
     */
    synchronized List<List<Object>> recent() {
        long now = clock.millis();
        recent.removeIf(point -> now - (Long) point.get(0) > POINTS * INTERVAL.toMillis());
        return List.copyOf(recent);
    }

    /** Problems that cause no error, at most ten seconds old. */
    synchronized List<Finding> warnings() {
        long now = clock.millis();
        if (warnedAt == Long.MIN_VALUE || now - warnedAt >= WARNINGS_LAST.toMillis() || now < warnedAt) {
            warnings = admin.warnings();
            warnedAt = now;
        }
        return warnings;
    }

    private Live read() {
        Live read = read(clock.millis());
        note(read);
        return read;
    }

    private synchronized void note(Live read) {
        before = read;
        if (recent.size() == POINTS) {
            recent.removeFirst();
        }
        if (read.processedRate() != null && read.failedRate() != null) {
            recent.addLast(List.of(read.at(), read.processedRate(), read.failedRate(), read.busy(), read.enqueued()));
        }
    }

    private synchronized @Nullable Live before() {
        return before;
    }

    private Live read(long now) {
        Live before = before();
        Stats stats = admin.stats();
        Workforce workforce = admin.processes().workforce();
        Map<String, Long> sizes = admin.queues().sizes();
        // the next job of a queue is read only for the queues shown
        List<String> largest = sizes.entrySet().stream()
                .sorted(QueuesApi.LARGEST_FIRST)
                .limit(QUEUES_SHOWN)
                .map(Map.Entry::getKey)
                .toList();
        return new Live(
                now,
                stats.processed(),
                stats.failed(),
                stats.enqueued(),
                stats.scheduled(),
                stats.retries(),
                stats.dead(),
                stats.busy(),
                stats.processes(),
                before == null ? null : rate(stats.processed() - before.processed(), now - before.at()),
                before == null ? null : rate(stats.failed() - before.failed(), now - before.at()),
                sizes.size(),
                admin.queues().named(largest).stream()
                        .map(queue -> QueueView.of(queue, workforce))
                        .toList());
    }

    /** Per second; null after a reset or a long pause, when it is meaningless. */
    private static @Nullable Double rate(long difference, long millis) {
        boolean fresh = millis > 0 && millis <= 5 * INTERVAL.toMillis();
        return difference < 0 || !fresh ? null : Math.round(difference * 10_000.0 / millis) / 10.0;
    }
}
