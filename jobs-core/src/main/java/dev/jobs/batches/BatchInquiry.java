package dev.jobs.batches;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.jobs.Internal;
import dev.jobs.admin.BudgetedScan;
import dev.jobs.admin.Finding;
import dev.jobs.admin.JobRecord;
import dev.jobs.admin.JobSet;
import dev.jobs.admin.ListedJob;
import dev.jobs.admin.Order;
import dev.jobs.admin.Page;
import dev.jobs.admin.ProcessesAdmin;
import dev.jobs.admin.QueueInfo;
import dev.jobs.admin.QueuesAdmin;
import dev.jobs.admin.ScanBudget;
import dev.jobs.admin.WorkInfo;
import dev.jobs.admin.Workforce;
import dev.jobs.codec.RubyTime;
import dev.jobs.limits.LimitStates;
import dev.jobs.lists.JobSets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds out why a batch is not finished. Used for one batch, by one thread. */
@Internal
public final class BatchInquiry {

    /** The retry set, the scheduled set, limits and queues: each has its part of the budget, so none hides the next. */
    private static final int PLACES = 4;

    private static final int MOST_SHOWN = 10;
    private static final int MOST_WORK = 10_000;
    private static final int MOST_QUEUES = 100;

    /** What runs next is near the front of a queue. */
    private static final int MOST_OF_QUEUE = 1_000;

    private final JobSets sets;
    private final LimitStates limits;
    private final QueuesAdmin queues;
    private final ProcessesAdmin processes;
    private final ScanBudget budget;
    private final Instant now;

    private final List<Finding> reasons = new ArrayList<>();
    private final List<ListedJob> waiting = new ArrayList<>();
    private boolean partial;

    public BatchInquiry(
            JobSets sets,
            LimitStates limits,
            QueuesAdmin queues,
            ProcessesAdmin processes,
            ScanBudget budget,
            Instant now) {
        this.sets = sets;
        this.limits = limits;
        this.queues = queues;
        this.processes = processes;
        this.budget = new ScanBudget(
                Math.max(1, budget.entries() / PLACES), budget.time().dividedBy(PLACES));
        this.now = now;
    }

    /** @param previous the batch that must succeed before it; null if there is none, or no longer */
    BatchWait of(BatchDetails batch, @Nullable BatchStatus previous) {
        BatchStatus status = batch.status();
        Workforce workforce = processes.workforce();
        List<WorkInfo> running = List.of();
        if (!status.isFinished()) {
            whole(batch, previous);
            if (workforce.processes().isEmpty()) {
                reasons.add(Finding.error("no-process", "", "No worker runs"));
            }
            if (status.pending() > 0 && !batch.staged() && !status.waitsForPrevious()) {
                running = running(status, workforce);
                inSet(status, JobSet.RETRY, "retry");
                inSet(status, JobSet.SCHEDULED, "scheduled");
                BudgetedScan ofLimits = new BudgetedScan(budget);
                limits.names().forEach(limit -> parked(status, limit, ofLimits));
                inQueues(batch, workforce);
                if (running.isEmpty() && waiting.isEmpty() && !partial && idle(workforce)) {
                    reasons.add(Finding.warning(
                            "nowhere",
                            Long.toString(status.pending()),
                            "None of its " + status.pending()
                                    + " unfinished jobs was found; an audit finds lost ones"));
                }
            }
            if (reasons.isEmpty()) {
                reasons.add(rest(status));
            }
        }
        callbacks(batch, workforce);
        return new BatchWait(reasons, running, waiting, partial);
    }

    private void whole(BatchDetails batch, @Nullable BatchStatus previous) {
        BatchStatus status = batch.status();
        if (status.cancelledAt() != null) {
            reasons.add(Finding.info("cancelling", "", "It is cancelled, and its last jobs are about to end"));
        }
        if (batch.staged()) {
            reasons.add(Finding.info("staged", "", "It is still being created; no job of it runs before that is done"));
        } else if (batch.abandoned()) {
            reasons.add(Finding.warning(
                    "abandoned",
                    "",
                    "It is open for more jobs, but none was added since " + status.changedAt(),
                    status.changedAt().toEpochMilli()));
        } else if (status.open()) {
            reasons.add(Finding.info("open", "", "It is open for more jobs"));
        }
        if (status.waitsForPrevious()) {
            String id = batch.previous() == null ? "" : batch.previous();
            boolean never = previous == null
                    || previous.isFinished() && !previous.events().containsKey(BatchEvent.SUCCEEDED);
            reasons.add(
                    never
                            ? Finding.error(
                                    "previous-failed", id, "The batch before it did not succeed, so it never opens")
                            : Finding.info("previous", id, "It opens when batch " + id + " has succeeded"));
        }
        if (status.childrenOpen() > 0) {
            reasons.add(Finding.info(
                    "children",
                    Long.toString(status.childrenOpen()),
                    status.childrenOpen() + " of its child batches, or their callbacks, have not ended"));
        }
    }

