package dev.jobs.spring.autoconfigure.database;

import dev.jobs.Internal;
import dev.jobs.JobDefinitionException;
import dev.jobs.spring.autoconfigure.beans.LateValue;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanCurrentlyInCreationException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.jdbc.EmbeddedDatabaseConnection;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.jdbc.init.PlatformPlaceholderDatabaseDriverResolver;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;
import org.springframework.core.io.ClassPathResource;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Makes the tables of a part of the library, and alters those of an earlier version. The scripts are numbered without a
 * gap, each changes what the one before it left, and {@code jobs_schema} says which of them a database has had. The
 * first one leaves tables alone that are there. Spring Boot knows it as one of the beans that others wait for who need a
 * database with its tables.
 */
@Internal
public final class SchemaChanges extends DataSourceScriptDatabaseInitializer {

    private static final Logger log = LoggerFactory.getLogger(SchemaChanges.class);

    /** Of the lock that one process takes while it changes tables. */
    private static final long LOCK = 0x6a6f6273; // "jobs"

    private static final int LOCK_SECONDS = 60;

    /** The number of the error by which a batch for SQL Server says that it did not get the lock. */
    private static final int LOCKED = 50_000;

    private final String part;
    private final Collection<DataSource> databases;
    private final DatabaseInitializationMode mode;
    private final Predicate<DataAccessException> ignored;

    /**
     * @param part the last part of the package that has the scripts in its resources
     * @param databases those that get them; may be empty
     * @param mode in which databases tables are made
     * @param ignored which failures leave a database as it is
     */
    public SchemaChanges(
            String part,
            Collection<DataSource> databases,
            DatabaseInitializationMode mode,
            Predicate<DataAccessException> ignored) {
        super(
                databases.stream().findFirst().orElseGet(DelegatingDataSource::new), // there may be none yet
                new DatabaseInitializationSettings());
        this.part = part;
        this.databases = List.copyOf(databases);
        this.mode = mode;
        this.ignored = ignored;
    }

    /**
     * What to run before each use of tables: the first time, it has them made. So tables are there for beans that use
     * them while the context starts, and for lazy ones. Not where what makes them waits for the caller, such as a
     * migration that enqueues.
     *
     * @param schema the bean that makes them, if there is one
     */
    public static Runnable beforeUse(ObjectProvider<? extends DataSourceScriptDatabaseInitializer> schema) {
        LateValue<Boolean> asked = new LateValue<>(() -> {
            ask(schema);
            return true;
        });
        return asked::get;
    }

    private static void ask(ObjectProvider<? extends DataSourceScriptDatabaseInitializer> schema) {
        try {
            schema.getIfAvailable();
        } catch (BeansException e) {
            if (!e.contains(BeanCurrentlyInCreationException.class)) {
                throw e;
            }
            log.debug("Tables of jobs are used before they could be made", e);
        }
    }

    @Override
    public boolean initializeDatabase() {
        boolean changed = false;
        for (DataSource database : databases) {
            if (mode == DatabaseInitializationMode.ALWAYS
                    || mode == DatabaseInitializationMode.EMBEDDED && EmbeddedDatabaseConnection.isEmbedded(database)) {
                changed |= change(database);
            }
        }
        return changed;
    }

