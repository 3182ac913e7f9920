package dev.jobs.history;

import dev.jobs.databases.Database;
import dev.jobs.databases.NeedsMySql;

@NeedsMySql
class MySqlHistoryIT extends HistoryContract {

    @Override
    Database start() {
        return Database.mysql();
    }
}
