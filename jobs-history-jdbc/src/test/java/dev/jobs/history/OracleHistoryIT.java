package dev.jobs.history;

import dev.jobs.databases.Database;
import dev.jobs.databases.NeedsOracle;

@NeedsOracle
class OracleHistoryIT extends HistoryContract {

    @Override
    Database start() {
        return Database.oracle();
    }
}
