package dev.jobs.interop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Sidekiq's contract, section by section as in docs/sidekiq.md, and the tests in all modules that verify it. */
final class Contract {

    /** The prefix of a test's tag; the section number follows, as in {@code @Tag("sidekiq-11.2")}. */
    static final String TAG_PREFIX = "sidekiq-";

    private static final Path ROOT = Path.of("..");

    private static final Pattern ROW =
            Pattern.compile("^\\| (\\d+(?:\\.\\d+)*) +\\| ([^|]+?) +\\| ([^|]+?) +\\| .+ \\|$", Pattern.MULTILINE);

    private static final Pattern TAG =
            Pattern.compile("^( *)@Tag\\(\"" + TAG_PREFIX + "([^\"]*)\"\\)", Pattern.MULTILINE);

    /** The target of annotations: a method or a class. */
    private static final Pattern TAGGED = Pattern.compile("\\b(void|class) \\w+");

    private static final Pattern TEST = Pattern.compile("^ *@(Parameterized|Repeated)?Test\\b", Pattern.MULTILINE);

    /**
     * A row of the page.
     *
     * @param number such as 11.2
     * @param held one of the words that {@link ContractTests} knows
     */
    record Section(String number, String subject, String held) {}

    private Contract() {}

    static List<Section> sections() throws IOException {
        return ROW.matcher(Files.readString(ROOT.resolve("docs/sidekiq.md")))
                .results()
                .map(row -> new Section(row.group(1), row.group(2), row.group(3)))
                .toList();
    }

    /** The number of tests of each section, by section number. */
    static Map<String, Integer> tests() throws IOException {
        Map<String, Integer> tests = new TreeMap<>();
        for (Map.Entry<Path, String> source : sources().entrySet()) {
            String text = source.getValue();
            Matcher tag = TAG.matcher(text);
            while (tag.find()) {
                Matcher tagged = TAGGED.matcher(text);
                if (!tagged.find(tag.end())) {
                    throw new IllegalStateException(source.getKey() + ": " + tag.group() + " stands on nothing");
                }
                int count = tagged.group(1).equals("class")
                        ? (int) TEST.matcher(text).results().count()
                        : 1;
                tests.merge(tag.group(2), count, Integer::sum);
            }
        }
        return tests;
    }

    private static Map<Path, String> sources() throws IOException {
        Map<Path, String> sources = new LinkedHashMap<>();
        try (Stream<Path> modules = Files.walk(ROOT, 4)) {
            List<Path> trees =
                    modules.filter(path -> path.endsWith(Path.of("src/test"))).toList();
            for (Path tree : trees) {
                try (Stream<Path> files = Files.walk(tree)) {
                    for (Path file : files.filter(each -> each.toString().endsWith(".java"))
                            .sorted()
                            .toList()) {
                        sources.put(file, Files.readString(file));
                    }
                }
            }
        }
        return sources;
    }
}
