package dev.jobs.admin;

import dev.jobs.redis.JobQueues;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** What there is to see of queues. */
final class QueueReader {

    private final JobQueues queues;
    private final Clock clock;

    QueueReader(JobQueues queues, Clock clock) {
        this.queues = queues;
        this.clock = clock;
    }

    long enqueued() {
        return queues.sizes(queues.names()).values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    List<QueueInfo> all() {
        return some(queues.names().stream().sorted().toList());
    }

    SortedMap<String, Long> sizes() {
        return new TreeMap<>(queues.sizes(queues.names()));
    }

    Optional<QueueInfo> one(String queue) {
        QueueInfo info = some(List.of(queue)).get(0);
        return info.size() > 0 || info.broken() || queues.knows(queue) ? Optional.of(info) : Optional.empty();
    }

    List<QueueInfo> some(List<String> names) {
        Set<String> paused = queues.paused();
        Instant now = clock.instant();
        return queues.states(names).stream()
                .map(state -> new QueueInfo(
                        state.name(), state.size(), latency(state, now), paused.contains(state.name()), state.broken()))
                .toList();
    }

    private static Duration latency(JobQueues.State state, Instant now) {
        byte[] next = state.next();
        if (next == null) {
            return Duration.ZERO;
        }
        JobRecord job = JobRecord.inQueue("", state.cut() ? CutJob.times(next) : next);
        Instant enqueued = job.enqueuedAt();
        Instant since = enqueued != null ? enqueued : job.createdAt();
        return since == null || since.isAfter(now) ? Duration.ZERO : Duration.between(since, now);
    }

    Page<JobRecord> page(String queue, long page, int size, Order order) {
        long total = queues.size(queue);
        long shown = Math.min(page, Page.pages(total, size));
        long first = (shown - 1) * size;
        List<byte[]> stored =
                order == Order.NEWEST_FIRST ? queues.newest(queue, first, size) : queues.oldest(queue, first, size);
        return new Page<>(
                stored.stream().map(bytes -> JobRecord.inQueue(queue, bytes)).toList(), shown, size, total);
    }
}
