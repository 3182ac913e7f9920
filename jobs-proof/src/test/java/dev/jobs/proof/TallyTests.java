package dev.jobs.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

class TallyTests {

    @TempDir
    Path folder;

    @Test
    void everyTestIsRecordedWithItsKind() throws Exception {
        assertThat(tally(Mixed.class))
                .extracting(Line::kind, Line::result, Line::reason)
                .containsExactlyInAnyOrder(
                        tuple(Kind.REDIS, Line.Result.PASSED, ""),
                        tuple(Kind.LONG, Line.Result.FAILED, ""),
                        tuple(Kind.BROWSER, Line.Result.SKIPPED, "missing: a browser"));
    }

    @Test
    void dynamicTestsAreOfTheKindOfTheirClass() throws Exception {
        assertThat(tally(Dynamic.class)).extracting(Line::kind).containsExactly(Kind.BROWSER, Kind.BROWSER);
    }

    @Test
    void testsOfAClassThatCannotRunAreSkippedOneByOne() throws Exception {
        assertThat(tally(Aborted.class))
                .extracting(Line::result, Line::reason)
                .hasSize(2)
                .containsOnly(tuple(Line.Result.SKIPPED, "no server"));
        assertThat(tally(Unmet.class))
                .extracting(Line::result, Line::reason)
                .hasSize(2)
                .containsOnly(tuple(Line.Result.SKIPPED, "missing: a thing"));
    }

    @Test
    void everyRequirementHasToBeMet() throws Exception {
        assertThat(tally(Half.class)).extracting(Line::reason).containsExactly("missing: the second");
    }

    @Test
    void oneTagLeavesOutTheWholeProof() throws Exception {
        execute(folder.toString(), Mixed.class, true);
        assertThat(read()).extracting(Line::result).containsExactly(Line.Result.PASSED);
        execute(folder.toString(), Half.class, true);
        assertThat(read()).isEmpty();
    }

    @Test
    void nothingIsRecordedUnasked() throws Exception {
        execute(null, Mixed.class, false);
        execute("", Mixed.class, false);
        assertThat(folder).isEmptyDirectory();
        try (Stream<Path> here = Files.list(Path.of(""))) {
            assertThat(here).noneMatch(each -> each.toString().endsWith(".tsv"));
        }
    }

    private List<Line> tally(Class<?> tests) throws Exception {
        execute(folder.toString(), tests, false);
        return read();
    }

    private static void execute(@Nullable String folder, Class<?> tests, boolean everyday) {
        LauncherDiscoveryRequestBuilder request =
                LauncherDiscoveryRequestBuilder.request().selectors(selectClass(tests));
        if (everyday) {
            request.filters(TagFilter.excludeTags("proof"));
        }
        LauncherConfig config = LauncherConfig.builder()
                .enableTestExecutionListenerAutoRegistration(false)
                .addTestExecutionListeners(new Tally(folder))
                .build();
        LauncherFactory.create(config).execute(request.build());
    }

    private List<Line> read() throws Exception {
        List<Line> lines = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.readAllLines(file).forEach(each -> lines.add(Line.parse(each)));
                Files.delete(file);
            }
        }
        return lines;
    }

    static class Mixed {

        @Test
        void passes() {}

        @Test
        @LongTest
        void fails() {
            throw new IllegalStateException("on purpose");
        }

        @Test
        @LongTest
        @Tag("browser")
        @Requires(check = "exit 1", install = "a browser")
        void isSkipped() {}
    }

    @Tag("browser")
    static class Dynamic {

        @TestFactory
        Stream<DynamicTest> pages() {
            return Stream.of("one", "two").map(name -> DynamicTest.dynamicTest(name, () -> {}));
        }
    }

    static class Aborted {

        @BeforeAll
        static void start() {
            abort("no server");
        }

        @Test
        void one() {}

        @Test
        void two() {}
    }

    @Requires(check = "exit 1", install = "a thing")
    static class Unmet {

        @Test
        void one() {}

        @Test
        void two() {}
    }

    static class Half {

        @Test
        @Requires(check = "exit 0", install = "the first")
        @Requires(check = "exit 1", install = "the second")
        void isSkipped() {}
    }
}
