package dev.jobs.history;

import dev.jobs.databases.Database;

class PostgresHistoryIT extends HistoryContract {

    @Override
    Database start() {
        return Database.postgres();
    }
}
