package dev.jobs.source;

import static dev.jobs.source.FileLinesTests.elements;
import static dev.jobs.source.FileLinesTests.items;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.InvalidCursorException;
import dev.jobs.Iteration.Item;
import dev.jobs.JobsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("sidekiq-18")
class CsvRowsTests {

    @TempDir
    private Path directory;

    private Path file;

    @BeforeEach
    void name() {
        file = directory.resolve("products.csv");
    }

    @Test
    void rows_are_counted_from_0_without_the_header() throws Exception {
        Files.writeString(
                file, "sku,name\r\nCUP-01,\"Cup, small\"\r\n\r\nCUP-02,\"two\nlines \"\"quoted\"\"\"\r\nCUP-03\r\n");

        List<Item<Map<String, String>>> all = items(CsvRows.withHeader(file), null);

        assertThat(all)
                .containsExactly(
                        new Item<>(Map.of("sku", "CUP-01", "name", "Cup, small"), 0L),
                        new Item<>(Map.of("sku", "CUP-02", "name", "two\nlines \"quoted\""), 1L),
                        new Item<>(Map.of("sku", "CUP-03"), 2L));
        for (int i = 0; i < all.size(); i++) {
            assertThat(items(CsvRows.withHeader(file), (long) i)).isEqualTo(all.subList(i, all.size()));
        }
        assertThat(items(CsvRows.withHeader(file), 3L)).isEmpty();
    }

    @Test
    void a_file_may_have_no_header_and_a_form_of_its_own() throws Exception {
        Files.write(file, "é;1\nü;2\n".getBytes(ISO_8859_1));

        assertThat(items(CsvRows.withoutHeader(file).charset(ISO_8859_1).separatedBy(';'), 1L))
                .containsExactly(new Item<>(List.of("ü", "2"), 1L));
    }

    @Test
    void two_columns_of_one_name_are_refused() throws Exception {
        Files.writeString(file, "sku,sku\n1,2\n");

        assertThatThrownBy(() -> elements(CsvRows.withHeader(file), null)).hasMessageContaining("duplicate");
    }

    @Test
    void what_is_no_csv_says_where_it_breaks() throws Exception {
        Files.writeString(file, "sku,name\nCUP-01,Cup\nCUP-02,\"no end\n");

        assertThatThrownBy(() -> elements(CsvRows.withHeader(file), null)).hasMessageContaining("line");
    }

    @Test
    void a_file_that_is_gone_is_named() {
        assertThatThrownBy(() -> CsvRows.withHeader(file).open(null))
                .isInstanceOf(JobsException.class)
                .hasMessageContaining("There is no file " + file);
    }

    @Test
    void a_cursor_that_is_no_number_is_refused() {
        assertThatThrownBy(() -> CsvRows.withHeader(file).open("CUP-01")).isInstanceOf(InvalidCursorException.class);
    }
}
