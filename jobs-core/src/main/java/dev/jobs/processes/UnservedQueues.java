package dev.jobs.processes;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.codec.JsonException;
import dev.jobs.codec.JsonObject;
import dev.jobs.codec.OneLine;
import dev.jobs.engine.RunContext;
import dev.jobs.lists.JobQueues;
import dev.jobs.processes.ProcessRegistry.Shown;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of queues with waiting jobs that no worker serves: a push succeeds whatever its queue is called. The leader
 * checks, so a queue is logged once for all processes, also for jobs of clients without a worker and of Ruby, and no
 * push has to wait for it. Also warns of jobs that wait in order in any queue that this process doesn't know as ordered.
 * Confined to one thread.
 */
@Internal
public final class UnservedQueues {

    private static final Logger log = LoggerFactory.getLogger(UnservedQueues.class);

    /** A queue is unserved if it is so at two checks, since a worker that starts may not be shown yet. */
    static final Duration EACH = Duration.ofSeconds(5);

    /** How long a queue is not logged again. */
    static final Duration QUIET = Duration.ofHours(1);

    private final JobQueues queues;
    private final ProcessRegistry registry;
    private final RunContext context;
    private final Set<String> own;

    private long checkedNanos;
    private long orderCheckedNanos;
    private Set<String> before = Set.of();
    private final Map<String, Long> logged = new HashMap<>();

    /** @param own the queues that this process serves */
    public UnservedQueues(JobQueues queues, ProcessRegistry registry, RunContext context, Collection<String> own) {
        this.queues = queues;
        this.registry = registry;
        this.context = context;
        this.own = Set.copyOf(own);
        this.checkedNanos = context.nanos() - EACH.toNanos();
        this.orderCheckedNanos = context.nanos() - QUIET.toNanos() + EACH.toNanos();
    }

    /** Makes those checks that are due; that for queues without a worker only if this process is the leader. */
    public void runOnce() {
        long now = context.nanos();
        if (now - orderCheckedNanos >= QUIET.toNanos()) {
            orderCheckedNanos = now;
            checkOrder();
        }
        if (!context.lease().isLeader()) {
            before = Set.of();
            return;
        }
        if (now - checkedNanos < EACH.toNanos()) {
            return;
        }
        checkedNanos = now;
        logged.values().removeIf(since -> now - since >= QUIET.toNanos());
        try {
            Map<String, Long> unserved = find();
            unserved.forEach((queue, size) -> {
                if (before.contains(queue) && logged.putIfAbsent(queue, now) == null) {
                    log.warn(
                            "No live worker serves the queue '{}', and {} jobs wait in it. Add it to the queues of a worker "
                                    + "(jobs.queues), or correct its name where the jobs are enqueued",
                            OneLine.of(queue),
                            size);
                }
            });
            before = unserved.keySet();
        } catch (JobStoreException e) {
            log.debug("Could not find out which queues no worker serves", e); // other parts report the outage
        }
    }

    /**
     * Another process may have stored jobs in order, or this one before its configuration was changed. Looks at all queues,
     * since any worker may move due jobs to any of them.
     */
    private void checkOrder() {
        try {
            Set<String> plain = new TreeSet<>(own);
            plain.addAll(queues.names());
            plain.removeIf(queues::isSorted);
            queues.inOrder(List.copyOf(plain)).forEach((queue, size) -> {
                if (size > 0) {
                    log.warn(
                            "{} jobs wait in order in the queue '{}', which this worker doesn't know as ordered: it takes "
                                    + "none of them, and due jobs that it moves there are taken before them. Add the queue "
                                    + "to jobs.ordered-queues, the same for every worker; 'none' means that new jobs are no "
                                    + "longer ordered",
                            size,
                            OneLine.of(queue));
                }
            });
        } catch (JobStoreException e) {
            log.debug("Could not find out whether jobs wait in order", e); // other parts report the outage
        }
    }

    /** The sizes of queues that no process serves and nobody paused. Usually one call: all queues are served here. */
    private Map<String, Long> find() {
        List<String> others =
                queues.names().stream().filter(each -> !own.contains(each)).toList();
        Map<String, Long> sizes = queues.sizes(others);
        sizes.values().removeIf(size -> size == 0);
        if (!sizes.isEmpty()) {
            sizes.keySet().removeAll(queues.paused());
            sizes.keySet().removeAll(served(registry.list()));
        }
        return sizes;
    }

    private static Set<String> served(List<Shown> processes) {
        Set<String> served = new HashSet<>();
        for (Shown process : processes) {
            try {
                JsonObject info = JsonObject.parse(
                        process.fields().getOrDefault("info", "{}").getBytes(UTF_8));
                addAll(served, info.get("queues"));
                if (info.get("capsules") instanceof Map<?, ?> capsules) {
                    for (Object capsule : capsules.values()) {
                        if (capsule instanceof Map<?, ?> fields && fields.get("weights") instanceof Map<?, ?> weights) {
                            addAll(served, weights.keySet());
                        }
                    }
                }
            } catch (JsonException e) {
                log.debug("The process {} shows no queues", process.identity(), e);
            }
        }
        return served;
    }

    private static void addAll(Set<String> served, @Nullable Object names) {
        if (names instanceof Collection<?> all) {
            all.forEach(each -> served.add(String.valueOf(each)));
        }
    }
}
