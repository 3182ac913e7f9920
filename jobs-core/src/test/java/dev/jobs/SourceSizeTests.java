package dev.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Measures every source file of all modules. */
class SourceSizeTests {

    private static final Path PROJECT = Path.of("..");
    private static final int MOST_LINES = 400;
    private static final int MOST_COLUMNS = 120;
    private static final Pattern COMMENT = Pattern.compile("\\s*(/?\\*|//|--)");

    @Test
    void noClassIsTooLongToBeReadAtOnce() throws IOException {
        List<Path> sources = sources("src/main/java", ".java");
        assertThat(sources).as("main source files found").hasSizeGreaterThan(100);
        assertThat(sources)
                .filteredOn(each -> lines(each).size() > MOST_LINES)
                .as("classes of more than " + MOST_LINES + " lines; give what belongs together a class of its own")
                .isEmpty();
    }

    /** The formatter wraps code, but neither comments nor scripts. */
    @Test
    void noCommentIsWiderThanCode() throws IOException {
        List<Path> sources = new ArrayList<>(sources("src/main/resources", ".lua"));
        assertThat(sources).as("scripts found").isNotEmpty();
        sources.addAll(sources("src", ".java"));
        List<String> wide = new ArrayList<>();
        for (Path source : sources) {
            List<String> lines = lines(source);
            for (int i = 0; i < lines.size(); i++) {
                if (lines.get(i).length() > MOST_COLUMNS
                        && COMMENT.matcher(lines.get(i)).lookingAt()) {
                    wide.add(source + ":" + (i + 1));
                }
            }
        }
        assertThat(wide)
                .as("comments of more than " + MOST_COLUMNS + " columns")
                .isEmpty();
    }

    private static List<Path> sources(String folder, String suffix) throws IOException {
        List<Path> sources = new ArrayList<>();
        try (Stream<Path> modules = Files.list(PROJECT)) {
            for (Path module : modules.map(each -> each.resolve(folder))
                    .filter(Files::isDirectory)
                    .toList()) {
                try (Stream<Path> files = Files.walk(module)) {
                    files.filter(each -> each.toString().endsWith(suffix)).forEach(sources::add);
                }
            }
        }
        return sources;
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
