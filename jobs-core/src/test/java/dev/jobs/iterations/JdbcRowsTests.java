package dev.jobs.iterations;

import static dev.jobs.iterations.FileLinesTests.elements;
import static dev.jobs.iterations.FileLinesTests.items;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobsException;
import dev.jobs.iterations.Iteration.Item;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("sidekiq-18")
class JdbcRowsTests {

    private static final String BY_ID = "select id, name from product where id >= ? order by id limit ?";
    private static final String BY_NAME = "select id, name from product where name >= ? order by name limit ?";

    private final JdbcDataSource database = new JdbcDataSource();
    private Connection keepsItAlive;

    @BeforeEach
    void create() throws SQLException {
        database.setURL("jdbc:h2:mem:" + UUID.randomUUID());
        keepsItAlive = database.getConnection();
        run("create table product (id int primary key, name varchar(20))");
    }

    @AfterEach
    void drop() throws SQLException {
        keepsItAlive.close();
    }

    private void run(String sql) throws SQLException {
        try (Statement statement = keepsItAlive.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Products with the numbers 10, 20, 30 … */
    private void insert(int count) throws SQLException {
        for (int i = 1; i <= count; i++) {
            run("insert into product values (%d, 'p%03d')".formatted(i * 10, i));
        }
    }

    private JdbcRows<String> byId() {
        return JdbcRows.of(database, BY_ID, "id", 0, row -> row.getString("name"));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 5, 6, 7, 500})
    void allRowsComeOnceWhateverAPageHolds(int page) throws Exception {
        insert(7);
        List<Item<String>> all = items(byId().pageSize(page), null);

        assertThat(all)
                .extracting(Item::element)
                .containsExactly("p001", "p002", "p003", "p004", "p005", "p006", "p007");
        assertThat(all).extracting(Item::cursor).containsExactly(10L, 20L, 30L, 40L, 50L, 60L, 70L);
        for (int i = 0; i < all.size(); i++) {
            assertThat(items(byId().pageSize(page), all.get(i).cursor())).isEqualTo(all.subList(i, all.size()));
        }
    }

    @Test
    void anEmptyTableHasNoRows() throws Exception {
        assertThat(items(byId(), null)).isEmpty();
        assertThat(items(byId(), 5L)).isEmpty();
    }

    @Test
    void aRowThatIsGoneLeadsToTheNextOne() throws Exception {
        insert(4);
        run("delete from product where id = 20");

        assertThat(elements(byId(), 20L)).containsExactly("p003", "p004");
    }

    @Test
    void rowsThatComeAndGoBetweenPagesAreSeenAsTheyAre() throws Exception {
        insert(4);
        List<String> seen = new ArrayList<>();
        try (Stream<Item<String>> rows = byId().pageSize(2).open(null)) {
            for (Iterator<Item<String>> all = rows.iterator(); all.hasNext(); ) {
                seen.add(all.next().element());
                if (seen.size() == 2) {
                    run("delete from product where id in (20, 30)");
                    run("insert into product values (25, 'new')");
                }
            }
        }
        assertThat(seen).containsExactly("p001", "p002", "new", "p004");
    }

    @Test
    void textIsAKeyAsWell() throws Exception {
        insert(5);
        JdbcRows<Integer> rows = JdbcRows.<Integer>of(database, BY_NAME, "name", "", row -> row.getInt("id"))
                .pageSize(2);

        assertThat(elements(rows, null)).containsExactly(10, 20, 30, 40, 50);
        assertThat(items(rows, "p004")).containsExactly(new Item<>(40, "p004"), new Item<>(50, "p005"));
    }

    @Test
    void aStatementInAnotherOrderIsRefused() throws Exception {
        insert(3);
        JdbcRows<String> wrong = JdbcRows.of(
                database,
                "select id, name from product where id >= ? order by id desc limit ?",
                "id",
                0,
                row -> row.getString("name"));

        assertThatThrownBy(() -> wrong.open(null))
                .isInstanceOf(JobsException.class)
                .hasMessageContaining("ascending order");
    }

    @Test
    void aKeyThatIsNotUniqueIsRefused() throws Exception {
        insert(2);
        run("update product set name = 'same'");
        JdbcRows<Integer> wrong = JdbcRows.of(database, BY_NAME, "name", "", row -> row.getInt("id"));

        assertThatThrownBy(() -> wrong.open(null)).hasMessageContaining("unique key");
    }

    @Test
    void aKeyThatIsNullIsRefused() throws Exception {
        insert(1);
        JdbcRows<String> wrong = JdbcRows.of(
                database,
                "select null as id, name from product where id >= ? limit ?",
                "id",
                0,
                row -> row.getString("name"));

        assertThatThrownBy(() -> wrong.open(null)).hasMessageContaining("is null");
    }

    @Test
    void aCursorOfAnotherKindIsRefused() {
        assertThatThrownBy(() -> byId().open("p001"))
                .isInstanceOf(InvalidCursorException.class)
                .hasMessageContaining("not a whole number");
        assertThatThrownBy(() -> byId().pageSize(1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void noConnectionIsHeldBetweenPages() throws Exception {
        insert(3);
        try (Stream<Item<String>> rows = byId().pageSize(2).open(null)) {
            rows.iterator().next();
            try (Statement statement = keepsItAlive.createStatement();
                    var sessions = statement.executeQuery("select count(*) from information_schema.sessions")) {
                sessions.next();
                assertThat(sessions.getInt(1)).isEqualTo(1);
            }
        }
    }
}
