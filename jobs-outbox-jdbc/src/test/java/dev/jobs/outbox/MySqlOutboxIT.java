package dev.jobs.outbox;

import dev.jobs.databases.Database;

class MySqlOutboxIT extends OutboxContract {

    @Override
    Database start() {
        return Database.mysql();
    }
}
