package dev.jobs.history;

import dev.jobs.batches.BatchJob;
import dev.jobs.batches.BatchJobState;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.ParameterizedPreparedStatementSetter;

/**
 * The rows of jobs. Thread-safe. Methods take part in the calling thread's transaction; those that write need one, as
 * those of {@link TaskTable} do.
 */
final class EventTable {

    /** How many rows one round trip to the database writes. */
    static final int BATCH = 500;

    /** How many rows one transaction deletes at most. */
    static final int SLICE = 5_000;

    private static final String PENDING = BatchJobState.pending().stream()
            .map(state -> "'" + state + "'")
            .collect(Collectors.joining(", ", "(", ")"));

    /**
     * A job that is recorded first.
     *
     * @param task the id of its batch; null if it is in none
     * @param result the JSON that it returned, if it is known
     */
    record NewEvent(
            String jid,
            @Nullable String task,
            long index,
            String job,
            String queue,
            BatchJobState state,
            @Nullable String parameters,
            @Nullable String messages,
            @Nullable String result,
            Instant createdAt) {}

    /**
     * An execution that ended.
     *
     * @param first the row if the job has none; null for a job of a batch, which has one
     * @param messages as JSON; null if nothing was said
     */
    record End(
            String jid,
            @Nullable NewEvent first,
            BatchJobState state,
            @Nullable String messages,
            @Nullable String errorClass,
            int attempt,
            Instant startedAt,
            Instant endedAt) {}

    private record Stored(
            String jid,
            String state,
            @Nullable String messages,
            @Nullable String result) {}

    private final JdbcTemplate jdbc;
    private final Dialect dialect;
    private final String insert;

    EventTable(JdbcTemplate jdbc, Dialect dialect) {
        this.jdbc = jdbc;
        this.dialect = dialect;
        this.insert = dialect.insertUnlessPresent(
                "jobs_event",
                "job_id",
                List.of(
                        "job_id varchar(255)",
                        "task_id varchar(16)",
                        "idx bigint",
                        "job varchar(200)",
                        "queue varchar(128)",
                        "status varchar(16)",
                        "params varchar(1000000)",
                        "messages varchar(1000000)",
                        "result varchar(1000000)",
                        "attempts integer",
                        "created_at timestamp(3)"));
    }

    /** Adds jobs, unless they are there. */
    void add(List<NewEvent> jobs) {
        batch(insert, jobs, (row, job) -> {
            row.setString(1, Texts.fit(job.jid(), 255));
            row.setString(2, job.task());
            row.setObject(3, job.task() == null ? null : job.index(), Types.BIGINT);
            row.setString(4, Texts.fit(job.job(), 200));
            row.setString(5, Texts.fit(job.queue(), 128));
            row.setString(6, job.state().name());
            row.setString(7, Texts.fitOrNull(job.parameters(), Texts.LONGEST));
            row.setString(8, job.messages());
            row.setString(9, Texts.fitOrNull(job.result(), Texts.LONGEST));
            row.setInt(10, 0);
            row.setObject(11, Times.stored(job.createdAt()));
        });
    }

    private <T> void batch(String sql, List<T> rows, ParameterizedPreparedStatementSetter<T> setter) {
        if (!rows.isEmpty()) {
            jdbc.batchUpdate(sql, rows, BATCH, setter);
        }
    }

    /**
     * Adds what came of executions. One that is no later than what is known changes nothing, so the order of calls is
     * free and each may be repeated.
     */
    void end(List<End> ends) {
        add(ends.stream().map(End::first).filter(Objects::nonNull).toList());
        batch(
                "update jobs_event set status = ?, messages = " + dialect.given("messages")
                        + ", error_class = coalesce(?, error_class),"
                        + " attempts = ?, started_at = ?, ended_at = ?"
                        + " where job_id = ? and (attempts < ? or attempts = ? and (status in " + PENDING
                        + " or ended_at < ?))",
                ends,
                EventTable::set);
    }

