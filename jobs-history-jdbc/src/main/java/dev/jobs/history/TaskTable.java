package dev.jobs.history;

import dev.jobs.batches.BatchEvent;
import dev.jobs.batches.BatchStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The rows of batches. Beside what people see, a row has the state of its comparison with Redis:
 *
 * <ul>
 *   <li>{@code version}: what was last seen of the batch, see {@link #version}.
 *   <li>{@code copying}: the version that is being copied, up to the index {@code copied_to}; null if none is.
 *   <li>{@code copied}: the version that was copied in full; null if none was, or something has changed since.
 *   <li>{@code look_at}: when to compare next; null if Redis no longer has the batch.
 *   <li>{@code pause}: milliseconds between the last two looks.
 * </ul>
 *
 * <p>Thread-safe. Methods take part in the calling thread's transaction. Those that write need one: a pool may hand out
 * connections that don't commit by themselves.
 */
final class TaskTable {

    private static final List<String> COLUMNS = List.of(
            "id varchar(16)",
            "name varchar(200)",
            "state varchar(12)",
            "total bigint",
            "waiting bigint",
            "retrying bigint",
            "succeeded bigint",
            "failed bigint",
            "dead bigint",
            "skipped bigint",
            "lost bigint",
            "created_at timestamp(3)",
            "version varchar(200)",
            "look_at timestamp(3)",
            "pause bigint");

    /** The state of a batch that is marked for deletion, and no longer found. */
    static final String DELETED = "DELETED";

    private static final int MARKED_AT_ONCE = 100;

    /** A batch that is to be compared with Redis. */
    record Due(
            String id,
            HistoryTask.State state,
            String version,
            @Nullable String copying,
            long copiedTo,
            @Nullable String copied,
            Instant createdAt,
            Instant lookAt,
            Duration pause) {}

    private final JdbcTemplate jdbc;
    private final Dialect dialect;
    private final String insert;
    private final String insertTag;

    TaskTable(JdbcTemplate jdbc, Dialect dialect) {
        this.jdbc = jdbc;
        this.dialect = dialect;
        this.insert = dialect.insertUnlessPresent("jobs_task", "id", COLUMNS);
        this.insertTag = dialect.insertUnlessPresent(
                "jobs_task_tag", "task_id, tag", List.of("task_id varchar(16)", "tag varchar(100)"));
    }

    /** What changes whenever a job of a finished batch changes its state. */
    static String version(BatchStatus batch) {
        return batch.state() + " " + batch.changedAt().toEpochMilli() + " " + batch.total() + " " + batch.waiting()
                + " " + batch.retrying() + " " + batch.succeeded() + " " + batch.failed() + " " + batch.dead() + " "
                + batch.skipped() + " " + batch.lost();
    }

    /** Adds a batch that has just been created, unless it is there. */
    void add(String id, String name, Instant now) {
        jdbc.update(
                insert,
                id,
                Texts.fit(name, 200),
                HistoryTask.State.FILLING.name(),
                0L,
                0L,
                0L,
                0L,
                0L,
                0L,
                0L,
                0L,
                Times.stored(now),
                "",
                Times.stored(now),
                0L);
    }

    /** Adopts a batch: until then no other process looks at it. Returns false if another one was faster. */
    boolean adopt(Due task, Instant until) {
        return jdbc.update(
                        "update jobs_task set look_at = ? where id = ? and look_at = ?",
                        Times.stored(until),
                        task.id(),
                        Times.stored(task.lookAt()))
                == 1;
    }

    /** Batches whose time has come. */
    List<Due> due(Instant now, int count) {
        return jdbc.query(
                dialect.first(
                        "select id, state, version, copying, copied_to, copied, created_at, look_at, pause from jobs_task"
                                + " where look_at <= ? order by look_at",
                        count),
                (row, number) -> new Due(
                        row.getString(1),
                        HistoryTask.State.valueOf(row.getString(2)),
                        Objects.requireNonNullElse(row.getString(3), ""), // Oracle has no empty text
                        row.getString(4),
                        row.getLong(5),
                        row.getString(6),
                        Times.read(row, 7),
                        Times.read(row, 8),
                        Duration.ofMillis(row.getLong(9))),
                Times.stored(now));
    }

    /** Lets nobody look at an adopted batch until then, unless something happened to it since. */
    void postpone(String id, Instant adopted, Instant until, Duration pause) {
        jdbc.update(
                "update jobs_task set look_at = ?, pause = ? where id = ? and look_at = ?",
                Times.stored(until),
                pause.toMillis(),
                id,
                Times.stored(adopted));
    }

    boolean exists(String id) {
        return !jdbc.queryForList("select id from jobs_task where id = ?", String.class, id)
                .isEmpty();
    }

    /** The parameters of an IN. */
    static String marks(int count) {
        return String.join(", ", Collections.nCopies(count, "?"));
    }

    /**
     * Notes what Redis has of a batch.
     *
     * @param tagged whether its tags were noted before
     */
    void seen(BatchStatus batch, boolean tagged) {
        jdbc.update(
                "update jobs_task set description = ?, created_by = ?, parent = ?, state = ?, total = ?, waiting = ?,"
                        + " retrying = ?, succeeded = ?, failed = ?, dead = ?, skipped = ?, lost = ?, finished_at = ?,"
                        + " version = ? where id = ?",
                Texts.fit(batch.description(), 1_000),
                Texts.fit(batch.createdBy(), 200),
                batch.parent(),
                HistoryTask.State.valueOf(batch.state().name()).name(),
                batch.total(),
                batch.waiting(),
                batch.retrying(),
                batch.succeeded(),
                batch.failed(),
                batch.dead(),
                batch.skipped(),
                batch.lost(),
                batch.isFinished() ? Times.storedOrNull(batch.events().get(BatchEvent.FINISHED)) : null,
                version(batch),
                batch.id());
        if (!tagged) {
            for (String tag : batch.tags()) {
                jdbc.update(insertTag, batch.id(), Texts.fit(tag, 100));
            }
        }
    }

    /** Begins to copy a version of a batch, from its first job, unless it is copied. */
    void beginCopy(String id, String version) {
        jdbc.update(
                "update jobs_task set copying = ?, copied_to = -1, copied = null where id = ?"
                        + " and (copied is null or copied <> ?) and (copying is null or copying <> ?)",
                version,
                id,
                version,
                version);
    }

    /**
     * Locks a batch while jobs of it are copied.
     *
     * @return false if that version is no longer being copied
     */
    boolean lockCopy(String id, String version) {
        return !jdbc.queryForList(
                        dialect.lock("select id from jobs_task where id = ? and copying = ?"),
                        String.class,
                        id,
                        version)
                .isEmpty();
    }

    void copiedTo(String id, long index) {
        jdbc.update("update jobs_task set copied_to = ? where id = ?", index, id);
    }

    /** All jobs of that version are copied, unless something has happened meanwhile. */
    void endCopy(String id, String version, Instant next) {
        jdbc.update(
                "update jobs_task set copied = copying, copying = null, look_at = ? where id = ? and copying = ?",
                Times.stored(next),
                id,
                version);
    }

    /** Redis no longer has the batch. */
    void gone(String id, HistoryTask.State state) {
        jdbc.update("update jobs_task set look_at = null, copying = null, state = ? where id = ?", state.name(), id);
    }

    /**
     * Something happened to jobs of these batches: they are compared soon, and what was copied counts for nothing. From
     * here to the end of the transaction nobody begins to copy them.
     */
    void happened(Collection<String> ids, Instant next) {
        if (ids.isEmpty()) {
            return;
        }
        List<Object> parameters = new ArrayList<>(List.of(Times.stored(next)));
        parameters.addAll(ids);
        parameters.add(Times.stored(next));
        jdbc.update(
                "update jobs_task set look_at = ?, pause = 0, copying = null, copied = null where look_at is not null and "
                        + dialect.oneOf("id", ids.size())
                        + " and (copying is not null or copied is not null or look_at > ?)",
                parameters.toArray());
        jdbc.queryForList(
                "select id from jobs_task" + dialect.sharedTable() + " where " + dialect.oneOf("id", ids.size())
                        + " order by id" + dialect.shared(),
                String.class,
                ids.toArray());
    }

    /** Marks some batches for deletion that Redis forgot and that had finished, or were created, before a time. */
    void markOld(Instant before) {
        jdbc.queryForList(
                        dialect.first(
                                "select id from jobs_task where look_at is null and created_at < ?"
                                        + " and (finished_at is null or finished_at < ?) and state <> '" + DELETED
                                        + "' order by created_at",
                                MARKED_AT_ONCE),
                        String.class,
                        Times.stored(before),
                        Times.stored(before))
                .forEach(this::mark);
    }

    /** Marks one batch for deletion. */
    void mark(String id) {
        jdbc.update("update jobs_task set state = '" + DELETED + "', look_at = null where id = ?", id);
    }

    /** Locks a batch that is marked for deletion; null if there is none, or other processes delete them. */
    @Nullable String lockMarked() {
        List<String> ids = jdbc.queryForList(
                dialect.lockFirst("select id from jobs_task where state = '" + DELETED + "'"), String.class);
        return ids.isEmpty() ? null : ids.get(0);
    }

    void delete(String id) {
        jdbc.update("delete from jobs_task_tag where task_id = ?", id);
        jdbc.update("delete from jobs_task where id = ?", id);
    }
}
