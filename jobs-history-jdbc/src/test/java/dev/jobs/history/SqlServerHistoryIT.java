package dev.jobs.history;

import dev.jobs.databases.Database;
import dev.jobs.databases.NeedsSqlServer;

@NeedsSqlServer
class SqlServerHistoryIT extends HistoryContract {

    @Override
    Database start() {
        return Database.sqlServer();
    }
}
