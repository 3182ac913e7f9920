package dev.jobs.proof;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Prints what a run of the proof consisted of: tests by kind and by module, and what was missing. */
public final class Report {

    private static final String FOLDER = "target/proof";
    private static final String NAMES = "%-30s %-10s ";
    private static final String HEAD = NAMES + "%7s %7s %8s %8s%n";
    private static final String ROW = NAMES + "%7d %7d %8d %8.1f%n";

    private Report() {}

    /**
     * Prints the report, and deletes what {@link Tally} recorded.
     *
     * @param arguments the folder of the project
     */
    public static void main(String[] arguments) throws IOException {
        Path project = Path.of(arguments[0]);
        Map<String, List<Line>> modules = new TreeMap<>();
        try (Stream<Path> folders = Files.list(project)) {
            for (Path module : folders.filter(each -> Files.isDirectory(each.resolve(FOLDER)))
                    .toList()) {
                modules.put(module.getFileName().toString(), take(module.resolve(FOLDER)));
            }
        }
        System.out.println(of(modules));
    }

    private static List<Line> take(Path folder) throws IOException {
        List<Line> lines = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.readAllLines(file).forEach(each -> lines.add(Line.parse(each)));
                Files.delete(file);
            }
        }
        return lines;
    }

    /** Ends with one line about what was skipped. */
    static String of(Map<String, List<Line>> modules) {
        StringBuilder text =
                new StringBuilder(HEAD.formatted("module", "kind", "passed", "failed", "skipped", "minutes"));
        modules.forEach((module, lines) -> byKind(lines).forEach((kind, some) -> row(text, module, kind.text(), some)));
        List<Line> all = modules.values().stream().flatMap(List::stream).toList();
        byKind(all).forEach((kind, some) -> row(text, "all", kind.text(), some));
        row(text, "all", "", all);
        return text.append(skipped(all)).toString();
    }

    private static Map<Kind, List<Line>> byKind(List<Line> lines) {
        return lines.stream()
                .collect(Collectors.groupingBy(Line::kind, () -> new EnumMap<>(Kind.class), Collectors.toList()));
    }

    private static void row(StringBuilder text, String module, String kind, List<Line> lines) {
        text.append(String.format(
                Locale.ROOT,
                ROW,
                module,
                kind,
                count(lines, Line.Result.PASSED),
                count(lines, Line.Result.FAILED),
                count(lines, Line.Result.SKIPPED),
                lines.stream().mapToLong(Line::milliseconds).sum() / 60_000.0));
    }

    private static long count(List<Line> lines, Line.Result result) {
        return lines.stream().filter(each -> each.result() == result).count();
    }

    private static String skipped(List<Line> lines) {
        List<String> reasons = lines.stream()
                .filter(each -> each.result() == Line.Result.SKIPPED)
                .map(Line::reason)
                .toList();
        if (reasons.isEmpty()) {
            return "SKIPPED: nothing";
        }
        Set<String> missing = new TreeSet<>();
        Set<String> others = new TreeSet<>();
        for (String reason : reasons) {
            if (reason.startsWith(Requires.Condition.MISSING)) {
                missing.add(reason.substring(Requires.Condition.MISSING.length()));
            } else {
                others.add(reason);
            }
        }
        StringBuilder line = new StringBuilder("SKIPPED: " + reasons.size() + " tests");
        if (!missing.isEmpty()) {
            line.append("; missing: ").append(String.join(", ", missing));
        }
        if (!others.isEmpty()) {
            line.append("; ").append(String.join("; ", others));
        }
        return line.toString();
    }
}
