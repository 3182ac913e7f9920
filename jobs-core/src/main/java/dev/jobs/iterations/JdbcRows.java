package dev.jobs.iterations;

import dev.jobs.JobsException;
import dev.jobs.iterations.Iteration.Item;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a database query, page by page in the order of a key. The cursor is the row's key.
 *
 * <pre>{@code
 * JdbcRows.of(dataSource, "select id, name from product where id >= ? order by id limit ?", "id", 0,
 *         row -> new Product(row.getLong("id"), row.getString("name")))
 * }</pre>
 *
 * <p>The statement has two parameters: the first key of the page, inclusive, and the number of rows (in databases
 * without {@code limit}: {@code offset 0 rows fetch next ? rows only}). It must sort in ascending order of the key,
 * which must be unique and never null. If rows after the cursor are added or removed while the job runs or waits, the
 * job sees the rows as they are when it reads their page; it skips none.
 *
 * <p>No connection is held while rows are processed: each page takes a connection and returns it. Immutable.
 *
 * @param <E> the type of the elements
 */
public final class JdbcRows<E extends @Nullable Object> implements Iteration.Source<E> {

    private static final int DEFAULT_PAGE = 500;

    /** Maps the current row to an element. */
    @FunctionalInterface
    public interface Row<E extends @Nullable Object> {
        E map(ResultSet row) throws SQLException;
    }

    private final DataSource dataSource;
    private final String sql;
    private final String key;
    private final Object first;
    private final Row<? extends E> row;
    private final int pageSize;

    private JdbcRows(DataSource dataSource, String sql, String key, Object first, Row<? extends E> row, int pageSize) {
        this.dataSource = dataSource;
        this.sql = sql;
        this.key = key;
        this.first = first;
        this.row = row;
        this.pageSize = pageSize;
    }

    /**
     * Rows with a key that is a whole number.
     *
     * @param sql the statement; see the class
     * @param key the name of the key's column in the result
     * @param first the lowest possible key
     * @param row maps each row to an element
     */
    public static <E extends @Nullable Object> JdbcRows<E> of(
            DataSource dataSource, String sql, String key, long first, Row<? extends E> row) {
        return new JdbcRows<>(dataSource, sql, key, first, row, DEFAULT_PAGE);
    }

    /**
     * Rows with a key that is text.
     *
     * @param sql the statement; see the class
     * @param key the name of the key's column in the result
     * @param first a text that sorts before every key, such as the empty text
     * @param row maps each row to an element
     */
    public static <E extends @Nullable Object> JdbcRows<E> of(
            DataSource dataSource, String sql, String key, String first, Row<? extends E> row) {
        return new JdbcRows<>(dataSource, sql, key, first, row, DEFAULT_PAGE);
    }

    /**
     * The same rows, with another page size.
     *
     * @param rows rows per page, at least 2; 500 by default
     * @throws IllegalArgumentException if it is less than 2
     */
    public JdbcRows<E> pageSize(int rows) {
        if (rows < 2) {
            throw new IllegalArgumentException("'rows' must be at least 2 but was " + rows);
        }
        return new JdbcRows<>(dataSource, sql, key, first, row, rows);
    }

    /** Reads the first page. */
    @Override
    public Stream<Item<E>> open(@Nullable Object cursor) throws SQLException {
        if (cursor != null && cursor.getClass() != first.getClass()) {
            throw new InvalidCursorException("The stored cursor is not "
                    + (first instanceof Long ? "a whole number" : "text") + ", as the key '" + key
                    + "' is; was the job stored by code that iterates over something else?");
        }
        Rows rows = new Rows();
        rows.read(cursor == null ? first : cursor);
        return StreamSupport.stream(Spliterators.spliteratorUnknownSize(rows, Spliterator.ORDERED), false);
    }

    private final class Rows implements Iterator<Item<E>> {

        private final Deque<Item<E>> page = new ArrayDeque<>();
        private @Nullable Object last;
        private boolean ended;

        @Override
        public boolean hasNext() {
            Object from = last;
            if (page.isEmpty() && !ended && from != null) {
                try {
                    read(from);
                } catch (SQLException e) {
                    throw new JobsException("Could not read the rows after the one with the key " + from, e);
                }
            }
            return !page.isEmpty();
        }

        @Override
        public Item<E> next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            return page.remove();
        }

        private void read(Object from) throws SQLException {
            int count = 0;
            try (Connection connection = dataSource.getConnection();
                    PreparedStatement statement = connection.prepareStatement(sql)) {
                statement.setObject(1, from);
                statement.setInt(2, pageSize);
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        Object id = id(rows);
                        boolean known =
                                count == 0 && id.equals(last); // each page begins with the last row of the page before
                        if (!known) {
                            checkOrder(id);
                            page.add(new Item<>(row.map(rows), id));
                            last = id;
                        }
                        count++;
                    }
                }
            }
            ended = count < pageSize;
        }

        private Object id(ResultSet rows) throws SQLException {
            Object id = first instanceof Long ? (Object) rows.getLong(key) : rows.getString(key);
            if (id == null || rows.wasNull()) {
                throw new JobsException("The key '" + key + "' is null in a row after the one with the key " + last
                        + "; iterate by a key that is never null");
            }
            return id;
        }

        private void checkOrder(Object id) {
            boolean ascends =
                    id instanceof Long number && last instanceof Long before ? number > before : !id.equals(last);
            if (!ascends) {
                throw new JobsException("The row with the key " + id + " follows the row with the key " + last
                        + "; let the statement order by a unique key, '" + key + "', in ascending order");
            }
        }
    }
}
