package dev.jobs.outbox;

import dev.jobs.databases.Database;
import dev.jobs.proof.LongTest;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;

/** Of an application whose pool hands out connections that don't commit by themselves. */
@LongTest
@Tag("database")
class WithoutAutoCommitOutboxIT extends OutboxContract {

    @Override
    Database start() {
        return Database.h2();
    }

    @Override
    DataSource pool(Database database) {
        return database.withoutAutoCommit();
    }

    @Override
    int processesAtOnce() {
        return 1;
    }
}
