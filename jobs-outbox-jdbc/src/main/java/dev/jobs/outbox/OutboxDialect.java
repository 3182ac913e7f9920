package dev.jobs.outbox;

import java.util.Locale;
import javax.sql.DataSource;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.jdbc.support.MetaDataAccessException;

/** The statements of the outbox that databases write differently. */
enum OutboxDialect {
    /** PostgreSQL, MySQL 8, MariaDB 10.6 and H2. */
    STANDARD,
    ORACLE {
        /** {@inheritDoc} NUMBER is a reserved word. */
        @Override
        String number() {
            return "\"NUMBER\"";
        }

        @Override
        String length() {
            return "dbms_lob.getlength(payload)";
        }

        @Override
        String first(String query, int rows) {
            return query + " fetch first " + rows + " rows only";
        }
    },
    SQL_SERVER {
        @Override
        String lockLane() {
            return "select source, number from jobs_outbox_lane with (updlock, readpast, rowlock) where lane = ?";
        }

        @Override
        String length() {
            return "datalength(payload)";
        }

        /**
         * {@inheritDoc} Without READ_COMMITTED_SNAPSHOT, a query waits for rows that others have added and not
         * committed.
         */
        @Override
        String committed() {
            return " with (readpast)";
        }

        @Override
        String first(String query, int rows) {
            return "select top (" + rows + ")" + query.substring("select".length());
        }
    };

    static OutboxDialect of(DataSource database) {
        try {
            String product = JdbcUtils.extractDatabaseMetaData(
                    database, metadata -> metadata.getDatabaseProductName().toLowerCase(Locale.ROOT));
            return switch (product) {
                case "oracle" -> ORACLE;
                case "microsoft sql server" -> SQL_SERVER;
                default -> STANDARD;
            };
        } catch (MetaDataAccessException e) {
            throw new DataAccessResourceFailureException("The database can't be reached", e);
        }
    }

    /** The column with the number of a lane's last slice. */
    String number() {
        return "number";
    }

    /** The size of a payload in bytes. */
    String length() {
        return "octet_length(payload)";
    }

    /** Follows the name of a table that is read without the rows that others have not committed. */
    String committed() {
        return "";
    }

    /**
     * The first rows of a query.
     *
     * @param query begins with {@code select}
     */
    String first(String query, int rows) {
        return query + " limit " + rows;
    }

    /** Locks a lane, and finds nothing if another process has locked it. */
    String lockLane() {
        return "select source, " + number() + " from jobs_outbox_lane where lane = ? for update skip locked";
    }

    String addLane() {
        return "insert into jobs_outbox_lane (lane, source, " + number() + ") values (?, ?, 0)";
    }

    String countUp() {
        return "update jobs_outbox_lane set " + number() + " = ? where lane = ?";
    }

    /** The rows of a lane that have a number. */
    String numbered(int rows) {
        return first(
                "select id, slice, queue, due, payload from jobs_outbox"
                        + " where lane = ? and slice is not null order by slice, id",
                rows);
    }

    /** The ids and sizes of the rows of a lane that are next. */
    String waiting(int rows) {
        return first(
                "select id, " + length() + " from jobs_outbox" + committed()
                        + " where lane = ? and slice is null order by id",
                rows);
    }

    /** The next lane of rows above a lane. */
    String laneAfter() {
        return first("select lane from jobs_outbox" + committed() + " where lane > ? order by lane", 1);
    }

    String source() {
        return first("select source from jobs_outbox_lane order by lane", 1);
    }

    String backlog() {
        return "select count(*), min(created) from jobs_outbox" + committed();
    }
}
