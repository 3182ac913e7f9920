package dev.jobs.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Without its annotation a test in a browser would run, and fail, in the build of everyone who has no browser. */
class BrowserPackageTests {

    static List<String> classes() throws IOException {
        try (Stream<Path> sources = Files.list(Path.of("src/test/java/dev/jobs/dashboard/browser"))) {
            return sources.map(each -> each.getFileName().toString())
                    .filter(each -> each.endsWith("IT.java"))
                    .map(each -> each.replace(".java", ""))
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("classes")
    void eachClassOfTestsNamesItsBrowser(String name) throws ClassNotFoundException {
        String qualified = getClass().getPackageName() + "." + name;
        Class<?> tests = Class.forName(qualified, false, getClass().getClassLoader()); // nor starts what it tests

        assertThat(tests.isAnnotationPresent(BrowserTest.class) || tests.isAnnotationPresent(FirefoxTest.class))
                .isTrue();
    }
}
