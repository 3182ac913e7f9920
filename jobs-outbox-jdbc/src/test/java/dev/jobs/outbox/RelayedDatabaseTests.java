package dev.jobs.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.InvalidJobException;
import dev.jobs.databases.Database;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.datasource.DelegatingDataSource;

@ExtendWith(OutputCaptureExtension.class)
class RelayedDatabaseTests {

    @AutoClose
    private final Database one = Database.h2();

    @AutoClose
    private final Database other = Database.h2();

    private final RelayedDatabase relayed = new RelayedDatabase();

    private final OutboxTable table = new OutboxTable(one.source(), 1);

    private final OutboxTable elsewhere = new OutboxTable(other.source(), 1);

    @BeforeEach
    void createTables() {
        OutboxContract.createTables(one);
        OutboxContract.createTables(other);
        table.createLanes();
    }

    private static String named(Database database) {
        return database.url().replaceAll(";.*", "");
    }

    @Test
    void oneWithARelayOfAnotherApplicationIsRefusedAsOneWithoutIs() {
        relayed.reached(table);

        assertThatThrownBy(() -> relayed.check(elsewhere)).isInstanceOf(InvalidJobException.class);
        elsewhere.createLanes();
        assertThatThrownBy(() -> relayed.check(elsewhere))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining(named(other));
        relayed.check(table);
    }

    /** The tables of the first database by another way, and so with another address. */
    private class OtherWay extends DelegatingDataSource {

        OtherWay() {
            super(one.source());
            one.execute("create schema tenant");
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            try (Statement statement = connection.createStatement()) {
                statement.execute("set schema tenant");
                statement.execute("set schema_search_path public");
            }
            return connection;
        }
    }

    @Test
    void theSameTablesByAnotherWayAreAccepted() {
        OutboxTable same = new OutboxTable(new OtherWay(), 1);
        relayed.reached(table);

        assertThat(same.address()).contains("TENANT");
        relayed.check(same);
    }

    @Test
    void soAreThoseThatTheRelayReachesWhileAJobIsKept() {
        one.execute("delete from jobs_outbox_lane");
        AtomicInteger relayIn = new AtomicInteger(-1);
        OutboxTable same = new OutboxTable(
                new OtherWay() {
                    @Override
                    public Connection getConnection() throws SQLException {
                        Connection connection = super.getConnection();
                        return (Connection) Proxy.newProxyInstance(
                                getClass().getClassLoader(),
                                new Class<?>[] {Connection.class},
                                (self, method, arguments) -> {
                                    Object result = method.invoke(connection, arguments);
                                    if (method.getName().equals("close") && relayIn.decrementAndGet() == 0) {
                                        table.createLanes();
                                        relayed.reached(table);
                                    }
                                    return result;
                                });
                    }
                },
                1);
        assertThat(same.source()).isNull(); // knows the kind of its database from now on

        relayIn.set(2); // after the address and the source, which is none
        relayed.check(same);

        assertThat(relayIn.get()).isNegative();
    }

    @Test
    void whetherARelayLooksWhereThereIsNoSourceYetIsNotKnown(CapturedOutput output) {
        relayed.check(elsewhere);

        relayed.reached(table);

        assertThat(output).doesNotContain("ERROR").contains("WARN", "may wait in the outbox of " + named(other));
    }

    @Test
    void whatWasCommittedBeforeTheRelayGotThereIsNamed(CapturedOutput output) {
        elsewhere.createLanes();
        relayed.check(table);
        relayed.check(elsewhere);
        assertThat(output).doesNotContain("no relay");

        relayed.reached(table);

        assertThat(output).contains("ERROR", "Jobs wait in the outbox of " + named(other), "no relay");
        assertThat(output).doesNotContain("Jobs wait in the outbox of " + named(one));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            jdbc:oracle:thin:shop/secret@//db:1521/ORDERS | jdbc:oracle:thin:@//db:1521/ORDERS
            jdbc:oracle:thin:@//db:1521/ORDERS | jdbc:oracle:thin:@//db:1521/ORDERS
            jdbc:mysql://shop:sec@ret@db/orders?password=secret | jdbc:mysql://db/orders
            jdbc:mysql://(host=db,user=shop,password=secret)/orders | jdbc:mysql://(host=db,user=,password=)/orders
            jdbc:mysql://address=(host=db)(password=secret)/orders | jdbc:mysql://address=(host=db)(password=)/orders
            jdbc:sqlserver://db\\one:1433;user=shop@db;password=secret | jdbc:sqlserver://db\\one:1433
            """)
    void anAddressHasNoSecrets(String url, String shown) {
        assertThat(OutboxTable.withoutSecrets(url)).isEqualTo(shown);
    }
}
