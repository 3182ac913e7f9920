package dev.jobs.history;

import dev.jobs.batches.BatchJobState;
import dev.jobs.history.EventSearch.Order;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.RowMapper;

/**
 * Finds batches and jobs in the history.
 *
 * <pre>{@code
 * HistoryPage<HistoryEvent> refused = history.events(
 *         EventSearch.ofTask(id).withStates(BatchJobState.FAILED).withText("not qualified"), null, 100);
 * }</pre>
 *
 * <p>Rows of a running batch are up to about a second behind Redis; those of a batch that is {@link
 * HistoryTask#complete} equal it.
 *
 * <p>Thread-safe. Calls take part in the calling thread's transaction. Each throws a {@link
 * org.springframework.dao.DataAccessException} if the database can't be used.
 */
public final class JobHistory {

    /** Maximum number of items on a page. */
    public static final int MOST = 1_000;

    private static final int MOST_TASKS = 500;

    private static final String TASK = "select id, name, description, created_by, parent, state, total, waiting,"
            + " retrying, succeeded, failed, dead, skipped, lost, created_at, finished_at, copied from jobs_task";

    private static final String EVENT = "select job_id, task_id, idx, job, queue, status, params, messages, result,"
            + " error_class, attempts, created_at, started_at, ended_at from jobs_event";

    private static final String PRESENT = "state <> '" + TaskTable.DELETED + "'";

    private final HistoryTables tables;

    JobHistory(HistoryTables tables) {
        this.tables = tables;
    }

    /** The batch with that id; empty if there is none, or no longer. */
    public Optional<HistoryTask> task(String id) {
        return withTags(tables.fromTables(
                        () -> tables.jdbc().query(TASK + " where id = ? and " + PRESENT, JobHistory::readTask, id)))
                .stream()
                .findFirst();
    }

    /**
     * Batches, the newest first.
     *
     * @param after {@link HistoryPage#next} of the page before; null for the first page
     * @param size 1 to 1,000
     */
    public HistoryPage<HistoryTask> tasks(TaskSearch search, @Nullable String after, int size) {
        Conditions where = new Conditions();
        where.add(PRESENT);
        where.addIf("name = ?", search.name());
        where.addIf("state = ?", search.state() == null ? null : search.state().name());
        where.addIf("id in (select task_id from jobs_task_tag where tag = ?)", search.tag());
        where.addIf("created_by = ?", search.createdBy());
        where.addIf("parent = ?", search.parent());
        where.addIf("created_at >= ?", Times.storedOrNull(search.from()));
        where.addIf("created_at < ?", Times.storedOrNull(search.until()));
        where.addBefore("created_at", "id", after);
        HistoryPage<HistoryTask> page = page(
                TASK + where.sql() + " order by created_at desc, id desc",
                where,
                size,
                JobHistory::readTask,
                task -> mark(task.createdAt(), task.id()));
        return new HistoryPage<>(withTags(page.items()), page.next());
    }

    /** The job with that id; empty if there is none, or no longer. */
    public Optional<HistoryEvent> event(String jid) {
        return tables
                .fromTables(() -> tables.jdbc().query(EVENT + " where job_id = ?", JobHistory::readEvent, jid))
                .stream()
                .findFirst();
    }

    /**
     * Jobs in the order of the search.
     *
     * @param after {@link HistoryPage#next} of the page before; null for the first page
     * @param size 1 to 1,000
     */
    public HistoryPage<HistoryEvent> events(EventSearch search, @Nullable String after, int size) {
        String column =
                switch (search.order()) {
                    case INDEX -> "idx";
                    case NEWEST -> "created_at";
                    case ENDED -> "ended_at";
                };
        Conditions where = tables.fromTables(() -> conditions(search, column, after));
        List<String> words = words(search.text());
        if (!words.isEmpty()) {
            where = withWords(where, words, column, size);
        }
        String order = search.order() == Order.INDEX ? column : column + " desc, job_id desc";
        return page(
                EVENT + where.sql() + " order by " + order,
                where,
                size,
                JobHistory::readEvent,
                last -> switch (search.order()) {
                    case INDEX -> Long.toString(last.index());
                    case NEWEST -> mark(last.createdAt(), last.jid());
                    case ENDED -> mark(Objects.requireNonNull(last.endedAt()), last.jid());
                });
    }