    private static void set(PreparedStatement row, End end) throws SQLException {
        row.setString(1, end.state().name());
        row.setString(2, end.messages());
        row.setString(3, Texts.fitOrNull(end.errorClass(), 300));
        row.setInt(4, end.attempt());
        row.setObject(5, Times.stored(end.startedAt()));
        row.setObject(6, Times.stored(end.endedAt()));
        row.setString(7, Texts.fit(end.jid(), 255));
        row.setInt(8, end.attempt());
        row.setInt(9, end.attempt());
        row.setObject(10, Times.stored(end.endedAt())); // a job that is revived repeats its last attempt
    }

    /**
     * Makes the rows of some jobs of a batch equal to what Redis has.
     *
     * @param after the index after which they begin
     * @param last the index of the last one
     * @param jobs all jobs of the batch between these
     */
    void equalize(String task, long after, long last, List<BatchJob> jobs, Instant now) {
        Map<String, Stored> rows = new HashMap<>();
        jdbc.query(
                "select job_id, status, messages, result from jobs_event where task_id = ? and idx > ? and idx <= ?",
                row -> {
                    rows.put(
                            row.getString(1),
                            new Stored(row.getString(1), row.getString(2), row.getString(3), row.getString(4)));
                },
                task,
                after,
                last);
        List<Stored> changed = new ArrayList<>();
        List<NewEvent> missing = new ArrayList<>();
        for (BatchJob job : jobs) {
            Stored wanted = new Stored(
                    job.jid(),
                    job.state().name(),
                    Texts.json(job.messages()),
                    Texts.fitOrNull(job.result(), Texts.LONGEST));
            Stored row = rows.remove(job.jid());
            if (row == null) {
                missing.add(new NewEvent(
                        job.jid(),
                        task,
                        job.index(),
                        "",
                        "",
                        job.state(),
                        null,
                        wanted.messages(),
                        wanted.result(),
                        now));
            } else if (!row.equals(wanted)) {
                changed.add(wanted);
            }
        }
        add(missing);
        batch("update jobs_event set status = ?, messages = ?, result = ? where job_id = ?", changed, (row, wanted) -> {
            row.setString(1, wanted.state());
            row.setString(2, wanted.messages());
            row.setString(3, wanted.result());
            row.setString(4, wanted.jid());
        });
        // Of a call that failed between the journal and Redis.
        batch(
                "delete from jobs_event where job_id = ?",
                List.copyOf(rows.keySet()),
                (row, jid) -> row.setString(1, jid));
    }

    /** Whether any execution of a batch's jobs was recorded. */
    boolean hasRun(String task) {
        return !jdbc.queryForList(
                        dialect.first("select job_id from jobs_event where task_id = ? and attempts > 0", 1),
                        String.class,
                        task)
                .isEmpty();
    }

    boolean isEmpty(String task) {
        return jdbc.queryForList(
                        dialect.first("select job_id from jobs_event where task_id = ?", 1), String.class, task)
                .isEmpty();
    }

    /** Deletes up to {@value #SLICE} jobs of a batch. Returns how many. */
    int deleteSlice(String task) {
        Long last = first(jdbc.queryForList(
                dialect.row("select idx from jobs_event where task_id = ? order by idx", SLICE - 1), Long.class, task));
        return last == null
                ? jdbc.update("delete from jobs_event where task_id = ?", task)
                : jdbc.update("delete from jobs_event where task_id = ? and idx <= ?", task, last);
    }

    /** Deletes up to some {@value #SLICE} jobs outside batches that ended before a time. Returns how many. */
    int deleteSlice(Instant before) {
        LocalDateTime last = first(jdbc.queryForList(
                dialect.row(
                        "select ended_at from jobs_event where task_id is null and ended_at < ? order by ended_at",
                        SLICE - 1),
                LocalDateTime.class,
                Times.stored(before)));
        return last == null
                ? jdbc.update("delete from jobs_event where task_id is null and ended_at < ?", Times.stored(before))
                : jdbc.update("delete from jobs_event where task_id is null and ended_at <= ?", last);
    }

    private static <T> @Nullable T first(List<T> rows) {
        return rows.isEmpty() ? null : rows.get(0);
    }
}
