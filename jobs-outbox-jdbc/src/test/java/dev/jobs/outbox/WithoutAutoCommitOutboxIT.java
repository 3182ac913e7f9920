package dev.jobs.outbox;

import dev.jobs.databases.Database;
import javax.sql.DataSource;

/** Of an application whose pool hands out connections that don't commit by themselves. */
class WithoutAutoCommitOutboxIT extends OutboxContract {

    @Override
    Database start() {
        return Database.h2();
    }

    @Override
    DataSource pool(Database database) {
        return database.withoutAutoCommit();
    }

    @Override
    int processesAtOnce() {
        return 1;
    }
}
