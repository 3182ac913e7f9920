package dev.jobs.outbox;

import dev.jobs.spring.autoconfigure.beans.LateValue;
import dev.jobs.transactions.Outbox.Entry;
import dev.jobs.transactions.OutboxPushes;
import dev.jobs.transactions.OutboxPushes.Relayed;
import java.security.SecureRandom;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The tables of the outbox. {@code jobs_outbox} has a row for each job that is not known to be in Redis, and for each
 * batch that is not known to be committed there; {@code jobs_outbox_lane} has the number of the last slice of each
 * lane. What databases write differently is in {@link OutboxDialect}. Reaches the database at its first use.
 * Thread-safe.
 *
 * <p>Rows get the number of a slice in one transaction and leave in another. Ids become visible out of order, since a
 * transaction that began earlier may commit later, so a slice is what has its number, not a range of ids.
 */
final class OutboxTable {

    /** Instead of the name of a queue: the row is the commit of a batch. */
    static final String BATCH = "";

    /** The lane of rows that were set aside. No relay looks at it. */
    private static final int ASIDE = -1;

    /** A slice of large jobs ends earlier: Redis executes it as a whole, and must still answer other clients soon. */
    private static final int SLICE_BYTES = 1_000_000;

    private static final int SOURCE_BYTES = 8;

    /** Of the standard, as in PostgreSQL. */
    private static final String READ_ONLY_STATE = "25006";

    /** Of MySQL and MariaDB (two), H2, Oracle and SQL Server. */
    private static final Set<Integer> READ_ONLY_CODES = Set.of(1290, 1836, 90097, 16000, 3906);

    /** The column is for people; the payload has the whole. */
    private static final int JID_LENGTH = 255;

    /**
     * Rows that have a number.
     *
     * @param source the outbox that the lane is of: no two databases share it
     */
    record Slice(String source, int lane, long number, List<Row> rows) {

        /** Identifies the lane in Redis. */
        String laneId() {
            return source + ":" + lane;
        }
    }

    /**
     * What waits.
     *
     * @param oldest when the oldest job was enqueued, in milliseconds since 1970; null if none waits
     */
    record Backlog(long jobs, @Nullable Long oldest) {}

    /** A job, or the commit of a batch if its queue is {@link #BATCH}. */
    record Row(long slice, long id, Relayed job) {}

    private record Lane(String source, long number) {}

    private final JdbcTemplate jdbc;
    private final TransactionTemplate transactions;
    private final int lanes;
    private final Supplier<OutboxDialect> dialect;

    OutboxTable(DataSource database, int lanes) {
        this.jdbc = new JdbcTemplate(database);
        this.transactions = new TransactionTemplate(new JdbcTransactionManager(database));
        transactions.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        transactions.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
        this.lanes = lanes;
        this.dialect = new LateValue<>(() -> OutboxDialect.of(database));
    }

    /** Adds rows, in the calling thread's transaction. */
    void add(List<Entry> jobs, long now) {
        jdbc.batchUpdate(
                "insert into jobs_outbox (lane, queue, due, jid, payload, created) values (?, ?, ?, ?, ?, ?)",
                jobs,
                OutboxPushes.SLICE,
                (row, job) -> fill(row, job, now));
    }

    private void fill(PreparedStatement row, Entry job, long now) throws SQLException {
        row.setInt(1, Math.floorMod(job.queue().hashCode(), lanes));
        row.setString(2, job.queue());
        if (job.at() == null) {
            row.setNull(3, Types.VARCHAR);
        } else {
            row.setString(3, job.at());
        }
        row.setString(4, job.jid().length() > JID_LENGTH ? job.jid().substring(0, JID_LENGTH) : job.jid());
        row.setBytes(5, job.payload());
        row.setLong(6, now);
    }

    /** Creates the rows of lanes that have none yet. */
    void createLanes() {
        for (int lane = 0; lane < lanes; lane++) {
            Integer known =
                    jdbc.queryForObject("select count(*) from jobs_outbox_lane where lane = ?", Integer.class, lane);
            if (known != null && known == 0) {
                createLane(lane);
            }
        }
    }

    private void createLane(int lane) {
        byte[] source = new byte[SOURCE_BYTES];
        new SecureRandom().nextBytes(source);
        try {
            transactions.executeWithoutResult(status ->
                    jdbc.update(dialect.get().addLane(), lane, HexFormat.of().formatHex(source)));
        } catch (DuplicateKeyException e) {
            // another process was faster
        }
    }

    /**
     * The slice to be stored next: one that has a number already, or up to {@value OutboxPushes#SLICE} jobs, which now
     * have one. Null if no job waits, or another process is choosing a slice of this lane.
     */
    @Nullable Slice next(int lane) {
        Optional<Slice> next = transactions.execute(status -> lock(lane).flatMap(locked -> choose(lane, locked)));
        return Objects.requireNonNull(next).orElse(null);
    }

