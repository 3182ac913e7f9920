package dev.jobs.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTests {

    private static final Line PASSED = new Line(Kind.UNIT, Line.Result.PASSED, 30_000, "");

    @Test
    void testsAreCountedByModuleAndKind() {
        Map<String, List<Line>> modules = new TreeMap<>(Map.of(
                "core", List.of(PASSED, new Line(Kind.LONG, Line.Result.FAILED, 60_000, "")), "web", List.of(PASSED)));

        assertThat(Report.of(modules).lines().map(each -> each.replaceAll(" +", " ")
                        .strip()))
                .containsExactly(
                        "module kind passed failed skipped minutes",
                        "core unit 1 0 0 0.5",
                        "core long 0 1 0 1.0",
                        "web unit 1 0 0 0.5",
                        "all unit 2 0 0 1.0",
                        "all long 0 1 0 1.0",
                        "all 2 1 0 2.0",
                        "SKIPPED: nothing");
    }

    @Test
    void theLastLineNamesEachMissingPackageOnce() {
        List<Line> lines = List.of(
                skipped("missing: ruby"),
                skipped("missing: chromium"),
                skipped("missing: ruby"),
                skipped("no address"));

        assertThat(Report.of(Map.of("core", lines)).lines())
                .last()
                .isEqualTo("SKIPPED: 4 tests; missing: chromium, ruby; no address");
    }

    @Test
    void whatWasRecordedIsReadOnce(@TempDir Path project) throws Exception {
        Path folder = Files.createDirectories(project.resolve("core/target/proof"));
        Files.writeString(folder.resolve("tests-1.tsv"), PASSED + "\n" + skipped("missing:\ttabs\nand lines") + "\n");

        Report.main(new String[] {project.toString()});

        assertThat(folder).isEmptyDirectory();
    }

    private static Line skipped(String reason) {
        return new Line(Kind.BROWSER, Line.Result.SKIPPED, 0, reason);
    }
}
