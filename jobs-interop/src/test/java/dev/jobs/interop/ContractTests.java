package dev.jobs.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What docs/sidekiq.md says of each section of the contract is true of the tests: a section that is held has some, each tagged with its
 * number as in {@code @Tag("sidekiq-11.2")}, and no test is tagged with a section that isn't.
 */
class ContractCoverageTests {

    private static final Path ROOT = Path.of("..");
    private static final Path PAGE = ROOT.resolve("docs/sidekiq.md");

    private static final Pattern ROW =
            Pattern.compile("^\\| (\\d+(?:\\.\\d+)*) +\\| ([^|]+?) +\\| ([^|]+?) +\\| .+ \\|$", Pattern.MULTILINE);

    private static final Pattern TAG = Pattern.compile("^( *)@Tag\\(\"sidekiq-([^\"]*)\"\\)", Pattern.MULTILINE);

    /** What stands behind annotations: a method or a class. */
    private static final Pattern TAGGED = Pattern.compile("\\b(void|class) \\w+");

    private static final Pattern TEST = Pattern.compile("^ *@(Parameterized|Repeated)?Test\\b", Pattern.MULTILINE);

    /** What the third column may say, and whether tests have to show it. */
    private static final Map<String, Boolean> HELD =
            Map.of("yes", true, "in part", true, "otherwise", true, "no", false, "–", false);

    private record Row(String subject, String held) {}

    private static Map<String, Row> rows() throws IOException {
        Map<String, Row> rows = new LinkedHashMap<>();
        Matcher row = ROW.matcher(Files.readString(PAGE));
        while (row.find()) {
            Row earlier = rows.put(row.group(1), new Row(row.group(2), row.group(3)));
            assertThat(earlier)
                    .as("an earlier row for section %s", row.group(1))
                    .isNull();
        }
        return rows;
    }

    /** How many tests each section has. */
    private static Map<String, Integer> tests() throws IOException {
        Map<String, Integer> tests = new TreeMap<>();
        for (Path source : sources()) {
            String text = Files.readString(source);
            Matcher tag = TAG.matcher(text);
            while (tag.find()) {
                Matcher tagged = TAGGED.matcher(text);
                assertThat(tagged.find(tag.end()))
                        .as("%s: what %s stands on", source, tag.group())
                        .isTrue();
                int count = tagged.group(1).equals("class")
                        ? (int) TEST.matcher(text).results().count()
                        : 1;
                tests.merge(tag.group(2), count, Integer::sum);
            }
        }
        return tests;
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> modules = Files.walk(ROOT, 4)) {
            List<Path> trees =
                    modules.filter(path -> path.endsWith(Path.of("src/test"))).toList();
            List<Path> sources = new ArrayList<>();
            for (Path tree : trees) {
                try (Stream<Path> files = Files.walk(tree)) {
                    files.filter(file -> file.toString().endsWith(".java"))
                            .sorted()
                            .forEach(sources::add);
                }
            }
            return sources;
        }
    }

    @Test
    void theTableIsInOrderAndSaysOfEverySectionWhetherItIsHeld() throws IOException {
        Map<String, Row> rows = rows();

        assertThat(rows).hasSizeGreaterThan(60);
        assertThat(rows.keySet().stream().map(ContractCoverageTests::sortable)).isSorted();
        assertThat(rows)
                .allSatisfy((section, row) ->
                        assertThat(HELD).as("section %s", section).containsKey(row.held()));
    }

    /** 11.2 comes before 11.10. */
    private static String sortable(String section) {
        return Pattern.compile("\\d+")
                .matcher(section)
                .replaceAll(number -> String.format("%03d", Integer.parseInt(number.group())));
    }

    @Test
    void everySectionThatIsHeldHasATestAndEveryTestASection() throws IOException {
        Map<String, Row> rows = rows();
        Map<String, Integer> tests = tests();
        StringBuilder list = new StringBuilder("Sections of the contract, and how many tests each has:\n");
        rows.forEach((section, row) -> list.append(String.format(
                "%6s  %4s  %-9s  %s%n", section, tests.getOrDefault(section, 0), row.held(), row.subject())));
        System.out.println(list);

        List<String> wrongs = new ArrayList<>();
        tests.keySet().stream()
                .filter(section -> !rows.containsKey(section))
                .forEach(section -> wrongs.add(section + ": tests have this tag, and the page has no such row"));
        rows.forEach((section, row) -> {
            boolean held = HELD.getOrDefault(row.held(), false);
            if (held != tests.containsKey(section)) {
                wrongs.add(section + ": the page says '" + row.held() + "', and "
                        + (held ? "no test has this tag" : "tests have this tag"));
            }
        });
        assertThat(wrongs).isEmpty();
    }
}