    private static Finding rest(BatchStatus batch) {
        return batch.pending() == 0
                ? Finding.info("noticed", "", "All jobs have ended; the leader notices it within seconds")
                : Finding.info(
                        "unreached",
                        Long.toString(batch.pending()),
                        "Its " + batch.pending() + " unfinished jobs are where the search did not look");
    }

    private static boolean idle(Workforce workforce) {
        return workforce.processes().stream().allMatch(process -> process.busy() == 0);
    }

    private List<WorkInfo> running(BatchStatus batch, Workforce workforce) {
        List<WorkInfo> all = processes
                .work(workforce.processes(), MOST_WORK, entry -> new String(entry, ISO_8859_1).contains(batch.id()))
                .stream()
                .filter(work -> belongs(batch, work.job()))
                .toList();
        if (!all.isEmpty()) {
            reasons.add(Finding.info(
                    "running", Integer.toString(all.size()), all.size() + " of its jobs run for seconds or longer"));
        }
        return all.stream().limit(MOST_SHOWN).toList();
    }

    private boolean belongs(BatchStatus batch, JobRecord job) {
        return BatchEffects.batchAmong(Set.of(batch.id()), job.stored()) != null;
    }

    private void inSet(BatchStatus batch, JobSet set, String code) {
        Set<JobRecord> found = new HashSet<>(); // a scan may return a job twice
        partial |= !new BudgetedScan(budget).scan(sets.scan(set.stored(), batch.id()), entry -> {
            JobRecord job = JobRecord.inSet(set, entry.payload(), entry.score());
            if (belongs(batch, job) && found.add(job)) {
                show(new ListedJob(job, 0));
            }
        });
        if (!found.isEmpty()) {
            Instant due = RubyTime.ofSeconds(
                    found.stream().mapToDouble(JobRecord::score).min().orElseThrow());
            reasons.add(Finding.info(
                    code,
                    Integer.toString(found.size()),
                    found.size() + " of its jobs wait for their time, the next one for " + due,
                    (due == null ? now : due).toEpochMilli()));
        }
    }

    private void parked(BatchStatus batch, String limit, BudgetedScan scan) {
        if (!scan.lasts()) {
            partial = true;
            return;
        }
        Set<JobRecord> found = new HashSet<>(); // a scan may return a job twice
        partial |= !scan.scan(limits.search(limit, batch.id()), entry -> {
            JobRecord job = JobRecord.inQueue(entry.queue(), entry.payload());
            if (belongs(batch, job) && found.add(job)) {
                show(new ListedJob(job, 0));
            }
        });
        if (!found.isEmpty()) {
            reasons.add(Finding.info(
                    "limited",
                    limit,
                    found.size() + " of its jobs wait until the limit " + limit + " lets them run",
                    found.size()));
        }
    }

    private void show(ListedJob job) {
        if (waiting.size() < MOST_SHOWN) {
            waiting.add(job);
        }
    }

    /** Looks at the front of each queue; farther back there may be jobs of it if it had some for that queue. */
    private void inQueues(BatchDetails batch, Workforce workforce) {
        List<String> some = queues.sizes().entrySet().stream()
                .filter(queue -> queue.getValue() > 0)
                .limit(MOST_QUEUES)
                .map(Map.Entry::getKey)
                .toList();
        BudgetedScan scan = new BudgetedScan(budget);
        ScanBudget perQueue = new ScanBudget(Math.min(MOST_OF_QUEUE, budget.entries()), budget.time());
        for (QueueInfo queue : queues.named(some)) {
            if (!scan.lasts()) {
                partial = true;
                return;
            }
            Page<ListedJob> page = queues.jobs(
                    queue.name(), Order.OLDEST_FIRST, job -> belongs(batch.status(), job), 0, MOST_SHOWN, perQueue);
            partial |= page.next() >= 0;
            page.items().forEach(this::show);
            if (!page.items().isEmpty() || page.next() >= 0 && batch.queues().contains(queue.name())) {
                reasons.add(inQueue(queue, workforce));
            }
        }
    }

    private static Finding inQueue(QueueInfo queue, Workforce workforce) {
        String name = queue.name();
        if (queue.paused()) {
            return Finding.warning("paused", name, "Jobs of it wait in the queue " + name + ", which is paused");
        }
        if (workforce.serving(name).isEmpty()) {
            return Finding.error("unserved", name, "Jobs of it wait in the queue " + name + ", which no worker serves");
        }
        if (workforce.workers(name) == 0) {
            return Finding.warning(
                    "quiet", name, "Jobs of it wait in the queue " + name + ", whose workers take no more jobs");
        }
        return Finding.info("queued", name, "Jobs of it wait in the queue " + name, queue.size());
    }

    private void callbacks(BatchDetails batch, Workforce workforce) {
        for (BatchDetails.Callback callback : batch.callbacks()) {
            String queue = callback.job().queue();
            BatchJobState state = callback.state();
            if (state != null && state.isPending() && queue != null && workforce.workers(queue) == 0) {
                reasons.add(Finding.error(
                        "callback-unserved",
                        queue,
                        "A callback waits in the queue " + queue + ", of which no worker takes jobs"));
            }
        }
    }
}
