package dev.jobs.outbox;

import dev.jobs.databases.Database;

class H2OutboxIT extends OutboxContract {

    @Override
    Database start() {
        return Database.h2();
    }

    /** It has no lock that outlasts the making of a table, and an embedded database has one process. */
    @Override
    int processesAtOnce() {
        return 1;
    }
}
