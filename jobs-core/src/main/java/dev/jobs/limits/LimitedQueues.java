package dev.jobs.limits;

import dev.jobs.Internal;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.ClaimGate;
import java.util.List;

/**
 * Those queues of a claim that have limits of their own.
 *
 * @param limits at least one, each with its number of permits
 * @param most how many jobs to claim at most from all of them together
 */
@Internal
public record LimitedQueues(List<QueueLimit> limits, int most) implements ClaimGate {

    private static final byte[] KIND = Bytes.of("queue_limits");

    @Override
    public void addTo(
            String incarnation, List<String> queues, RedisKeys keys, List<byte[]> all, List<byte[]> arguments) {
        LimitKeys limitKeys = new LimitKeys(keys);
        arguments.add(KIND);
        arguments.add(Bytes.of(all.size() + 1));
        arguments.add(Bytes.of(limits.size()));
        arguments.add(Bytes.of(most));
        all.add(limitKeys.limits());
        all.add(limitKeys.wake());
        all.add(limitKeys.permitted(incarnation));
        for (QueueLimit each : limits) {
            Integer own = each.most();
            arguments.add(Bytes.of(queues.indexOf(each.queue()) + 1));
            arguments.add(Bytes.of(own == null ? "" : own.toString()));
            all.add(limitKeys.permits(QueueLimit.nameOf(each.queue())));
        }
    }
}
