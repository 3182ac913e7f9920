package dev.jobs.admin;

import dev.jobs.Internal;
import dev.jobs.Payload;
import dev.jobs.lists.JobQueues;
import dev.jobs.redis.ServerInfo;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds problems that cause no error, by a few checks of public data. */
@Internal
public final class Warnings {

    private static final Logger log = LoggerFactory.getLogger(Warnings.class);

    private static final int QUEUES_LOOKED_INTO = 20;
    private static final int MOST_FINDINGS = 50;
    private static final int FULL_PERCENT = 90;

    /** Much more than a call takes, and than synchronized clocks differ. */
    private static final Duration SKEW = Duration.ofSeconds(5);

    private final JobQueues queues;
    private final Clock clock;
    private final List<FindingSource> ofThisRedis;
    private final Iterable<FindingSource> others;

    /**
     * @param ofThisRedis asked before the others
     * @param others iterated over at each call
     */
    public Warnings(JobQueues queues, List<FindingSource> ofThisRedis, Clock clock, Iterable<FindingSource> others) {
        this.queues = queues;
        this.ofThisRedis = List.copyOf(ofThisRedis);
        this.clock = clock;
        this.others = others;
    }

    public List<Finding> find(ServerInfo server, Workforce workforce, @Nullable Books books) {
        List<Finding> findings = new ArrayList<>();
        server(server, findings);
        if (books != null && books.conservationError() != 0) {
            findings.add(Finding.error(
                    "books",
                    "",
                    "The ledger of claimed jobs is off by " + books.conservationError()
                            + ": someone deleted or duplicated data in Redis",
                    books.conservationError()));
        }
        clocks(server, workforce, findings);
        queues(workforce, findings);
        ofThisRedis.forEach(source -> ask(source, findings));
        others.forEach(source -> ask(source, findings));
        return findings.stream()
                .sorted(Comparator.comparing(Finding::level).reversed())
                .limit(MOST_FINDINGS)
                .toList();
    }

    private static void ask(FindingSource source, List<Finding> findings) {
        try {
            findings.addAll(source.find());
        } catch (RuntimeException e) {
            log.warn("The warnings of {} are missing", source.getClass().getName(), e);
        }
    }

    private static void server(ServerInfo server, List<Finding> findings) {
        String policy = server.maxMemoryPolicy();
        if (policy != null && !policy.equals("noeviction")) {
            findings.add(Finding.error(
                    "eviction",
                    policy,
                    "Redis removes keys when its memory is full (maxmemory-policy " + policy
                            + "), and jobs with them; set it to noeviction"));
        }
        Long used = server.usedMemory();
        Long most = server.maxMemory();
        if (used != null && most != null && most > 0 && used >= most / 100.0 * FULL_PERCENT) {
            long percent = Math.round(100.0 * used / most);
            findings.add(Finding.warning(
                    "memory",
                    Long.toString(percent),
                    "Redis uses " + percent + " % of its memory limit; at the limit, no job can be enqueued"));
        }
    }

    private void clocks(ServerInfo server, Workforce workforce, List<Finding> findings) {
        Instant now = server.time();
        if (now == null) {
            return;
        }
        skew("redis", Duration.between(now, clock.instant()), findings);
        for (ProcessInfo process : workforce.processes()) {
            Instant beat = process.beat();
            // one in the past may just be old
            if (beat != null && beat.isAfter(now)) {
                skew(process.identity(), Duration.between(now, beat), findings);
            }
        }
    }

    private static void skew(String whose, Duration difference, List<Finding> findings) {
        if (difference.abs().compareTo(SKEW) > 0) {
            findings.add(Finding.warning(
                    "clock",
                    whose,
                    "The clock of " + (whose.equals("redis") ? "this application" : whose) + " differs by "
                            + difference.toMillis() + " ms from that of Redis",
                    difference.toMillis()));
        }
    }

    /** There may be thousands of queues: of most of them only the size is read. */
    private void queues(Workforce workforce, List<Finding> findings) {
        JobQueues.Sizes measured = queues.measure(queues.names());
        Map<String, Long> sizes = measured.jobs();
        Set<String> paused = queues.paused();
        long waiting = sizes.values().stream().mapToLong(Long::longValue).sum();
        boolean noProcess = workforce.processes().isEmpty();
        if (noProcess && waiting > 0) {
            findings.add(Finding.error(
                    "no-process", Long.toString(waiting), "No worker runs, and " + waiting + " jobs wait"));
        }
        for (String queue : measured.broken()) {
            findings.add(Finding.error(
                    "queue-broken",
                    queue,
                    "The key of the queue " + queue
                            + " holds another type than a list: nothing can be enqueued or taken until it is cleared"));
        }
        List<String> largest = sizes.entrySet().stream()
                .filter(each -> each.getValue() > 0)
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed().thenComparing(Map.Entry.comparingByKey()))
                .map(Map.Entry::getKey)
                .toList();
        List<String> served = new ArrayList<>();
        for (String queue : largest) {
            long size = sizes.getOrDefault(queue, 0L);
            if (paused.contains(queue)) {
                findings.add(Finding.info(
                        "queue-paused",
                        queue,
                        "The queue " + queue + " is paused, and " + size + " jobs wait in it",
                        size));
            } else if (!noProcess && workforce.serving(queue).isEmpty()) {
                findings.add(Finding.error(
                        "queue-unserved",
                        queue,
                        "No live worker serves the queue " + queue + ", and " + size + " jobs wait in it",
                        size));
            } else if (!noProcess && workforce.workers(queue) == 0) {
                findings.add(Finding.warning(
                        "queue-quiet",
                        queue,
                        "All workers of the queue " + queue + " take no more jobs, and " + size + " wait in it",
                        size));
            } else if (served.size() < QUEUES_LOOKED_INTO) {
                served.add(queue);
            }
        }
        queues.states(served).forEach(state -> unknownJob(state, workforce, findings));
    }

    /** Checks the job that is taken next. */
    private void unknownJob(JobQueues.State state, Workforce workforce, List<Finding> findings) {
        String queue = state.name();
        byte[] next = state.next();
        Payload job = next == null || state.cut()
                ? null
                : JobRecord.inQueue(queue, next).payload();
        String name = job == null ? null : job.jobName();
        if (job != null && name != null && Boolean.FALSE.equals(workforce.knows(queue, job))) {
            findings.add(Finding.warning(
                    "job-unknown",
                    name,
                    "No live worker of the queue " + queue + " knows the job " + name + ", which is next there",
                    queue));
        }
    }
}
