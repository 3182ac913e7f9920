package dev.jobs.test;

import dev.jobs.transactions.Outbox;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The outbox of a test without Redis: nothing would relay rows, so none are written, and jobs follow their transaction
 * after its commit. Thread-safe.
 *
 * @param application refuses the transactions that it can't keep jobs in; null if the test has no database
 */
record OutboxWithoutRows(@Nullable Outbox application) implements Outbox {

    @Override
    public boolean isReady() {
        if (application != null) {
            application.isReady();
        }
        return false;
    }

    @Override
    public void keep(List<Entry> jobs) {
        throw new IllegalStateException("This outbox keeps nothing");
    }

    @Override
    public void keepBatch(String id, byte[] commit) {
        throw new IllegalStateException("This outbox keeps nothing");
    }

    @Override
    public void committed() {}
}
