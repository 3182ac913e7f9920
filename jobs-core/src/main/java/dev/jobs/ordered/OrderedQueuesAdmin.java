package dev.jobs.ordered;

import dev.jobs.Internal;
import dev.jobs.JobOrder;
import dev.jobs.Payload;
import dev.jobs.admin.Finding;
import dev.jobs.admin.QueueInfo.OrderedBy;
import dev.jobs.admin.WaitReason;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.store.JobQueues;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Inspects ordered queues; {@link JobsAdmin#ordered} returns it. Thread-safe; throws what {@link JobsAdmin} throws. */
public final class OrderedQueuesAdmin {

    /** How many keys of a queue are named. */
    private static final int KEYS = 20;

    private final JobQueues queues;

    @Internal
    public OrderedQueuesAdmin(JobQueues queues) {
        this.queues = queues;
    }

    /** The jobs that wait in the order of a queue. */
    public OrderedJobs jobs(String queue) {
        if (queue.isEmpty()) {
            throw new IllegalArgumentException("'queue' must be the name of a queue but was empty");
        }
        if (queues.rule(queue) == null) {
            return OrderedJobs.NONE;
        }
        JobQueues.Turns turns = queues.turns(queue, KEYS);
        return new OrderedJobs(
                turns.waiting(),
                turns.keys(),
                turns.last().stream()
                        .map(each -> new OrderedJobs.Key(each.key(), each.rounds()))
                        .toList());
    }

    /** What orders a queue; null if nothing does. */
    @Internal
    public @Nullable OrderedBy by(String queue) {
        OrderRule rule = queues.rule(queue);
        return rule == null
                ? null
                : switch (rule.by()) {
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
                OrderRule rule = queues.rule(queue);
                if (rule == null) {
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