    private Conditions withWords(Conditions others, List<String> words, String column, int size) {
        Conditions where = others.and(tables.dialect()::contains, words);
        int sorted = tables.dialect().sortedAfterwards();
        if (sorted == 0) {
            return where;
        }
        Conditions few = few(where, column, size, sorted);
        return few == null ? others.and(tables.dialect()::oftenContains, words) : few;
    }

    private Conditions conditions(EventSearch search, String column, @Nullable String after) {
        Conditions where = new Conditions();
        where.addIf("task_id = ?", search.task());
        if (!search.states().isEmpty()) {
            where.add(search.states().stream()
                    .sorted()
                    .map(state -> "'" + state.name() + "'")
                    .collect(Collectors.joining(", ", "status in (", ")")));
        }
        where.addIf("job = ?", search.job());
        where.addIf("queue = ?", search.queue());
        String tag = search.tag();
        if (tag != null) {
            addTag(where, tag);
        }
        where.addIf("created_at >= ?", Times.storedOrNull(search.from()));
        where.addIf("created_at < ?", Times.storedOrNull(search.until()));
        if (search.order() == Order.INDEX) {
            where.addIf("idx > ?", after == null ? null : number(after));
        } else {
            if (search.order() == Order.ENDED) {
                where.add("ended_at is not null");
            }
            where.addBefore(column, "job_id", after);
        }
        return where;
    }

    /** Databases plan better for known batches than for those of a tag. */
    private void addTag(Conditions where, String tag) {
        List<String> tasks = tables.jdbc()
                .queryForList(
                        tables.dialect().first("select task_id from jobs_task_tag where tag = ?", MOST_TASKS + 1),
                        String.class,
                        tag);
        if (tasks.isEmpty()) {
            where.add("1 = 0");
        } else if (tasks.size() <= MOST_TASKS) {
            where.add("task_id in (" + TaskTable.marks(tasks.size()) + ")", tasks.toArray());
        } else {
            where.add("task_id in (select task_id from jobs_task_tag where tag = ?)", tag);
        }
    }

    /** @param key where it stands in the order: a number of milliseconds, or the position in a batch */
    private record Found(String jid, long key) {}

    /** Finds what is on the page without the help of an order; null if more than {@code most} rows match. */
    private @Nullable Conditions few(Conditions where, String column, int size, int most) {
        boolean byIndex = column.equals("idx");
        List<Found> all = tables.jdbc()
                .query(
                        tables.dialect().first("select job_id, " + column + " from jobs_event" + where.sql(), most + 1),
                        (row, number) -> new Found(
                                row.getString(1),
                                byIndex ? row.getLong(2) : Times.read(row, 2).toEpochMilli()),
                        where.parameters());
        if (all.size() > most) {
            return null;
        }
        Comparator<Found> order = Comparator.comparingLong(Found::key);
        List<String> page = all.stream()
                .sorted(byIndex ? order : order.thenComparing(Found::jid).reversed())
                .limit(size + 1L)
                .map(Found::jid)
                .toList();
        Conditions these = new Conditions();
        these.add(page.isEmpty() ? "1 = 0" : "job_id in (" + TaskTable.marks(page.size()) + ")", page.toArray());
        return these;
    }

    /** Those that have a letter or digit; nothing else can be found. */
    private static List<String> words(@Nullable String text) {
        return text == null
                ? List.of()
                : Arrays.stream(text.split("\\s+"))
                        .filter(word -> word.codePoints().anyMatch(Character::isLetterOrDigit))
                        .map(word -> Texts.fit(word, 100))
                        .toList();
    }

