package dev.jobs.batches;

import dev.jobs.Internal;
import dev.jobs.admin.BudgetedScan;
import dev.jobs.admin.JobRecord;
import dev.jobs.admin.Page;
import dev.jobs.admin.ScanBudget;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.batches.BatchReader.Found;
import dev.jobs.batches.BatchStore.Complete;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The batches: lists and explains them. {@link JobsAdmin#batches} returns it. {@link dev.jobs.batches.Batches} creates, cancels
 * and retries them. Thread-safe; throws what {@link JobsAdmin} throws.
 */
public final class BatchesAdmin {

    /** An open batch without new jobs for that long is abandoned. */
    private static final Duration FILL_TIMEOUT = Duration.ofMinutes(10);

    private static final int AT_ONCE = 100;
    private static final int MOST_ON_PAGE = 200;
    private static final int MOST_JOBS = 1_000;
    private static final int FAILURES_AT_ONCE = 500;
    private static final int MOST_CHAIN = 10;
    private static final int MOST_CHILDREN = 100;
    private static final int MOST_CHILDREN_READ = 500;

    private final BatchReader reader;
    private final BatchStore store;
    private final BatchCheck check;
    private final Function<ScanBudget, BatchInquiry> inquiries;
    private final Clock clock;

    /** @param inquiries finds out where the jobs of a batch are */
    @Internal
    public BatchesAdmin(
            BatchReader reader,
            BatchStore store,
            BatchCheck check,
            Function<ScanBudget, BatchInquiry> inquiries,
            Clock clock) {
        this.reader = reader;
        this.store = store;
        this.check = check;
        this.inquiries = inquiries;
        this.clock = clock;
    }

    /**
     * Matching batches, newest first.
     *
     * @param unfinished whether to look only at batches that are not over; then those with the newest jobs come first
     * @param from the position to begin at, 0 or more; {@link Page#next} of the page before
     * @param size batches at most, 1 to 200
     */
    public Page<BatchStatus> list(
            boolean unfinished, Predicate<? super BatchStatus> wanted, long from, int size, ScanBudget budget) {
        if (from < 0) {
            throw new IllegalArgumentException("'from' must be at least 0 but was " + from);
        }
        check("size", size, MOST_ON_PAGE);
        long total = reader.count(unfinished);
        long begin = from < total ? from : Math.max(0, (total - 1) / size * size);
        BudgetedScan scan = new BudgetedScan(budget);
        List<BatchStatus> found = new ArrayList<>();
        long at = begin;
        boolean more;
        do {
            int count = scan.next(at == begin ? size : AT_ONCE);
            List<String> ids = unfinished ? reader.latest(at, count) : reader.newest(at, count);
            Map<String, BatchStatus> statuses = reader.statuses(ids);
            int looked = 0;
            while (looked < ids.size() && found.size() < size) {
                BatchStatus status = statuses.get(ids.get(looked++)); // null if its keys have expired
                if (status != null && wanted.test(status)) {
                    found.add(status);
                }
            }
            at += looked;
            more = looked < ids.size() || ids.size() == count && at < total;
        } while (more && found.size() < size && scan.lasts());
        return new Page<>(found, begin, more ? at : -1, total, more && found.size() < size);
    }

    /** Whether jobs may still be added to a batch, but none was added for ten minutes. */
    public boolean isAbandoned(BatchStatus batch) {
        return batch.open()
                && !batch.isFinished()
                && batch.changedAt().plus(FILL_TIMEOUT).isBefore(clock.instant());
    }

    /** A batch and what was determined when it was created. */
    public Optional<BatchDetails> find(String id) {
        return reader.find(id).map(found -> details(id, found));
    }

    private BatchDetails details(String id, Found found) {
        BatchStatus status = found.status();
        BatchDefinition definition = found.definition();
        boolean staged = status.open() && reader.expires(id);
        List<BatchDetails.Callback> callbacks = new ArrayList<>();
        for (BatchEvent event : BatchEvent.values()) {
            byte[] payload = definition.callbacks().get(event);
            if (payload != null) {
                callbacks.add(new BatchDetails.Callback(
                        event,
                        JobRecord.enqueueable(payload),
                        status.callbacks().get(event)));
            }
        }
        return new BatchDetails(
                status,
                definition.previous().isEmpty() ? null : definition.previous(),
                definition.toleratesFailures(),
                definition.toleratesSkipped(),
                definition.keepsResults(),
                definition.keepSeconds() <= 0 ? null : Duration.ofSeconds(definition.keepSeconds()),
                staged,
                !staged && isAbandoned(status),
                definition.stagedQueues(),
                callbacks);
    }

    /**
     * The states of its jobs.
     *
     * @param from position of the first cell, 0 or more
     * @param most positions at most, 1 to {@value BatchField#MOST_POSITIONS}; if they are more than
     *     {@value BatchField#MOST_CELLS}, neighbours share a cell
     */
    public BatchField field(String id, long from, int most) {
        if (from < 0) {
            throw new IllegalArgumentException("'from' must be at least 0 but was " + from);
        }
        check("most", most, BatchField.MOST_POSITIONS);
        return new BatchFieldReader(reader, id).read(from, most);
    }

    /**
     * Its jobs in the order of their indexes; see {@link dev.jobs.batches.Batches#jobs}.
     *
     * @param size 1 to 1,000
     */
    public BatchPage jobs(String id, Set<BatchJobState> states, long after, int size) {
        check("size", size, MOST_JOBS);
        return BatchJobId.isBatch(id)
                ? reader.jobs(id, states, Math.max(-1, after), size)
                : new BatchPage(List.of(), -1);
    }

    /** Its jobs that failed, were given up, or wait for a retry, grouped by their last messages. */
    public BatchFailures failures(BatchStatus batch, ScanBudget budget) {
        BudgetedScan scan = new BudgetedScan(budget);
        BatchFailures.Builder groups = new BatchFailures.Builder();
        long total = batch.failed() + batch.dead() + batch.lost() + batch.retrying();
        long after = -1;
        boolean more = total > 0;
        while (more) {
            BatchPage page = reader.jobs(batch.id(), BatchFailures.STATES, after, FAILURES_AT_ONCE);
            page.jobs().forEach(groups::add);
            scan.spent(0, Math.max(1, page.jobs().size()));
            after = page.next();
            more = page.hasMore() && scan.lasts();
        }
        return groups.build(total, after >= 0);
    }

    /** The batches around a batch. */
    public BatchFamily family(BatchDetails batch) {
        List<BatchStatus> ancestors = chain(
                batch.status().parent(), found -> orNull(found.definition().parent()));
        List<BatchStatus> before =
                chain(batch.previous(), found -> orNull(found.definition().previous()));
        List<BatchStatus> after =
                chain(batch.status().next(), found -> orNull(found.definition().next()));
        List<String> ids = reader.children(batch.status().id(), MOST_CHILDREN_READ + 1);
        Collection<BatchStatus> known =
                reader.statuses(ids.stream().limit(MOST_CHILDREN_READ).toList()).values();
        List<BatchStatus> children = known.stream()
                .sorted(Comparator.comparing(BatchStatus::isFinished)
                        .thenComparing(BatchStatus::createdAt)
                        .thenComparing(BatchStatus::id))
                .limit(MOST_CHILDREN)
                .toList();
        return new BatchFamily(
                reversed(ancestors),
                reversed(before),
                after,
                children,
                ids.size() > MOST_CHILDREN_READ || known.size() > children.size());
    }

    private static @Nullable String orNull(String id) {
        return id.isEmpty() ? null : id;
    }

    private List<BatchStatus> chain(@Nullable String first, Function<Found, @Nullable String> next) {
        Map<String, BatchStatus> chain = new LinkedHashMap<>();
        String id = first;
        while (id != null && chain.size() < MOST_CHAIN && !chain.containsKey(id)) {
            Found found = reader.find(id).orElse(null);
            if (found == null) {
                break;
            }
            chain.put(id, found.status());
            id = next.apply(found);
        }
        return List.copyOf(chain.values());
    }

    private static <T> List<T> reversed(List<T> list) {
        List<T> reversed = new ArrayList<>(list);
        Collections.reverse(reversed);
        return reversed;
    }

    /** Why a batch is not finished, or why its callbacks don't run. Nothing is a reason for a batch that is over. */
    public BatchWait whyUnfinished(BatchDetails batch, ScanBudget budget) {
        BatchStatus previous = batch.previous() == null
                ? null
                : reader.status(batch.previous()).orElse(null);
        return inquiries.apply(budget).of(batch, previous);
    }

    /** The job of a batch that a jid names; empty if that batch doesn't exist, or has no such job. */
    public Optional<BatchMembership> membership(String jid) {
        BatchJobId batchJob = BatchJobId.parse(jid);
        BatchStatus batch =
                batchJob == null ? null : reader.status(batchJob.batch()).orElse(null);
        if (batchJob == null || batch == null) {
            return Optional.empty();
        }
        if (batchJob.isCallback()) {
            int event = (int) (batchJob.index() - BatchJobId.FIRST_CALLBACK) - 1;
            return event < 0 || event >= BatchEvent.values().length
                    ? Optional.empty()
                    : Optional.of(callback(batch, BatchEvent.values()[event]));
        }
        return reader.jobs(batchJob.batch(), Set.of(), batchJob.index() - 1, 1).jobs().stream()
                .filter(job -> job.index() == batchJob.index())
                .map(job -> new BatchMembership(batch, job, null, null))
                .findFirst();
    }

    private static BatchMembership callback(BatchStatus batch, BatchEvent event) {
        return new BatchMembership(batch, null, event, batch.callbacks().get(event));
    }

    /**
     * Declares an open batch complete: no more jobs come from outside, so it finishes once its jobs have ended. A batch
     * of which no job runs before it is complete can't be closed, since jobs of it would be missing.
     *
     * @return false if there is none that is open
     */
    public boolean close(String id) {
        Found found = reader.find(id).orElse(null);
        if (found == null || !found.status().open() || reader.expires(id)) {
            return false;
        }
        try {
            store.commit(List.of(new Complete(id, found.definition(), false, List.of())));
            return true;
        } catch (BatchEndedException e) {
            return false; // it has expired since
        }
    }

    /**
     * By how much the counters of a batch differ from the states of its jobs: 0, or a key was changed by hand. Reads a
     * byte for each job; 0 also for a batch of more than a million jobs whose counters change in the meantime.
     */
    public long error(String id) {
        return BatchJobId.isBatch(id) ? check.error(id) : 0;
    }

    private static void check(String name, int value, int most) {
        if (value < 1 || value > most) {
            throw new IllegalArgumentException("'" + name + "' must be 1 to " + most + " but was " + value);
        }
    }
}
