package dev.jobs.history;

import dev.jobs.databases.Database;
import dev.jobs.databases.NeedsPostgres;

@NeedsPostgres
class PostgresHistoryIT extends HistoryContract {

    @Override
    Database start() {
        return Database.postgres();
    }
}
