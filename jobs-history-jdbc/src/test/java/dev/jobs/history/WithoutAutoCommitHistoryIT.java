package dev.jobs.history;

import dev.jobs.databases.Database;
import javax.sql.DataSource;

/** Of an application whose pool hands out connections that don't commit by themselves. */
class WithoutAutoCommitHistoryIT extends HistoryContract {

    @Override
    Database start() {
        return Database.h2();
    }

    @Override
    DataSource pool(Database database) {
        return database.withoutAutoCommit();
    }
}
