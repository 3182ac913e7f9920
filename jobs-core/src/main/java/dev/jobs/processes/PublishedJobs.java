package dev.jobs.processes;

import dev.jobs.Internal;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The jobs that a process runs, as it publishes them for others: one line {@code NAME|PARAMETERS|DIGEST} for each name,
 * so that processes of two versions see where they differ. Immutable.
 *
 * @param byName empty if the process publishes nothing, as Ruby processes do
 */
@Internal
public record PublishedJobs(Map<String, Shape> byName) {

    private static final int MOST_NAMES = 500;

    /**
     * How a process runs the jobs of one name.
     *
     * @param parameters number of arguments that its method takes; -1 if an upcaster decides
     * @param digest of the types and declared values of the parameters; equal digests mean that both processes read
     *     the same arguments
     */
    public record Shape(int parameters, String digest) {}

    public PublishedJobs {
        byName = Collections.unmodifiableMap(new LinkedHashMap<>(byName));
    }

    /** The text to publish; empty, which means unknown, if there are more than 500 names. */
    public String text() {
        StringBuilder lines = new StringBuilder();
        if (byName.size() <= MOST_NAMES) {
            byName.forEach((name, shape) -> lines.append(lines.isEmpty() ? "" : "\n")
                    .append(name)
                    .append('|')
                    .append(shape.parameters())
                    .append('|')
                    .append(shape.digest()));
        }
        return lines.toString();
    }

    /** Reads what a process published; lines of another form are left out. */
    public static PublishedJobs parse(@Nullable String text) {
        Map<String, Shape> byName = new LinkedHashMap<>();
        for (String line : text == null ? new String[0] : text.split("\n")) {
            int end = line.lastIndexOf('|');
            int start = line.lastIndexOf('|', end - 1);
            if (start > 0 && line.substring(start + 1, end).matches("-?\\d{1,5}")) {
                int parameters = Integer.parseInt(line.substring(start + 1, end));
                byName.put(line.substring(0, start), new Shape(parameters, line.substring(end + 1)));
            }
        }
        return new PublishedJobs(byName);
    }
}
