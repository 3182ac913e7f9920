package dev.jobs.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.batches.BatchJobState;
import dev.jobs.databases.Database;
import dev.jobs.history.EventTable.End;
import dev.jobs.history.EventTable.NewEvent;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;

/** What becomes of ends that the database doesn't take. */
class HistoryWriterTests {

    private static final String SCHEMA = "dev/jobs/history/h2/R__jobs_history_001.sql";

    private Database database;
    private HistoryTables tables;
    private HistoryWriter writer;

    @BeforeEach
    void open() {
        database = Database.h2();
        tables = new HistoryTables(database.source());
        writer = new HistoryWriter(tables, Clock.systemUTC(), Duration.ofMillis(50));
    }

    @AfterEach
    void close() {
        database.close();
    }

    private static End end(int number, String parameters) {
        Instant now = Instant.ofEpochMilli(1_700_000_000_000L);
        NewEvent first = new NewEvent(
                "j" + number, null, 0, "A", "default", BatchJobState.ENQUEUED, parameters, null, null, now);
        return new End("j" + number, first, BatchJobState.SUCCEEDED, null, null, 1, now, now);
    }

    @Test
    void endsWaitUntilTheDatabaseTakesThem() {
        writer.add(end(1, "[]"));
        assertThatThrownBy(writer::runOnce).isInstanceOf(DataAccessException.class);
        writer.add(end(2, "[]"));
        assertThat(writer.waiting()).isEqualTo(2);
        database.run(SCHEMA);
        writer.finish();
        assertThat(writer.waiting()).isZero();
        JobHistory history = new JobHistory(tables);
        assertThat(history.event("j1")).isPresent();
        assertThat(history.event("j2")).isPresent();
        assertThat(writer.dropped()).isZero();
    }

    @Test
    void theBufferHolds20000Jobs() {
        for (int number = 0; number < 20_002; number++) {
            writer.add(end(number, "[]"));
        }
        assertThat(writer.waiting()).isEqualTo(20_000);
        assertThat(writer.dropped()).isEqualTo(2);
    }

    @Test
    void largeParametersFillTheBufferEarlierUntilTheyAreWritten() {
        String large = "x".repeat(50_001);
        for (int number = 0; number < 1_001; number++) {
            writer.add(end(number, large));
        }
        assertThat(writer.waiting()).isEqualTo(1_000);
        assertThat(writer.dropped()).isEqualTo(1);
        database.run(SCHEMA);
        writer.finish();
        writer.add(end(1_001, large));
        assertThat(writer.waiting()).isEqualTo(1);
    }
}
