package dev.jobs.outbox;

import dev.jobs.databases.Database;
import dev.jobs.databases.NeedsMariaDb;

@NeedsMariaDb
class MariaDbOutboxIT extends NamedLockContract {

    @Override
    Database start() {
        return Database.mariadb();
    }
}
