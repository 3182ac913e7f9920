package dev.jobs.transactions;

import dev.jobs.Internal;
import dev.jobs.JobClient;
import dev.jobs.JobDefinitionException;
import dev.jobs.client.ClientWithOptions;
import dev.jobs.client.Enqueuer;
import dev.jobs.client.Options;
import dev.jobs.client.ReadyJob;
import dev.jobs.client.WaitingJobs;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Lets the jobs of one client wait for its callers' transactions. Thread-safe. */
@Internal
public final class CommittedJobs implements WaitingJobs.OfCaller, AutoCloseable {

    /** How long work of a committed transaction is tried, in command timeouts. */
    private static final int PATIENCE = 3;

    /** That jobs are stored by the call itself, also in a transaction. */
    private record Now() {}

    private final Enqueuer enqueuer;
    private final Transactions transactions;
    private final @Nullable Outbox outbox;
    private final CommittedWork work;

    /**
     * @param outbox keeps jobs as part of the caller's transaction; null if they are sent after it
     * @throws JobDefinitionException if there are an outbox and shards
     */
    public CommittedJobs(Enqueuer enqueuer, Transactions transactions, @Nullable Outbox outbox) {
        if (outbox != null && enqueuer.store().hasShards()) {
            throw new JobDefinitionException(
                    "An outbox keeps jobs for one Redis, and this client stores them in several shards",
                    "Turn the outbox off, or do without shards.");
        }
        this.enqueuer = enqueuer;
        this.transactions = transactions;
        this.outbox = outbox;
        Duration timeout = enqueuer.store().timeout();
        this.work = new CommittedWork(timeout, timeout.multipliedBy(PATIENCE));
    }

    /** Methods of a client whose calls may store their jobs themselves. */
    public interface OptionMethods extends ClientWithOptions {

        @Override
        default JobClient now() {
            return choose(new Now());
        }
    }

    public static boolean isNow(Options options) {
        return options.choice(Now.class) != null;
    }

    /** The jobs that wait for the end of the caller's transaction; null if there is no transaction. */
    @Override
    public @Nullable WaitingJobs get() {
        Transactions.Transaction current = transactions.current();
        return current == null
                ? null
                : current.work(this, () -> new JobsOfTransaction(current, enqueuer, work, outbox));
    }

    /**
     * The jobs that wait for the end of the calling thread's transaction, in the order of the calls, as they would be
     * stored now. For tests.
     */
    public List<ReadyJob> waiting() {
        return get() instanceof JobsOfTransaction waiting ? waiting.ready() : List.of();
    }

    public Transactions transactions() {
        return transactions;
    }

    public @Nullable Outbox outbox() {
        return outbox;
    }

    public CommittedWork work() {
        return work;
    }

    @Override
    public void close() {
        work.close();
    }
}
