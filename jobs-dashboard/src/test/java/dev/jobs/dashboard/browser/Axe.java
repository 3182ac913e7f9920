package dev.jobs.dashboard.browser;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The checker of accessibility that comes with {@code npm ci}. It enters a page through the browser's own protocol,
 * past the content security policy, which stays as it is.
 */
final class Axe {

    private static final Path SCRIPT = Path.of("..", "jobs-dashboard", "node_modules", "axe-core", "axe.min.js");

    /** Each finding with the elements it is about. */
    private static final String FINDINGS = """
            return axe.run({ resultTypes: ['violations'] }).then(({ violations, passes }) => violations.length + passes.length === 0
                ? ['axe has checked nothing']
                : violations.flatMap(({ id, help, nodes }) => nodes.slice(0, 5).map(({ target, html, failureSummary }) =>
                    `${id} (${help}): ${target.join(' ')} ${html.slice(0, 160)} ${failureSummary.replace(/\\s+/g, ' ')}`)));""";

    private final String script;

    private Axe(String script) {
        this.script = script;
    }

    static Axe installed() {
        try {
            return new Axe(Files.readString(SCRIPT, UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Must be called once for each page that is loaded. */
    void enter(Browser browser) {
        browser.script(script);
    }

    /** What is wrong with the page as it is now. */
    List<String> findings(Browser browser) {
        return browser.script(FINDINGS) instanceof List<?> findings
                ? findings.stream().map(String::valueOf).toList()
                : List.of("axe has not answered");
    }
}
