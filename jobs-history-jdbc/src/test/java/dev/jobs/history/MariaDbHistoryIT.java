package dev.jobs.history;

import dev.jobs.databases.Database;

class MariaDbHistoryIT extends HistoryContract {

    @Override
    Database start() {
        return Database.mariadb();
    }
}
