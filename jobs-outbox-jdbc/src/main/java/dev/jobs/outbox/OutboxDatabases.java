package dev.jobs.outbox;

import dev.jobs.JobDefinitionException;
import dev.jobs.outbox.OutboxTable.Backlog;
import dev.jobs.transactions.OutboxBacklog;
import java.lang.reflect.Method;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The databases that have tables of the outbox: one, or each that a routing {@link DataSource} may choose for a
 * transaction, since a row is in the database of its transaction. Thread-safe.
 */
final class OutboxDatabases implements OutboxBacklog {

    private final DataSource database;
    private final int lanes;
    private final boolean listed;

    /** Those found last. Guarded by this. */
    private final Map<DataSource, OutboxTable> known = new HashMap<>();

    /** @throws JobDefinitionException if a DataSource chooses among databases that can't be known */
    OutboxDatabases(DataSource database, int lanes) {
        this.database = database;
        this.lanes = lanes;
        this.listed = routing(database) != null;
        found();
    }

    /** Whether the {@link DataSource} tells among which databases it chooses, or else looks like a single one. */
    boolean areListed() {
        return listed;
    }

    /** What people call each of those that are there now; empty if there is only one. */
    private Map<DataSource, String> found() {
        Map<DataSource, String> all = new LinkedHashMap<>();
        find(database, "", all);
        return all;
    }

    private static void find(DataSource database, String name, Map<DataSource, String> found) {
        AbstractRoutingDataSource routing = routing(database);
        if (routing == null) {
            found.putIfAbsent(database, name);
            return;
        }
        Class<?> type = ClassUtils.getUserClass(routing); // aspects override all methods, and leave the choice to it
        Method choice = ReflectionUtils.findMethod(type, "determineTargetDataSource");
        if (choice == null || choice.getDeclaringClass() != AbstractRoutingDataSource.class) {
            throw new JobDefinitionException(
                    type.getName()
                            + " chooses a database for each transaction by itself, so it is unknown in which "
                            + "databases jobs wait in the outbox",
                    "Give it all its databases with setTargetDataSources and setDefaultTargetDataSource, or set jobs.transactions to "
                            + "after-commit.");
        }
        routing.getResolvedDataSources().forEach((key, each) -> find(each, name + "/" + key, found));
        DataSource standard = routing.getResolvedDefaultDataSource();
        if (standard != null) {
            find(standard, name + "/default", found);
        }
    }

    private static @Nullable AbstractRoutingDataSource routing(DataSource database) {
        DataSource each = database;
        while (each instanceof DelegatingDataSource proxy && proxy.getTargetDataSource() != null) {
            each = proxy.getTargetDataSource();
        }
        try {
            return each instanceof AbstractRoutingDataSource || each.isWrapperFor(AbstractRoutingDataSource.class)
                    ? each.unwrap(AbstractRoutingDataSource.class)
                    : null;
        } catch (SQLException | RuntimeException e) {
            return null; // wraps nothing that can be seen
        }
    }

    /** The databases themselves, as they are now. */
    Set<DataSource> sources() {
        return found().keySet();
    }

    /** Their tables, as they are now, by what people call them. A database has the same table each time. */
    synchronized Map<String, OutboxTable> tables() {
        Map<DataSource, String> all = found();
        known.keySet().retainAll(all.keySet());
        Map<String, OutboxTable> tables = new LinkedHashMap<>();
        all.forEach(
                (each, name) -> tables.put(name, known.computeIfAbsent(each, added -> new OutboxTable(added, lanes))));
        return tables;
    }

    /** What waits in all of them. A database that is there twice, as under another name for reading, counts once. */
    Backlog backlog() {
        Map<String, Backlog> backlogs = new HashMap<>();
        List<Backlog> all = new ArrayList<>();
        Map<String, OutboxTable> tables = tables();
        for (OutboxTable table : tables.values()) {
            String source = tables.size() == 1 ? null : table.source();
            Backlog backlog = table.backlog();
            if (source == null || backlogs.put(source, backlog) == null) {
                all.add(backlog);
            }
        }
        return all.stream().reduce(new Backlog(0, null), OutboxDatabases::sum);
    }

    @Override
    public long rows() {
        return backlog().jobs();
    }

    private static Backlog sum(Backlog one, Backlog other) {
        Long first = one.oldest();
        Long second = other.oldest();
        return new Backlog(
                one.jobs() + other.jobs(),
                first == null ? second : second == null ? first : (Long) Math.min(first, second));
    }
}
