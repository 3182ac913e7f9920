package dev.jobs.outbox;

import dev.jobs.databases.Database;
import dev.jobs.databases.NeedsMySql;

@NeedsMySql
class MySqlOutboxIT extends OutboxContract {

    @Override
    Database start() {
        return Database.mysql();
    }
}
