package dev.jobs.outbox;

import dev.jobs.databases.Database;

class MariaDbOutboxIT extends OutboxContract {

    @Override
    Database start() {
        return Database.mariadb();
    }
}