    private <T> HistoryPage<T> page(
            String sql, Conditions where, int size, RowMapper<T> mapper, Function<T, String> mark) {
        if (size < 1 || size > MOST) {
            throw new IllegalArgumentException("'size' must be 1 to " + MOST + " but was " + size);
        }
        List<T> rows = tables.fromTables(
                () -> tables.jdbc().query(tables.dialect().first(sql, size + 1), mapper, where.parameters()));
        return rows.size() <= size
                ? new HistoryPage<>(rows, null)
                : new HistoryPage<>(rows.subList(0, size), mark.apply(rows.get(size - 1)));
    }

    private static String mark(Instant time, String id) {
        return time.toEpochMilli() + ":" + id;
    }

    private static long number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("'after' must come from the page before but was '" + text + "'", e);
        }
    }

    private static HistoryTask readTask(ResultSet row, int number) throws SQLException {
        return new HistoryTask(
                row.getString(1),
                Objects.requireNonNullElse(row.getString(2), ""), // Oracle has no empty text
                Objects.requireNonNullElse(row.getString(3), ""),
                List.of(),
                Objects.requireNonNullElse(row.getString(4), ""),
                row.getString(5),
                HistoryTask.State.valueOf(row.getString(6)),
                row.getLong(7),
                row.getLong(8),
                row.getLong(9),
                row.getLong(10),
                row.getLong(11),
                row.getLong(12),
                row.getLong(13),
                row.getLong(14),
                Times.read(row, 15),
                Times.read(row.getObject(16, LocalDateTime.class)),
                row.getString(17) != null);
    }

    private List<HistoryTask> withTags(List<HistoryTask> tasks) {
        if (tasks.isEmpty()) {
            return tasks;
        }
        Map<String, List<String>> tags = new HashMap<>();
        tables.jdbc()
                .query(
                        "select task_id, tag from jobs_task_tag where task_id in (" + TaskTable.marks(tasks.size())
                                + ") order by tag",
                        row -> {
                            tags.computeIfAbsent(row.getString(1), id -> new ArrayList<>())
                                    .add(row.getString(2));
                        },
                        tasks.stream().map(HistoryTask::id).toArray());
        return tasks.stream()
                .map(task -> task.withTags(tags.getOrDefault(task.id(), List.of())))
                .toList();
    }

    private static HistoryEvent readEvent(ResultSet row, int number) throws SQLException {
        return new HistoryEvent(
                row.getString(1),
                row.getString(2),
                row.getLong(3),
                Objects.requireNonNullElse(row.getString(4), ""), // Oracle has no empty text
                Objects.requireNonNullElse(row.getString(5), ""),
                BatchJobState.valueOf(row.getString(6)),
                row.getString(7),
                Texts.messages(row.getString(8)),
                row.getString(9),
                row.getString(10),
                row.getInt(11),
                Times.read(row, 12),
                Times.read(row.getObject(13, LocalDateTime.class)),
                Times.read(row.getObject(14, LocalDateTime.class)));
    }

    /** The conditions of a query, and its parameters. */
    private static final class Conditions {

        private final List<String> all = new ArrayList<>();
        private final List<Object> parameters = new ArrayList<>();

        void add(String condition, Object... values) {
            all.add(condition);
            parameters.addAll(List.of(values));
        }

        void addIf(String condition, @Nullable Object value) {
            if (value != null) {
                add(condition, value);
            }
        }

        /** Begins after the last row of a page, in descending order. */
        void addBefore(String time, String id, @Nullable String mark) {
            if (mark != null) {
                int colon = mark.indexOf(':');
                Object last = Times.stored(Instant.ofEpochMilli(number(mark.substring(0, Math.max(0, colon)))));
                add(time + " <= ? and (" + time + " < ? or " + id + " < ?)", last, last, mark.substring(colon + 1));
            }
        }

        /** These conditions, and that messages contain words. */
        Conditions and(BiFunction<String, List<String>, String> contains, List<String> words) {
            Conditions both = new Conditions();
            both.all.addAll(all);
            both.parameters.addAll(parameters);
            List<String> values = new ArrayList<>(words);
            both.add(contains.apply("messages", values), values.toArray());
            return both;
        }

        String sql() {
            return all.isEmpty() ? "" : " where " + String.join(" and ", all);
        }

        Object[] parameters() {
            return parameters.toArray();
        }
    }
}
