package dev.jobs.history;

import dev.jobs.databases.Database;

class MySqlHistoryIT extends HistoryContract {

    @Override
    Database start() {
        return Database.mysql();
    }
}
