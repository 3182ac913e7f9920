package dev.jobs.outbox;

import dev.jobs.databases.Database;

class PostgresOutboxIT extends OutboxContract {

    @Override
    Database start() {
        return Database.postgres();
    }
}
