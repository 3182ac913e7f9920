package dev.jobs.outbox;

import dev.jobs.databases.Database;
import dev.jobs.databases.NeedsSqlServer;

@NeedsSqlServer
class SqlServerOutboxIT extends OutboxContract {

    @Override
    Database start() {
        return Database.sqlServer();
    }
}
