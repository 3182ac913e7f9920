package dev.jobs.outbox;

import dev.jobs.databases.Database;
import dev.jobs.databases.NeedsPostgres;

@NeedsPostgres
class PostgresOutboxIT extends OutboxContract {

    @Override
    Database start() {
        return Database.postgres();
    }
}
