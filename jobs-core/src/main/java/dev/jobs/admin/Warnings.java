package dev.jobs.admin;

import dev.jobs.Payload;
import dev.jobs.redis.JobQueues;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds problems that cause no error, by a few checks of public data. */
final class Warnings {

    private static final Logger log = LoggerFactory.getLogger(Warnings.class);

    private static final int QUEUES_LOOKED_INTO = 20;
    private static final int MOST_FINDINGS = 50;
    private static final int FULL_PERCENT = 90;

    /** Much more than a call takes, and than synchronized clocks differ. */
    private static final Duration SKEW = Duration.ofSeconds(5);

    private final JobQueues queues;
    private final Clock clock;
    private final Iterable<FindingSource> others;

    /** @param others asked at each call */
    Warnings(JobQueues queues, Clock clock, Iterable<FindingSource> others) {
        this.queues = queues;
        this.clock = clock;
        this.others = others;
    }

    List<Finding> find(ServerInfo server, List<QueueInfo> all, Workforce workforce, @Nullable Books books) {
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
        queues(all, workforce, findings);
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

    private void queues(List<QueueInfo> all, Workforce workforce, List<Finding> findings) {
        long waiting = all.stream().mapToLong(QueueInfo::size).sum();
        boolean noProcess = workforce.processes().isEmpty();
        if (noProcess && waiting > 0) {
            findings.add(Finding.error(
                    "no-process", Long.toString(waiting), "No worker runs, and " + waiting + " jobs wait"));
        }
        List<QueueInfo> largest = all.stream()
                .filter(each -> each.size() > 0 || each.broken())
                .sorted(Comparator.comparingLong(QueueInfo::size).reversed())
                .toList();
        int looked = 0;
        for (QueueInfo queue : largest) {
            if (queue.broken()) {
                findings.add(
                        Finding.error(
                                "queue-broken",
                                queue.name(),
                                "The key of the queue " + queue.name()
                                        + " holds another type than a list: nothing can be enqueued or taken until it is cleared"));
            } else if (queue.paused()) {
                findings.add(Finding.info(
                        "queue-paused",
                        queue.name(),
                        "The queue " + queue.name() + " is paused, and " + queue.size() + " jobs wait in it",
                        queue.size()));
            } else if (!noProcess && workforce.serving(queue.name()).isEmpty()) {
                findings.add(Finding.error(
                        "queue-unserved",
                        queue.name(),
                        "No live worker serves the queue " + queue.name() + ", and " + queue.size()
                                + " jobs wait in it",
                        queue.size()));
            } else if (!noProcess && workforce.workers(queue.name()) == 0) {
                findings.add(Finding.warning(
                        "queue-quiet",
                        queue.name(),
                        "All workers of the queue " + queue.name() + " take no more jobs, and " + queue.size()
                                + " wait in it",
                        queue.size()));
            } else if (looked++ < QUEUES_LOOKED_INTO) {
                unknownJob(queue.name(), workforce, findings);
            }
        }
    }

    /** Checks the job that is taken next. */
    private void unknownJob(String queue, Workforce workforce, List<Finding> findings) {
        JobQueues.State state = queues.states(List.of(queue)).get(0);
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
