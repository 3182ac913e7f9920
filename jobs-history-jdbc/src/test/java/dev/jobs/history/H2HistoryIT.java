package dev.jobs.history;

import dev.jobs.databases.Database;

class H2HistoryIT extends HistoryContract {

    @Override
    Database start() {
        return Database.h2();
    }
}
