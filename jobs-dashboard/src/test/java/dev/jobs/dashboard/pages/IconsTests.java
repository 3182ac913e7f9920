package dev.jobs.dashboard.pages;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** An icon means one thing. */
class IconsTests {

    private static final Pattern SHAPE = Pattern.compile("^ {2}(\\w+): '(M[^']+)'", Pattern.MULTILINE);
    private static final Pattern BUTTON =
            Pattern.compile("<\\$\\{IconButton}[^>]*?name=\"(\\w+)\"\\s+label=\\$\\{t\\('([\\w.-]+)'");

    /** In the lists of jobs, an icon stands for each of these. */
    private static final Map<String, String> OF_JOBS = Map.of("run", "action.run", "trash", "action.delete");

    @Test
    void noTwoIconsHaveTheSameShape() {
        List<String> shapes = SHAPE.matcher(Ui.read(Ui.OWN.resolve("assets").resolve("icon.js")))
                .results()
                .map(shape -> shape.group(2))
                .filter(shape -> !shape.isEmpty())
                .toList();
        assertThat(shapes).hasSizeGreaterThan(20).doesNotHaveDuplicates();
    }

    @Test
    void noButtonsWithTheSameIconDoDifferentThings() {
        Map<String, Set<String>> labels = Ui.files(Ui.folders()).stream()
                .filter(file -> file.toString().endsWith(".js"))
                .flatMap(file -> BUTTON.matcher(Ui.read(file)).results())
                .collect(groupingBy(
                        (MatchResult button) -> button.group(1), mapping(button -> button.group(2), toSet())));
        assertThat(labels).containsKeys("pause", "resume", "run", "history");
        assertThat(labels.values()).allSatisfy(each -> assertThat(each).hasSize(1));
        OF_JOBS.forEach((icon, label) ->
                assertThat(labels.getOrDefault(icon, Set.of(label))).containsExactly(label));
    }
}
