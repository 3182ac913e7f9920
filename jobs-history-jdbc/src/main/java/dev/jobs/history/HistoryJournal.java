package dev.jobs.history;

import dev.jobs.ArgumentMasking;
import dev.jobs.InvalidPayloadException;
import dev.jobs.Payload;
import dev.jobs.batches.BatchJobState;
import dev.jobs.batches.BatchJournal;
import dev.jobs.history.EventTable.NewEvent;
import dev.jobs.spring.autoconfigure.database.CurrentTransaction;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Writes the rows of a batch and its jobs before Redis has the jobs. Thread-safe. */
final class HistoryJournal implements BatchJournal {

    private final HistoryTables tables;
    private final CurrentTransaction transaction;
    private final ArgumentMasking masking;
    private final Clock clock;

    HistoryJournal(HistoryTables tables, CurrentTransaction transaction, ArgumentMasking masking, Clock clock) {
        this.tables = tables;
        this.transaction = transaction;
        this.masking = masking;
        this.clock = clock;
    }

    @Override
    public void begun(String batch, String name, boolean inTransaction) {
        write(inTransaction, () -> tables.tasks().add(batch, name, clock.instant()));
    }

    @Override
    public void adding(String batch, List<Entry> jobs, boolean inTransaction) {
        Instant now = clock.instant();
        List<NewEvent> rows = jobs.stream().map(job -> row(batch, job, now)).toList();
        write(inTransaction, () -> {
            if (tables.tasks().exists(batch)) { // else another application created it, without a history
                tables.events().add(rows);
            }
        });
    }

    /** A transaction that only reads, or is one of another database, can't carry rows, but ends as if it had. */
    private void write(boolean inTransaction, Runnable work) {
        if (inTransaction
                && tables.areIn(transaction)
                && !TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
            tables.fromTables(() -> {
                work.run();
                return true;
            });
        } else {
            tables.inTransaction(work);
        }
    }

    private NewEvent row(String batch, Entry job, Instant now) {
        byte[] stored = job.payload();
        if (stored == null) {
            return new NewEvent(job.jid(), batch, job.index(), "", "", BatchJobState.SKIPPED, null, null, null, now);
        }
        Payload payload;
        try {
            payload = Payload.parse(stored);
        } catch (InvalidPayloadException e) {
            throw new IllegalStateException("The client made a job that is none", e);
        }
        return new NewEvent(
                job.jid(),
                batch,
                job.index(),
                name(payload),
                Objects.requireNonNullElse(payload.queue(), ""),
                BatchJobState.ENQUEUED,
                parameters(masking, payload),
                null,
                null,
                now);
    }

    static String name(Payload payload) {
        return Objects.requireNonNullElse(payload.jobName(), "");
    }

    static String parameters(ArgumentMasking masking, Payload payload) {
        return new String(masking.shown(payload).rawArgs(), StandardCharsets.UTF_8);
    }
}
