package dev.jobs.limits;

import dev.jobs.Internal;
import dev.jobs.redis.Bytes;
import dev.jobs.store.JobClaims.Request;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a claim tells {@code claim.lua} of queues with limits, and what it answers. */
@Internal
public final class QueuePermits {

    private static final byte[] BEGIN = Bytes.of("queue_limits");

    /** Where the list of full queues stands in the answer. */
    private static final int FULL = 8;

    private QueuePermits() {}

    /**
     * Appends the limits to all other keys and arguments but those of effects; nothing if there are none.
     *
     * @param queues those that the script knows by their numbers
     */
    public static void append(
            Request request, List<String> queues, LimitKeys limitKeys, List<byte[]> keys, List<byte[]> arguments) {
        LimitedQueues limited = request.limited();
        if (request.want() == 0 || limited.limits().isEmpty()) {
            return;
        }
        arguments.add(BEGIN);
        arguments.add(Bytes.of(keys.size() + 1));
        arguments.add(Bytes.of(limited.limits().size()));
        arguments.add(Bytes.of(limited.most()));
        keys.add(limitKeys.limits());
        keys.add(limitKeys.wake());
        keys.add(limitKeys.permitted(request.incarnation()));
        for (QueueLimit each : limited.limits()) {
            Integer most = each.most();
            arguments.add(Bytes.of(queues.indexOf(each.queue()) + 1));
            arguments.add(Bytes.of(most == null ? "" : most.toString()));
            keys.add(limitKeys.permits(QueueLimit.nameOf(each.queue())));
        }
    }

    /** The queues without room; null if the answer doesn't say. */
    public static @Nullable FullQueues full(List<Object> answer, List<String> queues) {
        if (answer.size() <= FULL) {
            return null;
        }
        List<String> full = new ArrayList<>();
        List<String> broken = new ArrayList<>();
        for (Object index : Bytes.list(answer.get(FULL))) {
            int number = (int) Bytes.number(index);
            (number > 0 ? full : broken).add(queues.get(Math.abs(number) - 1));
        }
        return new FullQueues(full, broken);
    }
}
