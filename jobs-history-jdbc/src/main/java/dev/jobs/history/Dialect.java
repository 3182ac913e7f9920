package dev.jobs.history;

import dev.jobs.JobDefinitionException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.jdbc.support.MetaDataAccessException;

/** What the databases do differently. */
enum Dialect {
    POSTGRESQL {
        @Override
        String insertUnlessPresent(String table, String key, List<String> columns) {
            return plainInsert(table, columns) + " on conflict (" + key + ") do nothing";
        }

        @Override
        String shared() {
            return " for share";
        }

        @Override
        String contains(String text, List<String> parameters) {
            return text + " is not null and " + matches(text, parameters);
        }

        /** {@inheritDoc} Of a CASE, PostgreSQL knows nothing but that it holds for every other row. */
        @Override
        String oftenContains(String text, List<String> parameters) {
            return "case when " + text + " is not null then " + matches(text, parameters) + " end";
        }

        private static String matches(String text, List<String> parameters) {
            return parameters.stream()
                    .map(word -> "(nullif(plainto_tsquery('simple', ?)::text, '') || ':*')::tsquery")
                    .collect(Collectors.joining(" && ", "to_tsvector('simple', " + text + ") @@ (", ")"));
        }

        /**
         * {@inheritDoc} PostgreSQL expects each beginning of a word in half a percent of all rows, and so would look
         * for a rare one by reading from the newest row on.
         */
        @Override
        int sortedAfterwards() {
            return MOST_SORTED;
        }
    },
    MYSQL {
        @Override
        String insertUnlessPresent(String table, String key, List<String> columns) {
            String first = columnName(columns.get(0));
            return plainInsert(table, columns) + " on duplicate key update " + first + " = " + table + "." + first;
        }

        @Override
        String shared() {
            return " lock in share mode";
        }

        /** The index of InnoDB leaves out short and very common words. */
        @Override
        String contains(String text, List<String> parameters) {
            List<String> indexed = new ArrayList<>();
            List<String> others = new ArrayList<>();
            parameters.stream()
                    .flatMap(word -> Arrays.stream(word.split("[^\\p{L}\\p{N}]+")))
                    .filter(word -> !word.isEmpty())
                    .forEach(word -> (isIndexed(word) ? indexed : others).add(word));
            parameters.clear();
            List<String> conditions = new ArrayList<>();
            if (!indexed.isEmpty()) {
                conditions.add("match(" + text + ") against (? in boolean mode)");
                parameters.add(indexed.stream().map(word -> "+" + word + "*").collect(Collectors.joining(" ")));
            }
            for (String word : others) {
                conditions.add(text + " like ?");
                parameters.add("%" + word + "%");
            }
            return String.join(" and ", conditions);
        }
    },
    H2 {
        @Override
        String insertUnlessPresent(String table, String key, List<String> columns) {
            String names = columns.stream().map(Dialect::columnName).collect(Collectors.joining(", "));
            String values = columns.stream()
                    .map(column -> "cast(? as " + column.substring(column.indexOf(' ') + 1) + ")")
                    .collect(Collectors.joining(", "));
            String same = Arrays.stream(key.split(", "))
                    .map(column -> "present." + column + " = given." + column)
                    .collect(Collectors.joining(" and "));
            String taken = columns.stream()
                    .map(column -> "given." + columnName(column))
                    .collect(Collectors.joining(", "));
            return "merge into " + table + " present using (values (" + values + ")) given (" + names + ") on " + same
                    + " when not matched then insert (" + names + ") values (" + taken + ")";
        }

        @Override
        String shared() {
            return " for update";
        }

        @Override
        String contains(String text, List<String> parameters) {
            parameters.replaceAll(word -> "%"
                    + word.toLowerCase(Locale.ROOT)
                            .replace("\\", "\\\\")
                            .replace("%", "\\%")
                            .replace("_", "\\_") + "%");
            return parameters.stream().map(word -> "lower(" + text + ") like ?").collect(Collectors.joining(" and "));
        }
    },
    ORACLE {
        /** {@inheritDoc} Of the one row that an insert refuses, the hint makes none. It is an error where it can't. */
        @Override
        String insertUnlessPresent(String table, String key, List<String> columns) {
            return plainInsert(table, columns)
                    .replaceFirst("insert", "insert /*+ ignore_row_on_dupkey_index(" + table + "(" + key + ")) */");
        }

        @Override
        String first(String query, int rows) {
            return query + " fetch first " + rows + " rows only";
        }

        @Override
        String row(String query, int index) {
            return query + " offset " + index + " rows fetch next 1 rows only";
        }

        @Override
        String shared() {
            return " for update";
        }

        /** {@inheritDoc} Not the second one while the first is locked: FETCH FIRST locks nothing. */
        @Override
        String lockFirst(String query) {
            return query + " and rownum = 1 for update skip locked";
        }

        @Override
        String oneOf(String column, int count) {
            List<String> some = new ArrayList<>();
            for (int left = count; left > 0; left -= MOST_IN_LIST) {
                some.add(super.oneOf(column, Math.min(left, MOST_IN_LIST)));
            }
            return some.stream().collect(Collectors.joining(" or ", "(", ")"));
        }

        @Override
        String given(String column) {
            return "coalesce(to_clob(?), " + column + ")"; // of a text of up to 4,000 bytes
        }

        @Override
        String contains(String text, List<String> parameters) {
            return like(text, parameters, "!%_");
        }
    },
    SQL_SERVER {
        /** {@inheritDoc} The primary keys leave out what they have ({@code ignore_dup_key}). */
        @Override
        String insertUnlessPresent(String table, String key, List<String> columns) {
            return plainInsert(table, columns);
        }

        @Override
        String first(String query, int rows) {
            return "select top (" + rows + ")" + query.substring("select".length());
        }

        @Override
        String row(String query, int index) {
            return query + " offset " + index + " rows fetch next 1 rows only";
        }

        @Override
        String shared() {
            return "";
        }

        @Override
        String sharedTable() {
            return " with (repeatableread)";
        }

        @Override
        String lock(String query) {
            return query.replaceFirst(" where ", " with (updlock, rowlock) where ");
        }

        @Override
        String lockFirst(String query) {
            return first(query, 1).replaceFirst(" where ", " with (updlock, readpast, rowlock) where ");
        }

        @Override
        String contains(String text, List<String> parameters) {
            return like(text, parameters, "!%_[");
        }
    };

