package dev.jobs.spring.autoconfigure.limits;

import dev.jobs.Internal;
import dev.jobs.JobDefinition;
import dev.jobs.spring.autoconfigure.checks.PropertyRules;

/**
 * A limit on how many jobs of a queue run at once, over all workers, whatever jobs they are.
 *
 * @param concurrency Number of jobs of the queue that may run at once, 1 to 1000000. To stop a queue, pause it.
 */
@Internal
public record QueueLimitProperties(int concurrency) {

    public void check(String queue, PropertyRules rules) {
        rules.within("queue-limits[" + queue + "].concurrency", concurrency, 1, 1_000_000)
                .check(
                        "queue-limits[" + queue + "]",
                        queue,
                        JobDefinition.QUEUE_NAME.matcher(queue).matches(),
                        "must be the name of a queue: 1 to 128 letters, digits or characters of _.:-");
    }
}
