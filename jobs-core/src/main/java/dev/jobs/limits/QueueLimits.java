package dev.jobs.limits;

import dev.jobs.Internal;
import dev.jobs.engine.ClaimLine;
import dev.jobs.engine.ClaimedJob;
import dev.jobs.engine.HeldJobs;
import dev.jobs.store.ClaimGate;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows which queues have limits of their own, by configuration or because people set one, and which of them are full
 * just now: pushes to those need not wake anybody. Thread-safe.
 */
@Internal
public final class QueueLimits {

    private static final Logger log = LoggerFactory.getLogger(QueueLimits.class);

    private final Map<String, Integer> own;

    /** For which people set limits, by the last heartbeat. */
    private volatile Set<String> set = Set.of();

    /** All that ever had limits: jobs of these may hold permits. */
    private final Set<String> ever = ConcurrentHashMap.newKeySet();

    private final Set<String> full = ConcurrentHashMap.newKeySet();
    private final Set<String> broken = ConcurrentHashMap.newKeySet();

    /** @param own how many jobs of a queue may run at once by the configuration */
    QueueLimits(Map<String, Integer> own) {
        this.own = Map.copyOf(own);
        ever.addAll(own.keySet());
    }

    /** People set limits for these queues, and for no others. */
    public void set(Collection<String> queues) {
        if (!set.equals(Set.copyOf(queues))) {
            ever.addAll(queues);
            set = Set.copyOf(queues);
            full.removeIf(queue -> !isLimited(queue));
        }
    }

    /** Whether a queue has a limit now. */
    boolean isLimited(String queue) {
        return own.containsKey(queue) || set.contains(queue);
    }

    /** Whether a job may hold a permit of its queue's limit. */
    boolean mayHold(ClaimedJob job) {
        return !ever.isEmpty() && ever.contains(job.queue());
    }

    /**
     * How many jobs of queues with limits the next exchange may claim. They count as running from then on until they
     * are settled, so a capsule holds no more of them than it can run at once.
     *
     * @param held what the capsule holds
     * @param batch what the exchange settles
     * @param underWay may bring some as well; null if none is
     */
    private int room(HeldJobs held, List<ClaimedJob> batch, ClaimLine.@Nullable Exchange underWay) {
        long all = held.all().stream().filter(this::mayHold).count();
        long settled = batch.stream().filter(this::mayHold).count();
        return (int) Math.max(0, held.concurrency() - all + settled - (underWay == null ? 0 : underWay.want()));
    }

    /** What a claim from these queues has to tell Redis. */
    ClaimGate claimGate(
            List<String> queues, HeldJobs held, List<ClaimedJob> batch, ClaimLine.@Nullable Exchange underWay) {
        List<QueueLimit> limits = limited(queues);
        return limits.isEmpty() ? ClaimGate.OPEN : new LimitedQueues(limits, room(held, batch, underWay));
    }

    /** The same for a claim that stands. */
    ClaimGate standingClaimGate(List<String> queues) {
        List<QueueLimit> limits = limited(queues);
        return limits.isEmpty() ? ClaimGate.OPEN : new LimitedQueues(limits, 0);
    }

    private List<QueueLimit> limited(List<String> queues) {
        return ever.isEmpty()
                ? List.of()
                : queues.stream()
                        .filter(this::isLimited)
                        .map(queue -> new QueueLimit(queue, own.get(queue)))
                        .toList();
    }

    /**
     * Redis answered a claim.
     *
     * @param from the queues from which it claimed
     * @param now null if the answer doesn't say
     */
    void answered(List<String> from, ClaimGate.@Nullable Shut now) {
        if (now == null) {
            return;
        }
        for (String queue : from) {
            if (!isLimited(queue)) {
                continue;
            }
            boolean isBroken = now.broken().contains(queue);
            if (isBroken || now.full().contains(queue)) {
                full.add(queue);
            } else {
                full.remove(queue);
            }
            if (!isBroken) {
                broken.remove(queue);
            } else if (broken.add(queue)) {
                log.error(
                        "No jobs of queue {} are taken, since a key of its limit (jobs:permits:{}, jobs:permitted:…) holds another type. They wait until it is repaired or deleted",
                        queue,
                        QueueLimit.nameOf(queue));
            }
        }
    }

    /** Whether as many jobs of a queue run as its limit allows. Once one has ended, a ring of its own tells. */
    boolean isFull(String queue) {
        return full.contains(queue);
    }
}