    /** More expressions in one list are an error in Oracle. */
    private static final int MOST_IN_LIST = 1_000;

    private static final int MOST_SORTED = 5_000;
    private static final int SHORTEST_INDEXED = 3;

    /** INFORMATION_SCHEMA.INNODB_FT_DEFAULT_STOPWORD, without the shorter ones. */
    private static final Set<String> NOT_INDEXED = Set.of(
            "about", "are", "com", "for", "from", "how", "that", "the", "this", "was", "what", "when", "where", "who",
            "will", "with", "und", "www");

    static Dialect of(DataSource database) {
        String product;
        try {
            product = JdbcUtils.extractDatabaseMetaData(
                    database, metadata -> metadata.getDatabaseProductName().toLowerCase(Locale.ROOT));
        } catch (MetaDataAccessException e) {
            throw new DataAccessResourceFailureException("The database can't be reached", e);
        }
        return switch (product) {
            case "postgresql" -> POSTGRESQL;
            case "mysql", "mariadb" -> MYSQL;
            case "h2" -> H2;
            case "oracle" -> ORACLE;
            case "microsoft sql server" -> SQL_SERVER;
            default ->
                throw new JobDefinitionException(
                        "The history of jobs doesn't know the database '" + product + "'",
                        "Use PostgreSQL, MySQL, MariaDB, H2, Oracle or SQL Server, or turn it off with jobs.history.enabled=false.");
        };
    }

    /**
     * An insert of one row that leaves a present row as it is, also within a transaction.
     *
     * @param key the columns of the primary key, separated by a comma and a space
     * @param columns each its name, a space and its type
     */
    abstract String insertUnlessPresent(String table, String key, List<String> columns);

    /**
     * The first rows of a query.
     *
     * @param query begins with {@code select}
     */
    String first(String query, int rows) {
        return query + " limit " + rows;
    }

    /**
     * One row of a query.
     *
     * @param query ends with its order
     */
    String row(String query, int index) {
        return query + " limit 1 offset " + index;
    }

    /** A query that locks its rows until the transaction ends. */
    String lock(String query) {
        return query + " for update";
    }

    /** A query that locks a row until the transaction ends, if others have not locked it. */
    String lockFirst(String query) {
        return query + " limit 1 for update skip locked";
    }

    /** A condition on a column: it is one of so many parameters. */
    String oneOf(String column, int count) {
        return column + " in (" + TaskTable.marks(count) + ")";
    }

    /** A parameter, or what the column of texts has if that is null. */
    String given(String column) {
        return "coalesce(?, " + column + ")";
    }

    /** Follows the name of the table in a query that ends with {@link #shared}. */
    String sharedTable() {
        return "";
    }

    /** Ends a query whose rows others may read, but not change, until the transaction ends. */
    abstract String shared();

    /**
     * A condition on a column: it contains words that begin with these.
     *
     * @param parameters the words; replaced by the condition's parameters
     */
    abstract String contains(String text, List<String> parameters);

    /** The same if many rows hold it: rows should be read in the order of the query, without an index of words. */
    String oftenContains(String text, List<String> parameters) {
        return contains(text, parameters);
    }

    /** Up to how many rows with words should be found by the words alone, and sorted by the caller; 0 for none. */
    int sortedAfterwards() {
        return 0;
    }

    /** @param special what has to be escaped, and by its first character */
    private static String like(String text, List<String> parameters, String special) {
        char escape = special.charAt(0);
        parameters.replaceAll(word -> {
            StringBuilder pattern = new StringBuilder("%");
            word.toLowerCase(Locale.ROOT).chars().forEach(each -> {
                if (special.indexOf(each) >= 0) {
                    pattern.append(escape);
                }
                pattern.append((char) each);
            });
            return pattern.append('%').toString();
        });
        return parameters.stream()
                .map(word -> "lower(" + text + ") like ? escape '" + escape + "'")
                .collect(Collectors.joining(" and "));
    }

    private static boolean isIndexed(String word) {
        return word.length() >= SHORTEST_INDEXED && !NOT_INDEXED.contains(word.toLowerCase(Locale.ROOT));
    }

    private static String columnName(String column) {
        return column.substring(0, column.indexOf(' '));
    }

    private static String plainInsert(String table, List<String> columns) {
        List<String> marks = new ArrayList<>();
        columns.forEach(column -> marks.add("?"));
        return "insert into " + table + " ("
                + columns.stream().map(Dialect::columnName).collect(Collectors.joining(", ")) + ") values ("
                + String.join(", ", marks) + ")";
    }
}
