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
import dev.jobs.spring.autoconfigure.database.JobsDatabase;
import dev.jobs.spring.autoconfigure.properties.JobsProperties;
import dev.jobs.spring.autoconfigure.properties.JobsProperties.TransactionMode;
import dev.jobs.transactions.Outbox;
import dev.jobs.transactions.Transactions;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.util.ClassUtils;

/**
 * What makes the library's own client, also for batches of an application in which a test has put another client in the
 * place of that bean.
 *
 * @param outbox null if jobs of transactions need none
 */
@Internal
public record ClientParts(
        JobStore store,
        JobRegistry registry,
        JobHooks hooks,
        ClientConfig config,
        EngineEnvironment environment,
        Transactions transactions,
        @Nullable Outbox outbox) {

    private static final String MISSING = "jobs.transactions is 'outbox', and there is no outbox";
    private static final String OTHERWISE = ", or set jobs.transactions to after-commit.";
    private static final String MODULE = "dev.jobs.outbox.JobsOutboxAutoConfiguration";

    /** @throws JobDefinitionException if jobs are to go to an outbox, and there is none */
    public RedisJobClient client() {
        if (outbox instanceof MissingOutbox missing && missing.endsStart()) {
            throw new JobDefinitionException(missing.what(), missing.remedy());
        }
        return new RedisJobClient(
                store, registry, hooks, config, environment.clock(), environment.random(), transactions, outbox);
    }

    /** What stands for an outbox that is wanted and not there; null if none is wanted. */
    public static @Nullable Outbox withoutOutbox(JobsProperties properties, ListableBeanFactory beans) {
        if (properties.transactions() != TransactionMode.OUTBOX) {
            return null;
        }
        if (!ClassUtils.isPresent(MODULE, ClientParts.class.getClassLoader())) {
            return new MissingOutbox(
                    properties.enabled(), MISSING, "Add dev.jobs:jobs-outbox-jdbc to the class path" + OTHERWISE);
        }
        JobsDatabase.Absence absence = JobsDatabase.absence(beans);
        return new MissingOutbox(properties.enabled(), MISSING + ": " + absence.reason(), absence.remedy() + OTHERWISE);
    }

    /**
     * Refuses transactions with jobs, which would be lost.
     *
     * @param endsStart false in an application that is turned off: it starts with whatever it has
     */
    private record MissingOutbox(boolean endsStart, String what, String remedy) implements Outbox {

        @Override
        public boolean isReady() {
            throw new InvalidJobException(what + ", so this transaction can't be committed with its jobs. " + remedy);
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
