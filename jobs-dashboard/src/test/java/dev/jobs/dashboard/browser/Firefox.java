package dev.jobs.dashboard.browser;

import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A headless Firefox in a dark system, driven over WebDriver BiDi, which it speaks itself. Each lookup waits until the
 * element is visible.
 */
final class Firefox implements AutoCloseable {

    private static final Pattern LEFT =
            Pattern.compile("connection to \\S+/api/live\\S* was interrupted while the page was loading");

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Pattern LISTENS = Pattern.compile("WebDriver BiDi listening on (ws://\\S+)");

    /** The profile: dark, English, and asking nobody for updates. */
    private static final String PREFERENCES = """
            user_pref("layout.css.prefers-color-scheme.content-override", 0);
            user_pref("intl.accept_languages", "en-US");
            user_pref("app.update.disabledForTesting", true);
            user_pref("browser.shell.checkDefaultBrowser", false);
            user_pref("datareporting.policy.dataSubmissionEnabled", false);
            user_pref("toolkit.telemetry.reportingpolicy.firstRun", false);
            user_pref("network.captive-portal-service.enabled", false);
            user_pref("network.connectivity-service.enabled", false);
            user_pref("services.settings.server", "data:,#remote-settings-dummy/v1");
            """;

    /** Visible elements that match and contain a text. */
    private static final String FOUND = "[...document.querySelectorAll(%s)].filter((each) =>"
            + " each.checkVisibility({ visibilityProperty: true }) && (each.innerText ?? each.textContent).includes(%s))";

    private final Process process;
    private final Wire wire;
    private final String tab;
    private final JsonMapper json = new JsonMapper();
    private int entriesRead;

    private Firefox(Process process, URI address) {
        this.process = process;
        this.wire = new Wire(address);
        wire.call("session.new", Map.of("capabilities", Map.of()));
        wire.call("session.subscribe", Map.of("events", List.of("log.entryAdded", "network.beforeRequestSent")));
        tab = wire.call("browsingContext.getTree", Map.of())
                .at("/contexts/0/context")
                .asString();
    }

    /** Starts the installed Firefox with an empty profile in a folder. */
    static Firefox start(Path folder) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .flatMap(path -> Stream.of(new File(path, "firefox-esr"), new File(path, "firefox")))
                .filter(File::canExecute)
                .findFirst()
                .map(program -> start(program, folder))
                .orElseThrow();
    }

    private static Firefox start(File program, Path folder) {
        try {
            Files.writeString(folder.resolve("user.js"), PREFERENCES);
            ProcessBuilder builder = new ProcessBuilder(
                    program.toString(),
                    "--headless",
                    "--no-remote",
                    "--profile",
                    folder.toString(),
                    "--remote-debugging-port",
                    "0",
                    "about:blank");
            builder.environment().put("HOME", folder.toString());
            Process process = builder.redirectErrorStream(true).start();
            CompletableFuture<String> address = new CompletableFuture<>();
            Thread reader = new Thread(() -> read(process, address), "firefox-output");
            reader.setDaemon(true);
            reader.start();
            return new Firefox(
                    process, URI.create(address.orTimeout(60, TimeUnit.SECONDS).join() + "/session"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** All of it, or Firefox would wait until somebody does. */
    private static void read(Process process, CompletableFuture<String> address) {
        try (BufferedReader output = process.inputReader()) {
            output.lines().forEach(line -> {
                Matcher listens = LISTENS.matcher(line);
                if (listens.find()) {
                    address.complete(listens.group(1));
                }
            });
        } catch (IOException | UncheckedIOException e) {
            address.completeExceptionally(e);
        }
    }

    void open(String url) {
        wire.call("browsingContext.navigate", Map.of("context", tab, "url", url, "wait", "complete"));
    }

    void size(int width, int height) {
        wire.call(
                "browsingContext.setViewport",
                Map.of("context", tab, "viewport", Map.of("width", width, "height", height)));
    }

    /** The value of an expression: a text, a number, a truth value, or nothing. */
    JsonNode script(String expression) {
        JsonNode answer = wire.call(
                "script.evaluate",
                Map.of("expression", expression, "target", Map.of("context", tab), "awaitPromise", true));
        if (!answer.path("type").asString("").equals("success")) {
            throw new IllegalStateException(expression + ": " + answer);
        }
        return answer.path("result").path("value");
    }

    /** Waits for a visible element that contains the text. */
    void see(String css, String text) {
        awaitTrue("see " + css + " with '" + text + "'", found(css, text) + ".length > 0");
    }

    /** Waits until there is none. */
    void seeNo(String css) {
        awaitTrue("see no " + css, found(css, "") + ".length === 0");
    }

    /** Presses a button, or follows a link, by the first line of its text or its label, with the pointer. */
    void press(String css, String name) {
        String buttons = "%s.find((each) => each.innerText.trim().split('\\n')[0] === %s || each.ariaLabel === %s)"
                .formatted(found(css, ""), quoted(name), quoted(name));
        awaitTrue("see the button " + name, buttons + " !== undefined");
        JsonNode button = wire.call(
                        "script.evaluate",
                        Map.of("expression", buttons, "target", Map.of("context", tab), "awaitPromise", false))
                .path("result");
        Map<String, Object> there = Map.of(
                "type",
                "element",
                "element",
                Map.of("sharedId", button.path("sharedId").asString()));
        script(buttons + ".scrollIntoView({ block: 'center' })");
        wire.call(
                "input.performActions",
                Map.of(
                        "context",
                        tab,
                        "actions",
                        List.of(Map.of(
                                "type",
                                "pointer",
                                "id",
                                "mouse",
                                "actions",
                                List.of(
                                        Map.of("type", "pointerMove", "x", 0, "y", 0, "origin", there),
                                        Map.of("type", "pointerDown", "button", 0),
                                        Map.of("type", "pointerUp", "button", 0))))));
    }

    private void awaitTrue(String what, String expression) {
        await(what).atMost(PATIENCE).until(() -> script(expression).asBoolean(false));
    }

    private String found(String css, String text) {
        return FOUND.formatted(quoted(css), quoted(text));
    }

    private String quoted(String text) {
        return json.writeValueAsString(text);
    }

    /**
     * The warnings and errors on the console since the last call, but for what Firefox says of each page that is left
     * while its live stream is open.
     */
    List<String> complaints() {
        List<JsonNode> all = wire.events("log.entryAdded");
        List<JsonNode> others = all.subList(entriesRead, all.size());
        entriesRead = all.size();
        return others.stream()
                .filter(entry ->
                        List.of("warn", "error").contains(entry.path("level").asString("")))
                .map(entry -> entry.path("text").asString(""))
                .filter(text -> !LEFT.matcher(text).find())
                .toList();
    }

    /** The addresses of all requests of pages so far. */
    List<String> requests() {
        return wire.events("network.beforeRequestSent").stream()
                .map(event -> event.at("/request/url").asString(""))
                .toList();
    }

    @Override
    public void close() {
        wire.close();
        process.descendants().forEach(ProcessHandle::destroy);
        process.destroy();
        try {
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
