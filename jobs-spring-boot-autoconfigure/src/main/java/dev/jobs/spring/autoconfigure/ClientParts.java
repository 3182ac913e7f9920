package dev.jobs.spring.autoconfigure;

import dev.jobs.JobDefinitionException;
import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.client.ClientConfig;
import dev.jobs.client.JobStore;
import dev.jobs.client.Outbox;
import dev.jobs.client.RedisJobClient;
import dev.jobs.client.Transactions;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.spring.autoconfigure.JobsProperties.TransactionMode;
import org.jspecify.annotations.Nullable;

/**
 * What makes the library's own client, also for batches of an application in which a test has put another client in the
 * place of that bean.
 *
 * @param mode what the application wants for jobs that are enqueued in a transaction
 * @param outbox null if there is none
 */
record ClientParts(
        JobStore store,
        JobRegistry registry,
        JobHooks hooks,
        ClientConfig config,
        EngineEnvironment environment,
        TransactionMode mode,
        Transactions transactions,
        @Nullable Outbox outbox) {

    /** @throws JobDefinitionException if jobs are to go to an outbox, and there is none */
    RedisJobClient client() {
        if (outbox == null && mode == TransactionMode.OUTBOX) {
            throw new JobDefinitionException(
                    "jobs.transactions is 'outbox', and there is no outbox",
                    "Add dev.jobs:jobs-outbox-jdbc to the class path and make sure that there is a single or a primary DataSource.");
        }
        return new RedisJobClient(
                store, registry, hooks, config, environment.clock(), environment.random(), transactions, outbox);
    }
}
