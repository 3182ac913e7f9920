package dev.jobs.history;

import dev.jobs.databases.Database;
import dev.jobs.databases.NeedsMariaDb;

@NeedsMariaDb
class MariaDbHistoryIT extends HistoryContract {

    @Override
    Database start() {
        return Database.mariadb();
    }
}
