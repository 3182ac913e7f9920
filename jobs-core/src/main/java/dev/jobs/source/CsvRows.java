package dev.jobs.source;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.Iteration;
import dev.jobs.Iteration.Item;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;
import org.apache.commons.csv.DuplicateHeaderMode;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a CSV file. The cursor is the number of the row from 0, as in Sidekiq, the header not counted; going on reads the rows before it
 * once more.
 *
 * <p>Fields are separated by commas and may be quoted as RFC 4180 has it; blank lines are left out. Rows may be added at the end while the job
 * waits; the rest has to stay as it is. Every worker that runs the job has to find the file under the same path. What is no CSV fails the job,
 * and so does a file that isn't there. Needs {@code org.apache.commons:commons-csv} on the class path. Immutable.
 */
public final class CsvRows<E> implements Iteration.Source<E> {

    private final Path file;
    private final Charset charset;
    private final CSVFormat format;
    private final Function<CSVRecord, E> row;

    private CsvRows(Path file, Charset charset, CSVFormat format, Function<CSVRecord, E> row) {
        this.file = file;
        this.charset = charset;
        this.format = format;
        this.row = row;
    }

    /** The rows of a file in UTF-8 whose first row names the columns, all differently: column to field. A row may lack its last fields. */
    public static CsvRows<Map<String, String>> withHeader(Path file) {
        CSVFormat format = format().setHeader()
                .setSkipHeaderRecord(true)
                .setDuplicateHeaderMode(DuplicateHeaderMode.DISALLOW)
                .get();
        return new CsvRows<>(file, UTF_8, format, CSVRecord::toMap);
    }

    /** The rows of a file in UTF-8 without a header: the fields. */
    public static CsvRows<List<String>> withoutHeader(Path file) {
        return new CsvRows<>(file, UTF_8, format().get(), CSVRecord::toList);
    }

    private static CSVFormat.Builder format() {
        return CSVFormat.RFC4180.builder().setIgnoreEmptyLines(true);
    }

    /** The same in another charset. */
    public CsvRows<E> charset(Charset other) {
        return new CsvRows<>(file, other, format, row);
    }

    /** The same with another character between fields, as a semicolon. */
    public CsvRows<E> separatedBy(char separator) {
        return new CsvRows<>(
                file, charset, format.builder().setDelimiter(separator).get(), row);
    }

    @Override
    public Stream<Item<E>> open(@Nullable Object cursor) throws IOException {
        long first = Iteration.Source.wholeNumber(cursor, 0);
        CSVParser parser = parser();
        return parser.stream()
                .skip(first)
                .map(record -> new Item<>(row.apply(record), record.getRecordNumber() - 1))
                .onClose(() -> close(parser));
    }

    private CSVParser parser() throws IOException {
        try {
            return CSVParser.parse(file, charset, format);
        } catch (NoSuchFileException e) {
            throw FileLines.gone(file, e);
        }
    }

    private static void close(CSVParser parser) {
        try {
            parser.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
