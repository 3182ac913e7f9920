package dev.jobs.databases;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.Statement;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A database that executes nothing, but notes what it was asked. Every query has one row, of zeros and of one text. For
 * tests of statements whose database isn't here. Not thread-safe.
 */
public final class HeardStatements {

    private final Set<String> all = new LinkedHashSet<>();
    private final String product;
    private final String text;
    private final Predicate<String> empty;

    /**
     * @param text what columns of texts have
     * @param empty which queries have no row, by their SQL
     */
    public HeardStatements(SqlGrammar grammar, String text, Predicate<String> empty) {
        this.product = grammar.product();
        this.text = text;
        this.empty = empty;
    }

    /** The statements, each once. */
    public Set<String> all() {
        return all;
    }

    public DataSource source() {
        return proxy(
                DataSource.class,
                (self, method, arguments) -> method.getName().equals("getConnection")
                        ? proxy(Connection.class, this::connection)
                        : standard(method));
    }

    private @Nullable Object connection(Object self, Method method, @Nullable Object[] arguments) {
        return switch (method.getName()) {
            case "getMetaData" ->
                proxy(DatabaseMetaData.class, (metadata, each, none) -> switch (each.getName()) {
                    case "getDatabaseProductName" -> product;
                    case "getDriverName" -> "";
                    case "supportsBatchUpdates" -> true;
                    default -> standard(each);
                });
            case "createStatement" -> proxy(Statement.class, statement(""));
            case "prepareStatement" -> proxy(PreparedStatement.class, statement(String.valueOf(arguments[0])));
            case "getAutoCommit" -> true;
            default -> standard(method);
        };
    }

    private InvocationHandler statement(String prepared) {
        return (self, method, arguments) -> {
            if (method.getName().equals("getUpdateCount")) {
                return -1; // no more results
            }
            if (method.getName().equals("getConnection")) {
                return proxy(Connection.class, this::connection);
            }
            if (method.getName().equals("getParameterMetaData")) {
                return proxy(ParameterMetaData.class, (metadata, each, none) -> standard(each));
            }
            if (!method.getName().startsWith("execute") && !method.getName().equals("addBatch")) {
                return standard(method);
            }
            String sql = arguments == null ? prepared : String.valueOf(arguments[0]);
            if (!sql.isEmpty()) {
                all.add(sql);
            }
            return switch (method.getName()) {
                case "executeQuery" -> proxy(ResultSet.class, rows(!empty.test(sql)));
                case "executeUpdate" -> 1;
                case "executeBatch" -> new int[0];
                default -> standard(method);
            };
        };
    }

    private InvocationHandler rows(boolean one) {
        AtomicBoolean left = new AtomicBoolean(one);
        return (self, method, arguments) -> switch (method.getName()) {
            case "next" -> left.getAndSet(false);
            case "getMetaData" ->
                proxy(
                        ResultSetMetaData.class,
                        (metadata, each, none) -> each.getName().equals("getColumnCount") ? 1 : standard(each));
            case "getString" -> text;
            case "getBytes" -> new byte[0];
            case "getObject" ->
                arguments.length == 2 && arguments[1] == LocalDateTime.class
                        ? LocalDateTime.ofEpochSecond(0, 0, ZoneOffset.UTC)
                        : (Object) 0L;
            default -> standard(method);
        };
    }

    private static @Nullable Object standard(Method method) {
        return Map.<Class<?>, Object>of(boolean.class, false, int.class, 0, long.class, 0L)
                .get(method.getReturnType());
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(
                Proxy.newProxyInstance(HeardStatements.class.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