    private boolean change(DataSource database) {
        String platform = new PlatformPlaceholderDatabaseDriverResolver()
                .resolveAll(database, "@@platform@@")
                .get(0);
        try (Connection connection = database.getConnection()) {
            DataSource single = new SingleConnectionDataSource(connection, true);
            TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(single));
            JdbcTemplate jdbc = new JdbcTemplate(single);
            lock(jdbc, platform);
            try {
                return Boolean.TRUE.equals(transaction.execute(status -> {
                    lockUntilCommit(jdbc, platform);
                    return change(connection, jdbc, platform);
                }));
            } finally {
                unlock(jdbc, platform);
            }
        } catch (DataAccessException e) {
            if (!ignored.test(e)) {
                throw e;
            }
            log.info("The tables of the {} of jobs are left as they are: {}", part, e.getMessage());
            return false;
        } catch (SQLException e) {
            throw new IllegalStateException("The tables of the " + part + " of jobs can't be made", e);
        }
    }

    private boolean change(Connection connection, JdbcTemplate jdbc, String platform) {
        jdbc.execute(schema(platform));
        List<Integer> done =
                jdbc.queryForList("select change_number from jobs_schema where part = ?", Integer.class, part);
        boolean changed = false;
        for (int number = 1; ; number++) {
            ClassPathResource script = script(part, platform, number);
            if (!script.exists()) {
                if (number == 1) {
                    throw new IllegalStateException("There are no tables of the " + part + " of jobs for " + platform);
                }
                return changed;
            }
            if (!done.contains(number)) {
                ResourceDatabasePopulator populator = new ResourceDatabasePopulator(script);
                populator.setSeparator(separator(platform));
                populator.populate(connection);
                try {
                    jdbc.update("insert into jobs_schema (part, change_number) values (?, ?)", part, number);
                } catch (DuplicateKeyException e) {
                    // another process was faster, in a database without the lock
                }
                changed = true;
            }
        }
    }

    /** Makes the table with the numbers of changes, unless it is there. */
    private static String schema(String platform) {
        String columns = "jobs_schema "
                + "(part varchar(32) not null, change_number integer not null, primary key (part, change_number))";
        return switch (platform) {
            case "oracle" ->
                "begin execute immediate 'create table " + columns
                        + "'; exception when others then if sqlcode <> -955 then raise; end if; end;";
            case "sqlserver" -> "if object_id('jobs_schema') is null create table " + columns;
            default -> "create table if not exists " + columns;
        };
    }

    /** What stands between the statements of a script. Those of Oracle are blocks with semicolons of their own. */
    private static String separator(String platform) {
        return platform.equals("oracle") ? "/" : ";";
    }

    /** The script of a change; there is none behind the last. */
    public static ClassPathResource script(String part, String platform, int number) {
        return new ClassPathResource(
                String.format(Locale.ROOT, "dev/jobs/%s/%s/R__jobs_%s_%03d.sql", part, platform, part, number));
    }

    /**
     * Two processes may begin at once; in H2, that takes a server, and statements wait. Changes of tables commit by
     * themselves in MySQL and MariaDB, where the connection holds the lock. Oracle has no lock that everybody may take:
     * its scripts take what is there for done.
     */
    private void lock(JdbcTemplate jdbc, String platform) {
        if (isMySql(platform)) {
            Integer locked = jdbc.queryForObject("select get_lock('jobs_schema', " + LOCK_SECONDS + ")", Integer.class);
            if (locked == null || locked != 1) {
                throw isLocked("select is_used_lock('jobs_schema')");
            }
        }
    }

    private JobDefinitionException isLocked(String query) {
        return new JobDefinitionException(
                "The tables of the " + part + " of jobs are neither made nor altered, since another connection "
                        + "has the lock 'jobs_schema' of the database, for which a start waits " + LOCK_SECONDS + " s",
                "Start again once it has ended: " + query + " names it.");
    }

    private static void unlock(JdbcTemplate jdbc, String platform) {
        if (isMySql(platform)) {
            jdbc.execute("select release_lock('jobs_schema')");
        }
    }

    private static boolean isMySql(String platform) {
        return platform.equals("mysql") || platform.equals("mariadb");
    }

    /**
     * In PostgreSQL and SQL Server the transaction holds it: behind a pooler, the end of a connection is not that of the
     * session. What was committed while it waited has to be seen.
     */
    private void lockUntilCommit(JdbcTemplate jdbc, String platform) {
        if (platform.equals("postgresql")) {
            jdbc.execute("set transaction isolation level read committed");
            jdbc.execute("select pg_advisory_xact_lock(" + LOCK + ")");
        }
        if (platform.equals("sqlserver")) {
            jdbc.execute("select count(*) from sys.tables"); // begins the transaction, which EXEC alone doesn't
            try {
                jdbc.execute("declare @got int; exec @got = sp_getapplock @Resource = 'jobs_schema', "
                        + "@LockMode = 'Exclusive', @LockOwner = 'Transaction', @LockTimeout = " + LOCK_SECONDS * 1_000
                        + "; if @got < 0 throw " + LOCKED + ", 'Another process changes the tables of jobs', 1");
            } catch (DataAccessException e) {
                if (e.getCause() instanceof SQLException failure && failure.getErrorCode() == LOCKED) {
                    throw isLocked(
                            "select request_session_id from sys.dm_tran_locks where resource_type = 'APPLICATION'");
                }
                throw e;
            }
        }
    }
}
