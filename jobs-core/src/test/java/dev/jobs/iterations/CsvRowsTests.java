package dev.jobs.iterations;

import static dev.jobs.iterations.FileLinesTests.elements;
import static dev.jobs.iterations.FileLinesTests.items;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobsException;
import dev.jobs.iterations.Iteration.Item;
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
    void rowsAreCountedFrom0WithoutTheHeader() throws Exception {
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
    void aFileMayHaveNoHeaderAndAFormOfItsOwn() throws Exception {
        Files.write(file, "é;1\nü;2\n".getBytes(ISO_8859_1));

        assertThat(items(CsvRows.withoutHeader(file).charset(ISO_8859_1).separatedBy(';'), 1L))
                .containsExactly(new Item<>(List.of("ü", "2"), 1L));
    }

    @Test
    void twoColumnsOfOneNameAreRefused() throws Exception {
        Files.writeString(file, "sku,sku\n1,2\n");

        assertThatThrownBy(() -> elements(CsvRows.withHeader(file), null)).hasMessageContaining("duplicate");
    }

    @Test
    void invalidCsvSaysWhereItBreaks() throws Exception {
        Files.writeString(file, "sku,name\nCUP-01,Cup\nCUP-02,\"no end\n");

        assertThatThrownBy(() -> elements(CsvRows.withHeader(file), null)).hasMessageContaining("line");
    }

    @Test
    void aFileThatIsGoneIsNamed() {
        assertThatThrownBy(() -> CsvRows.withHeader(file).open(null))
                .isInstanceOf(JobsException.class)
                .hasMessageContaining("There is no file " + file);
    }

    @Test
    void aCursorThatIsNoNumberIsRefused() {
        assertThatThrownBy(() -> CsvRows.withHeader(file).open("CUP-01")).isInstanceOf(InvalidCursorException.class);
    }
}
