package dev.jobs.outbox;

class PostgresOutboxIT extends OutboxContract {

    @Override
    Database start() {
        return Database.postgres();
    }
}
