package dev.jobs.history;

import dev.jobs.batches.BatchArchiving;
import dev.jobs.batches.BatchJob;
import dev.jobs.batches.BatchJobId;
import dev.jobs.batches.BatchPage;
import dev.jobs.batches.BatchStatus;
import dev.jobs.history.TaskTable.Due;
import dev.jobs.threads.BackgroundLoop;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataIntegrityViolationException;

/**
 * Compares batches with Redis, as a {@link BackgroundLoop.Work}. Notes what Redis has of a running batch; copies a
 * finished one page by page until both are equal, and only then lets Redis forget it as usual.
 *
 * <p>All processes do so, each with batches whose time has come. A process that dies leaves a batch whose time comes
 * again; another one goes on with the page that was not copied.
 */
final class HistoryCopier implements BackgroundLoop.Work {

    private static final Logger log = LoggerFactory.getLogger(HistoryCopier.class);

    /** How long a process has a batch for itself. */
    private static final Duration TURN = Duration.ofSeconds(30);

    /** How many pages of a batch are copied before others have their turn. */
    private static final int PAGES = 20;

    /** Longest time between two looks at a batch that runs, if nothing is heard of its jobs. */
    private static final Duration LONGEST_RUNNING = Duration.ofSeconds(30);

    /** The same if it has finished and is copied. */
    private static final Duration LONGEST_FINISHED = Duration.ofHours(1);

    /** A batch that was created but not committed is in Redis for a day. */
    private static final Duration FILLED = Duration.ofHours(25);

    private final HistoryTables tables;
    private final BatchArchiving redis;
    private final Clock clock;
    private final Duration interval;

    /** @param interval shortest time between two looks at a batch */
    HistoryCopier(HistoryTables tables, BatchArchiving redis, Clock clock, Duration interval) {
        this.tables = tables;
        this.redis = redis;
        this.clock = clock;
        this.interval = interval;
    }

    @Override
    public Duration runOnce() {
        Instant now = clock.instant();
        Instant adopted = now.plus(TURN).truncatedTo(ChronoUnit.MILLIS);
        List<Due> due = adopt(now, adopted);
        if (due.isEmpty()) {
            return interval;
        }
        Map<String, BatchStatus> found =
                redis.statuses(due.stream().map(Due::id).toList());
        List<Copying> finished = new ArrayList<>();
        for (Due task : due) {
            BatchStatus batch = found.get(task.id());
            each(task, adopted, () -> {
                if (batch == null) {
                    missing(task, adopted);
                } else if (compare(task, batch, adopted)) {
                    finished.add(new Copying(task, TaskTable.version(batch)));
                }
            });
        }
        boolean more = due.size() == BatchArchiving.AT_ONCE;
        for (Copying copying : finished) {
            each(copying.task, adopted, () -> copy(copying, adopted));
            more |= copying.goesOn;
        }
        return more ? Duration.ZERO : interval;
    }

    /** Each in a transaction of its own: one that another process has locked holds up no other. */
    private List<Due> adopt(Instant now, Instant until) {
        return tables.fromTables(() -> tables.tasks().due(now, BatchArchiving.AT_ONCE)).stream()
                .filter(task -> tables.fromTransaction(() -> tables.tasks().adopt(task, until)))
                .toList();
    }

    /** Lets all processes look at an adopted batch after a while, unless something happens to it before. */
    private void postpone(String id, Instant adopted, Duration wait, Duration pause) {
        tables.inTransaction(
                () -> tables.tasks().postpone(id, adopted, clock.instant().plus(wait), pause));
    }

    /** A batch that can't be compared keeps no other from it. */
    private void each(Due task, Instant adopted, Runnable work) {
        try {
            work.run();
        } catch (DataIntegrityViolationException e) {
            log.warn("The history of batch {} can't be compared with Redis, and waits", task.id(), e);
            postpone(task.id(), adopted, LONGEST_FINISHED, LONGEST_FINISHED);
        }
    }

