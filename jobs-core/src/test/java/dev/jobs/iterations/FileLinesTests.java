package dev.jobs.iterations;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobsException;
import dev.jobs.iterations.Iteration.Item;
import dev.jobs.iterations.Iteration.Source;
import dev.jobs.proof.LongTest;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("sidekiq-18")
class FileLinesTests {

    @TempDir
    private Path directory;

    private Path file;

    @BeforeEach
    void name() {
        file = directory.resolve("lines.txt");
    }

    /** All elements with their cursors, from a cursor on. */
    static <E> List<Item<E>> items(Source<E> source, Object cursor) throws Exception {
        try (Stream<Item<E>> items = source.open(cursor)) {
            return items.toList();
        }
    }

    static <E> List<E> elements(Source<E> source, Object cursor) throws Exception {
        return items(source, cursor).stream().map(Item::element).toList();
    }

    private void write(String text) throws Exception {
        Files.write(file, text.getBytes(UTF_8));
    }

    @Test
    void eachLineGoesByItsFirstByte() throws Exception {
        write("a\n\nçé\r\nlast");

        assertThat(items(FileLines.of(file), null))
                .containsExactly(new Item<>("a", 0L), new Item<>("", 2L), new Item<>("çé", 3L), new Item<>("last", 9L));
    }

    @Test
    void whateverTheCursorTheRestComesFromThereOn() throws Exception {
        write("a\n\nçé\r\nlast\n");
        List<Item<String>> all = items(FileLines.of(file), null);

        for (int i = 0; i < all.size(); i++) {
            assertThat(items(FileLines.of(file), all.get(i).cursor())).isEqualTo(all.subList(i, all.size()));
        }
        assertThat(items(FileLines.of(file), Files.size(file))).isEmpty();
    }

    @Test
    void anEmptyFileHasNoLines() throws Exception {
        write("");

        assertThat(items(FileLines.of(file), null)).isEmpty();
    }

    @Test
    void aByteOrderMarkIsNoPartOfTheFirstLine() throws Exception {
        write("\ufeffa\nb\n");

        List<Item<String>> all = items(FileLines.of(file), null);
        assertThat(all).containsExactly(new Item<>("a", 3L), new Item<>("b", 5L));
        assertThat(items(FileLines.of(file), 3L)).isEqualTo(all);
    }

    @Test
    void anotherCharsetIsReadAsSuch() throws Exception {
        Files.write(file, "é\nü\n".getBytes(ISO_8859_1));

        assertThat(elements(FileLines.of(file).charset(ISO_8859_1), null)).containsExactly("é", "ü");
        assertThatThrownBy(() -> elements(FileLines.of(file), null))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("the line at byte 0 is not valid UTF-8");
        assertThatThrownBy(() -> FileLines.of(file).charset(UTF_16)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aFileThatIsGoneIsNamed() {
        assertThatThrownBy(() -> FileLines.of(file).open(null))
                .isInstanceOf(JobsException.class)
                .hasMessageContaining("There is no file " + file);
    }

    @Test
    void aFileThatWasReplacedIsNoticed() throws Exception {
        write("first line\nsecond line\n");
        Object second = items(FileLines.of(file), null).get(1).cursor();

        write("another first line\nsecond line\n");
        assertThatThrownBy(() -> FileLines.of(file).open(second)).isInstanceOf(InvalidCursorException.class);
        write("a\n");
        assertThatThrownBy(() -> FileLines.of(file).open(second)).isInstanceOf(InvalidCursorException.class);
        assertThatThrownBy(() -> FileLines.of(file).open("2")).isInstanceOf(InvalidCursorException.class);
    }

    @LongTest
    @Test
    void aLineWithoutEndDoesNotFillTheHeap() throws Exception {
        Files.write(file, Collections.nCopies(17, "x".repeat(1024 * 1024).replace("\n", "")), UTF_8);
        assertThat(elements(FileLines.of(file), null)).hasSize(17);

        Files.writeString(file, "x".repeat(FileLines.MAX_LINE_BYTES + 1));
        assertThatThrownBy(() -> elements(FileLines.of(file), null)).hasMessageContaining("has more than");
    }

    @Test
    void theFileIsClosedWithTheStream() throws Exception {
        write("a\nb\n");
        Stream<Item<String>> lines = FileLines.of(file).open(null);
        var iterator = lines.iterator();
        lines.close();

        assertThatThrownBy(iterator::next).isInstanceOf(UncheckedIOException.class);
    }
}
