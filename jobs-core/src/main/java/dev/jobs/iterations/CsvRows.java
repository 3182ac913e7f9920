package dev.jobs.iterations;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.iterations.Iteration.Item;
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
 * The rows of a CSV file. The cursor is the number of the row from 0, as in Sidekiq, not counting the header; resuming
 * reads the earlier rows again.
 *
 * <p>Fields are separated by commas and may be quoted as in RFC 4180; blank lines are skipped. Rows may be added at the
 * end while the job waits; the rest of the file must not change. Every worker that runs the job must find the file
 * under the same path. Invalid CSV or a missing file fails the job. Needs {@code org.apache.commons:commons-csv} on the
 * class path. Immutable.
 *
 * @param <E> the type of the elements: a map or a list of fields
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

    /**
     * The rows of a file in UTF-8 whose first row is a header with unique column names. Each element maps columns to
     * fields; a row may lack its last fields.
     */
    public static CsvRows<Map<String, String>> withHeader(Path file) {
        CSVFormat format = format().setHeader()
                .setSkipHeaderRecord(true)
                .setDuplicateHeaderMode(DuplicateHeaderMode.DISALLOW)
                .get();
        return new CsvRows<>(file, UTF_8, format, CSVRecord::toMap);
    }

    /** The rows of a file in UTF-8 without a header. Each element is the list of fields. */
    public static CsvRows<List<String>> withoutHeader(Path file) {
        return new CsvRows<>(file, UTF_8, format().get(), CSVRecord::toList);
    }

    private static CSVFormat.Builder format() {
        return CSVFormat.RFC4180.builder().setIgnoreEmptyLines(true);
    }

    /** The same rows, read in another charset. */
    public CsvRows<E> charset(Charset other) {
        return new CsvRows<>(file, other, format, row);
    }

    /** The same rows, with another character between fields, such as a semicolon. */
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