    private void missing(Due task, Instant adopted) {
        if (task.copied() != null) {
            tables.inTransaction(() -> tables.tasks().gone(task.id(), task.state()));
        } else if (task.state() == HistoryTask.State.FILLING
                && !tables.events().hasRun(task.id())
                && task.createdAt().isAfter(clock.instant().minus(FILLED))) {
            postpone(task.id(), adopted, LONGEST_FINISHED, LONGEST_FINISHED);
        } else if (task.state() == HistoryTask.State.WAITING) {
            log.info("Batch {} never opened, and has expired", task.id());
            tables.inTransaction(() -> tables.tasks().gone(task.id(), task.state()));
        } else if (tables.events().isEmpty(task.id())) {
            tables.inTransaction(() -> tables.tasks().mark(task.id()));
        } else {
            log.warn("Batch {} is not in Redis, and its history is not complete", task.id());
            tables.inTransaction(() -> tables.tasks().gone(task.id(), HistoryTask.State.GONE));
        }
    }

    /** Notes what Redis has. Returns whether the jobs are to be copied. */
    private boolean compare(Due task, BatchStatus batch, Instant adopted) {
        String version = TaskTable.version(batch);
        boolean same = version.equals(task.version());
        boolean tagged = !task.version().isEmpty() && task.state() != HistoryTask.State.FILLING;
        // The last ends may still be in a buffer. Those that come during the copy make it begin anew.
        boolean toCopy = batch.isFinished() && same && !version.equals(task.copied());
        Duration longest = version.equals(task.copied()) ? LONGEST_FINISHED : LONGEST_RUNNING;
        Duration pause = same ? shorter(longest, longer(interval, task.pause().multipliedBy(2))) : interval;
        tables.inTransaction(() -> {
            tables.tasks().seen(batch, tagged);
            if (!toCopy) {
                tables.tasks().postpone(task.id(), adopted, clock.instant().plus(pause), pause);
            }
        });
        return toCopy;
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    /** A batch whose jobs are being copied. */
    private static final class Copying {

        final Due task;
        final String version;
        long after;

        /** Whether pages are left. */
        boolean goesOn;

        Copying(Due task, String version) {
            this.task = task;
            this.version = version;
            this.after = version.equals(task.copying()) ? task.copiedTo() : -1;
        }
    }

    /** Copies some pages; the following look goes on with the next ones. */
    private void copy(Copying copying, Instant adopted) {
        String id = copying.task.id();
        if (copying.after < 0) {
            tables.inTransaction(() -> tables.tasks().beginCopy(id, copying.version));
        }
        for (int page = 0; copying.after < Long.MAX_VALUE; page++) {
            if (!copyPage(copying)) {
                return;
            }
            copying.goesOn = page == PAGES && copying.after < Long.MAX_VALUE;
            if (copying.goesOn) {
                postpone(id, adopted, Duration.ZERO, interval);
                return;
            }
        }
        BatchStatus batch = redis.statuses(List.of(id)).get(id);
        if (batch != null && TaskTable.version(batch).equals(copying.version)) {
            redis.archived(id);
            tables.inTransaction(() ->
                    tables.tasks().endCopy(id, copying.version, clock.instant().plus(interval)));
        } else {
            postpone(id, adopted, interval, interval);
        }
    }

    /** Returns false if that version is no longer to be copied. */
    private boolean copyPage(Copying copying) {
        String id = copying.task.id();
        BatchPage page = redis.jobs(id, copying.after);
        long last = page.hasMore() ? page.next() : Long.MAX_VALUE;
        List<BatchJob> jobs = page.jobs().stream()
                .filter(job -> job.index() < BatchJobId.FIRST_CALLBACK)
                .toList();
        boolean copied = tables.fromTransaction(() -> {
            if (!tables.tasks().lockCopy(id, copying.version)) {
                return false;
            }
            tables.events().equalize(id, copying.after, last, jobs, clock.instant());
            tables.tasks().copiedTo(id, last);
            return true;
        });
        copying.after = last;
        return copied;
    }
}
