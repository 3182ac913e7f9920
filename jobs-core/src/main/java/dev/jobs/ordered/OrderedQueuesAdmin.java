package dev.jobs.ordered;

import dev.jobs.Internal;
import dev.jobs.Payload;
import dev.jobs.admin.Finding;
import dev.jobs.admin.QueueInfo.OrderedBy;
import dev.jobs.admin.WaitReason;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.lists.JobQueues;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.Replies;
import dev.jobs.redis.SortedQueue;
import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.ScoredValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Inspects ordered queues; {@link JobsAdmin#ordered} returns it. Thread-safe; throws what {@link JobsAdmin} throws. */
public final class OrderedQueuesAdmin {

    /** How many keys of a queue are named. */
    private static final int KEYS = 20;

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final JobQueues queues;

    @Internal
    public OrderedQueuesAdmin(RedisConnection connection, RedisKeys keys, JobQueues queues) {
        this.connection = connection;
        this.keys = keys;
        this.queues = queues;
    }

    /** The jobs that wait in the order of a queue. */
    public OrderedJobs jobs(String queue) {
        if (queue.isEmpty()) {
            throw new IllegalArgumentException("'queue' must be the name of a queue but was empty");
        }
        long waiting = queues.inOrder(List.of(queue)).getOrDefault(queue, 0L);
        SortedQueue ordered = keys.sorted(queue);
        if (waiting == 0
                || ordered == null
                || !(ordered.rule() instanceof OrderRule rule)
                || rule.by() != OrderRule.By.FAIR) {
            return new OrderedJobs(waiting, 0, List.of());
        }
        return turns(ordered, waiting);
    }

    private OrderedJobs turns(SortedQueue queue, long waiting) {
        Range<Double> turns = Range.from(Range.Boundary.excluding(0.0), Range.Boundary.unbounded());
        List<ScoredValue<byte[]>> head = connection.run(commands -> commands.zrangeWithScores(queue.set(), 0, 0));
        Long tagged = Replies.unlessWrongType(() -> connection.run(commands -> commands.zcount(queue.tags(), turns)))
                .orElse(0L);
        List<ScoredValue<byte[]>> latest = Replies.unlessWrongType(() -> connection.run(
                        commands -> commands.zrevrangebyscoreWithScores(queue.tags(), turns, Limit.create(0, KEYS))))
                .orElse(List.of());
        double present = head.isEmpty() ? 0 : Math.floor(head.get(0).getScore());
        return new OrderedJobs(
                waiting,
                tagged,
                latest.stream()
                        .map(each -> new OrderedJobs.Key(
                                Bytes.text(each.getValue()).substring(1), rounds(each.getScore() - present)))
                        .toList());
    }

    private static long rounds(double distance) {
        return 1 + (long) Math.ceil(Math.max(0, distance) / OrderRule.TURN);
    }

    /** What orders a queue; null if nothing does. */
    @Internal
    public @Nullable OrderedBy by(String queue) {
        if (!(queues.rule(queue) instanceof OrderRule rule)) {
            return null;
        }
        return switch (rule.by()) {
            case FAIR -> OrderedBy.FAIR;
            case PRIORITY -> OrderedBy.PRIORITY;
            case NONE -> OrderedBy.NONE;
        };
    }

    /** Says what decides on the turn of a job. */
    @Internal
    public WaitReason waitReason() {
        return new WaitReason() {
            @Override
            public List<Finding> turn(String queue, Payload job, long index) {
                if (!(queues.rule(queue) instanceof OrderRule rule)) {
                    return List.of();
                }
                if (index < queues.listed(queue)) {
                    return List.of(Finding.info(
                            "before-order",
                            queue,
                            "The queue " + queue + " is ordered, and this job is one of those that are taken before "
                                    + "its order counts"));
                }
                return switch (rule.by()) {
                    case PRIORITY -> List.of(priority(queue, JobOrder.priority(job)));
                    case FAIR -> List.of(turns(queue, JobOrder.key(job)));
                    case NONE -> List.of();
                };
            }
        };
    }

    private static Finding priority(String queue, int priority) {
        return Finding.info(
                "priority",
                queue,
                "The queue " + queue + " is ordered by priority, and that of this job is " + priority,
                priority);
    }

    private static Finding turns(String queue, String key) {
        return key.isEmpty()
                ? Finding.info(
                        "turns-without-key",
                        queue,
                        "In the queue " + queue + " keys take turns, and this job has none, so it shares turns with "
                                + "all others without a key")
                : Finding.info(
                        "turns",
                        queue,
                        "In the queue " + queue + " keys take turns, and that of this job is " + key,
                        key);
    }
}
