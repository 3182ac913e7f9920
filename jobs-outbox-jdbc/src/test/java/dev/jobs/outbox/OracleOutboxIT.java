package dev.jobs.outbox;

import dev.jobs.databases.Database;
import dev.jobs.databases.NeedsOracle;

@NeedsOracle
class OracleOutboxIT extends OutboxContract {

    @Override
    Database start() {
        return Database.oracle();
    }
}
