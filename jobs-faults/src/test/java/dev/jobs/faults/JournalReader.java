package dev.jobs.faults;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.faults.Journal.Event;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Follows the journal of one worker process. */
final class JournalReader {

    private final Path path;
    private final int worker;
    private final List<Execution> executions = new ArrayList<>();
    private final Map<String, Integer> running = new HashMap<>();
    private long position;

    JournalReader(Path path, int worker) {
        this.path = path;
        this.worker = worker;
    }

    /** The executions recorded so far. */
    synchronized List<Execution> read() {
        if (Files.exists(path)) { // it may have been killed before its first record
            news().lines().forEach(this::note);
        }
        return List.copyOf(executions);
    }

    private String news() {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
            byte[] bytes = new byte[Math.toIntExact(file.length() - position)];
            file.seek(position);
            file.readFully(bytes);
            String text = new String(bytes, UTF_8);
            String lines = text.substring(0, text.lastIndexOf('\n') + 1);
            position += lines.length(); // all content is ASCII
            return lines;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void note(String line) {
        String[] parts = line.split(" ");
        String jid = parts[1];
        String key = String.join(" ", jid, parts[2], parts[3]);
        Instant time = Instant.EPOCH.plus(Long.parseLong(parts[4]), ChronoUnit.MICROS);
        if (Event.valueOf(parts[0]) == Event.START) {
            running.put(key, executions.size());
            executions.add(new Execution(jid, Integer.parseInt(parts[2]), worker, time, null, false));
        } else {
            int index = running.remove(key);
            executions.set(index, executions.get(index).end(time, Event.valueOf(parts[0]) == Event.FINISH));
        }
    }
}
