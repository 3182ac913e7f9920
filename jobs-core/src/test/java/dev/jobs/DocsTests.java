package dev.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Links between pages lead somewhere; the architecture and the decisions stay short enough to be read. */
class DocsTests {

    private static final Path ROOT = Path.of("..");
    private static final Path DECISIONS = ROOT.resolve("docs/adr");

    private static final Pattern CODE = Pattern.compile("(?ms)^```.*?^```$");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");

    @Test
    void everyLinkLeadsToAFileAndAHeading() throws IOException {
        List<String> broken = new ArrayList<>();
        for (Path page : pages()) {
            Matcher links = LINK.matcher(text(page));
            while (links.find()) {
                String link = links.group(1);
                if (!link.contains(":") && !leadsSomewhere(page, link)) {
                    broken.add(ROOT.relativize(page) + " " + link);
                }
            }
        }

        assertThat(broken).isEmpty();
    }

    @Test
    void theArchitectureIsReadInAFewMinutes() {
        assertThat(text(ROOT.resolve("docs/architecture.md")).split("\\s+")).hasSizeLessThanOrEqualTo(1500);
    }

    /** The file is that which {@code benchmarks/run --goals} writes. */
    @Test
    void theFiguresOfGoalsAreThoseOfTheirRun() {
        JsonNode run = new JsonMapper().readTree(text(ROOT.resolve("docs/goals.json")));
        String page = text(ROOT.resolve("docs/performance.md"));

        assertThat(run.get("quick").asBoolean()).isFalse();
        assertThat(page).contains(run.get("date").asString().substring(0, 10));
        assertThat(run.get("goals")).isNotEmpty().allSatisfy(goal -> assertThat(page)
                .contains(goal.get("shown").asString()));
    }

    @Test
    void decisionsAreNumberedInOrderAndListed() throws IOException {
        String index = text(DECISIONS.resolve("README.md"));
        List<Path> decisions = decisions();

        assertThat(decisions)
                .extracting(each -> each.getFileName().toString().substring(0, 4))
                .containsExactlyElementsOf(IntStream.rangeClosed(1, decisions.size())
                        .mapToObj("%04d"::formatted)
                        .toList());
        assertThat(decisions).allSatisfy(each -> assertThat(index).contains("(" + each.getFileName() + ")"));
    }

    @Test
    void aDecisionIsOnePageWithItsReasons() throws IOException {
        assertThat(decisions()).allSatisfy(each -> {
            String text = text(each);
            assertThat(text).startsWith("# " + each.getFileName().toString().substring(0, 4) + " ");
            assertThat(headings(text).skip(1)).containsExactly("Context", "Decision", "Consequences", "Alternatives");
            assertThat(text.lines()).hasSizeLessThanOrEqualTo(60);
        });
    }

    private static boolean leadsSomewhere(Path page, String link) {
        String[] parts = link.split("#", 2);
        Path target = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
        if (!Files.exists(target)) {
            return false;
        }
        return parts.length == 1
                || !target.toString().endsWith(".md")
                || headings(text(target)).map(DocsTests::anchor).anyMatch(parts[1]::equals);
    }

    /** What GitHub makes of a heading. */
    private static String anchor(String heading) {
        return heading.replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1")
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N}_\\- ]", "")
                .replace(' ', '-');
    }

    private static Stream<String> headings(String text) {
        return HEADING.matcher(text).results().map(found -> found.group(1).trim());
    }

    private static List<Path> decisions() throws IOException {
        try (Stream<Path> files = Files.list(DECISIONS)) {
            return files.filter(each -> !each.endsWith("README.md")).sorted().toList();
        }
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> top = Files.list(ROOT);
                Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(top, docs)
                    .filter(each -> each.toString().endsWith(".md"))
                    .sorted()
                    .toList();
        }
    }

    private static String text(Path page) {
        try {
            return CODE.matcher(Files.readString(page)).replaceAll("");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
