package dev.jobs.outbox;

import dev.jobs.databases.Database;

class H2OutboxIT extends OutboxContract {

    @Override
    Database start() {
        return Database.h2();
    }
}
