package dev.jobs.dashboard;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a test has measured and doesn't judge, since another process may have slowed it: goes to the log, and as a table
 * to {@code target/figures} when it is closed. Thread-safe.
 */
public final class Figures implements AutoCloseable {

    private static final Path FOLDER = Path.of("target", "figures");
    private static final Logger log = LoggerFactory.getLogger(Figures.class);

    private final String name;
    private final List<String> lines = new CopyOnWriteArrayList<>();

    /** @param columns of the table, with bars between them */
    public Figures(String name, String columns) {
        this.name = name;
        lines.add(columns);
        lines.add(columns.replaceAll("[^|]+", "---"));
    }

    /** Adds a row; numbers have one digit behind the point. */
    public void add(Object... cells) {
        StringBuilder line = new StringBuilder();
        for (Object cell : cells) {
            String text = cell instanceof Double number ? String.format(Locale.ROOT, "%.1f", number) : "" + cell;
            line.append(line.isEmpty() ? "" : " | ").append(text);
        }
        lines.add(line.toString());
        log.info("{}: {}", name, line);
    }

    @Override
    public void close() {
        try {
            Files.createDirectories(FOLDER);
            Files.write(FOLDER.resolve(name + ".md"), lines);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
