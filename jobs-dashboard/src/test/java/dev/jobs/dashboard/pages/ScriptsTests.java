package dev.jobs.dashboard.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Rules for all scripts and styles of the pages. */
class ScriptsTests {

    private static final Pattern IMPORT = Pattern.compile("from\\s*['\"](\\.\\.?/[\\w./-]+)['\"]");
    private static final Pattern PRELOAD = Pattern.compile("modulepreload\" href=\"assets/([\\w./-]+)\"");

    /** Ways to turn data into markup or code, and foreign addresses. */
    private static final List<String> FORBIDDEN = List.of(
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "new Function",
            "dangerouslySet",
            "http://",
            "https://",
            " style=\"",
            "javascript:");

    static List<Path> own() {
        return Ui.files(Ui.folders()).stream()
                .filter(file -> !file.getFileName().toString().startsWith("vendor-"))
                .filter(file -> !file.toString().endsWith(".svg"))
                .filter(file -> !file.toString().endsWith(".json"))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("own")
    void noDataBecomesMarkupAndNoOtherHostIsAsked(Path file) {
        String text = Ui.read(file);
        assertThat(FORBIDDEN).noneMatch(text::contains);
        assertThat(text).doesNotContainPattern("<[a-z]+[^>]* on[a-z]+=\"");
    }

    /** Otherwise the browser discovers each module only after it has read the module that imports it. */
    @Test
    void thePageNamesAllModulesThatEveryPageNeeds() {
        Set<String> needed = new TreeSet<>();
        collect("app.js", needed);
        needed.remove("app.js");
        Set<String> named = new TreeSet<>();
        Matcher preload = PRELOAD.matcher(Ui.read(Ui.OWN.resolve("index.html")));
        while (preload.find()) {
            named.add(preload.group(1));
        }
        assertThat(named).isEqualTo(needed);
    }

    private static void collect(String module, Set<String> into) {
        if (into.add(module)) {
            Matcher imported = IMPORT.matcher(Ui.read(Ui.OWN.resolve("assets").resolve(module)));
            while (imported.find()) {
                collect(
                        Path.of(module)
                                .resolveSibling(imported.group(1))
                                .normalize()
                                .toString(),
                        into);
            }
        }
    }
}
