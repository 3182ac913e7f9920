package dev.jobs.outbox;

class H2OutboxIT extends OutboxContract {

    @Override
    Database start() {
        return Database.h2();
    }
}
