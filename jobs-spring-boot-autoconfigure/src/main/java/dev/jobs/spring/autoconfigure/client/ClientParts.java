package dev.jobs.spring.autoconfigure.client;

import dev.jobs.Internal;
import dev.jobs.InvalidJobException;
import dev.jobs.JobDefinitionException;
import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.client.ClientConfig;
import dev.jobs.client.JobStore;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.spring.autoconfigure.properties.JobsProperties;
import dev.jobs.spring.autoconfigure.properties.JobsProperties.TransactionMode;
import dev.jobs.transactions.Outbox;
import dev.jobs.transactions.Transactions;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What makes the library's own client, also for batches of an application in which a test has put another client in the
 * place of that bean.
 *
 * @param mode what the application wants for jobs that are enqueued in a transaction
 * @param outbox null if there is none
 */
@Internal
public record ClientParts(
        JobStore store,
        JobRegistry registry,
        JobHooks hooks,
        ClientConfig config,
        EngineEnvironment environment,
        TransactionMode mode,
        Transactions transactions,
        @Nullable Outbox outbox) {

    private static final String MISSING = "jobs.transactions is 'outbox', and there is no outbox";
    private static final String REMEDY =
            "Add dev.jobs:jobs-outbox-jdbc to the class path, and mark the DataSource of these transactions with "
                    + "@JobsDataSource unless it is the single or primary one.";

    /** @throws JobDefinitionException if jobs are to go to an outbox, and there is none */
    public RedisJobClient client() {
        if (outbox == null && mode == TransactionMode.OUTBOX) {
            throw new JobDefinitionException(MISSING, REMEDY);
        }
        return new RedisJobClient(
                store, registry, hooks, config, environment.clock(), environment.random(), transactions, outbox);
    }

    /** For an application that is turned off: it starts with whatever it has. */
    public static @Nullable Outbox withoutOutbox(JobsProperties properties) {
        return properties.transactions() == TransactionMode.OUTBOX && !properties.enabled()
                ? new MissingOutbox()
                : null;
    }

    /** Refuses transactions with jobs, which would be lost. */
    private static final class MissingOutbox implements Outbox {

        @Override
        public boolean isReady() {
            throw new InvalidJobException(
                    MISSING + ", so this transaction can't be committed with its jobs. " + REMEDY);
        }

        @Override
        public void keep(List<Entry> jobs) {
            isReady();
        }

        @Override
        public void keepBatch(String id, byte[] commit) {
            isReady();
        }

        @Override
        public void committed() {}
    }
}
