package dev.jobs.dashboard.browser;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.dashboard.assembly.Segments;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A page that nobody visits in tests is one that nobody has looked at. */
class VisitTests {

    private static final Path PAGES = Path.of("src/main/resources/dev/jobs/dashboard/ui/assets/app.js");

    private static Set<String> found(Path file, String begin, String end, String name) throws IOException {
        String text = Files.readString(file, UTF_8);
        int from = text.indexOf(begin);
        assertThat(from).as(begin).isPositive();
        Matcher names = Pattern.compile(name).matcher(text.substring(from, text.indexOf(end, from)));
        Set<String> all = new TreeSet<>();
        while (names.find()) {
            all.add(names.group(1).replace("'", ""));
        }
        return all;
    }

    @Test
    void everyPageIsVisited() throws IOException {
        Set<String> visited = Stream.of(Visit.values()).map(Visit::page).collect(Collectors.toCollection(TreeSet::new));

        assertThat(visited)
                .isEqualTo(found(PAGES, "const PAGES = {", "};", "(?m)^ {2}('?\\w*'?): "))
                .isEqualTo(Segments.PAGES);
    }
}