    private Optional<Slice> choose(int lane, Lane locked) {
        List<Row> numbered = numbered(lane);
        if (!numbered.isEmpty()) {
            long first = numbered.get(0).slice();
            numbered.removeIf(row -> row.slice() != first);
            return Optional.of(slice(locked, lane, first, numbered));
        }
        List<Long> waiting = waiting(lane);
        if (waiting.isEmpty()) {
            return Optional.empty();
        }
        long number = locked.number() + 1;
        jdbc.update(dialect.get().countUp(), number, lane);
        jdbc.batchUpdate(
                "update jobs_outbox set slice = ? where id = ?",
                waiting.stream().map(id -> new Object[] {number, id}).toList());
        return Optional.of(slice(locked, lane, number, numbered(lane)));
    }

    private static Slice slice(Lane locked, int lane, long number, List<Row> rows) {
        return new Slice(locked.source(), lane, number, List.copyOf(rows));
    }

    private Optional<Lane> lock(int lane) {
        return jdbc
                .query(dialect.get().lockLane(), (row, index) -> new Lane(row.getString(1), row.getLong(2)), lane)
                .stream()
                .findFirst();
    }

    /**
     * The rows that have a number, by their numbers: in general those of one slice. Oracle takes the queue {@link #BATCH}
     * for null.
     */
    private List<Row> numbered(int lane) {
        return jdbc.query(
                dialect.get().numbered(OutboxPushes.SLICE),
                (row, index) -> new Row(
                        row.getLong(2),
                        row.getLong(1),
                        new Relayed(
                                Objects.requireNonNullElse(row.getString(3), BATCH),
                                row.getString(4),
                                row.getBytes(5))),
                lane);
    }

    /**
     * The ids of the rows that are next. Their payloads are read once it is known how many of them fit: five hundred
     * large ones would fill the heap.
     */
    private List<Long> waiting(int lane) {
        List<Long> some = new ArrayList<>();
        AtomicLong bytes = new AtomicLong();
        jdbc.query(
                dialect.get().waiting(OutboxPushes.SLICE),
                row -> {
                    if (bytes.addAndGet(row.getLong(2)) <= SLICE_BYTES || some.isEmpty()) {
                        some.add(row.getLong(1));
                    }
                },
                lane);
        return some;
    }

    /**
     * Removes the jobs of a slice that is in Redis. The default isolation of MySQL would also lock the gap where
     * applications add rows, and end in deadlocks with them.
     */
    void remove(Slice slice) {
        transactions.executeWithoutResult(status ->
                jdbc.update("delete from jobs_outbox where lane = ? and slice = ?", slice.lane(), slice.number()));
    }

    /** Keeps a row from all relays until {@link #takeBack}. */
    void setAside(Row row) {
        transactions.executeWithoutResult(
                status -> jdbc.update("update jobs_outbox set lane = ?, slice = null where id = ?", ASIDE, row.id()));
    }

    /** Lets relays try the rows again that were set aside. */
    void takeBack() {
        transactions.executeWithoutResult(
                status -> jdbc.update("update jobs_outbox set lane = 0 where lane = ?", ASIDE));
    }

    /** Tells the outbox from those of other databases, also in a copy; null if no relay was there yet. */
    @Nullable String source() {
        return jdbc.queryForList(dialect.get().source(), String.class).stream()
                .findFirst()
                .orElse(null);
    }

    /** Where the rows of the calling thread's transaction are, for people, without the secrets that a URL may have. */
    String address() {
        return Objects.requireNonNull(jdbc.execute((ConnectionCallback<String>) connection -> {
            String catalog = connection.getCatalog();
            String schema = connection.getSchema(); // a query in PostgreSQL
            return withoutSecrets(String.valueOf(connection.getMetaData().getURL()))
                    + (catalog == null ? "" : ", database " + catalog)
                    + (schema == null ? "" : ", schema " + schema);
        }));
    }

    /** Oracle has user and password before the first address, others before the host, as parameters or in a list. */
    static String withoutSecrets(String url) {
        return url.replaceFirst("^(jdbc:oracle:\\w+:).*@", "$1@")
                .replaceAll("//[^/?;]*@", "//")
                .replaceAll("[?;].*", "")
                .replaceAll("(?i)(user|password)=[^,)]*", "$1=");
    }

    /** Whether an error says that the database can't be written. */
    static boolean isReadOnly(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof SQLException sql
                    && (READ_ONLY_STATE.equals(sql.getSQLState()) || READ_ONLY_CODES.contains(sql.getErrorCode()))) {
                return true;
            }
        }
        return false;
    }

    Backlog backlog() {
        return Objects.requireNonNull(jdbc.queryForObject(dialect.get().backlog(), (row, index) -> {
            long oldest = row.getLong(2);
            return new Backlog(row.getLong(1), row.wasNull() ? null : oldest);
        }));
    }

    /**
     * All lanes: those that relays have created, also with another configuration, and those of rows, which are created
     * here, since an application that only writes may have more lanes than any that relays. Known lanes are passed over,
     * so this is in general one look into the index, however many rows wait.
     */
    List<Integer> lanes() {
        TreeSet<Integer> all =
                new TreeSet<>(jdbc.queryForList("select lane from jobs_outbox_lane order by lane", Integer.class));
        int last = ASIDE;
        while (true) {
            while (all.contains(last + 1)) {
                last++;
            }
            List<Integer> next = jdbc.queryForList(dialect.get().laneAfter(), Integer.class, last);
            if (next.isEmpty()) {
                return List.copyOf(all);
            }
            last = next.get(0);
            if (all.add(last)) {
                createLane(last);
            }
        }
    }
}
