package dev.jobs.dashboard.browser;

import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.awaitility.core.ConditionTimeoutException;
import org.openqa.selenium.By;
import org.openqa.selenium.ElementNotInteractableException;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A headless Chromium, used as a person would: through visible elements. Every lookup waits until the element is
 * visible.
 */
final class Browser implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Path PICTURES = Path.of("target", "screenshots");

    private final ChromeDriver driver;
    private final JsonMapper json = new JsonMapper();

    private Browser(ChromeDriver driver) {
        this.driver = driver;
    }

    /** Starts the installed Chromium with its driver. Nothing is ever downloaded. */
    static Browser start() {
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        logs.enable(LogType.PERFORMANCE, Level.ALL);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(installed("chromium", "chromium-browser", "google-chrome"));
        options.addArguments(
                "--headless=new",
                "--no-sandbox",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--no-first-run",
                "--lang=en-US",
                "--hide-scrollbars",
                "--window-size=1280,900");
        options.setCapability("goog:loggingPrefs", logs);
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(installed("chromedriver"))
                .usingAnyFreePort()
                .build();
        return new Browser(new ChromeDriver(service, options));
    }

    private static File installed(String... names) {
        List<String> folders = List.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator));
        return Stream.of(names)
                .flatMap(name -> folders.stream().map(folder -> new File(folder, name)))
                .filter(File::canExecute)
                .findFirst()
                .orElseThrow();
    }

    void open(String url) {
        driver.get(url);
    }

    String address() {
        return driver.getCurrentUrl();
    }

    /** The first visible element that matches. */
    WebElement see(String css) {
        return find("see " + css, "document.querySelectorAll(arguments[0])", "true", css);
    }

    /** The first visible element that matches and contains the text. */
    WebElement see(String css, String text) {
        return find(
                "see " + css + " with '" + text + "'",
                "document.querySelectorAll(arguments[0])",
                "each.innerText.includes(arguments[1])",
                css,
                text);
    }

    /** A button or link by its name: the first line of its text, or its label for screen readers. */
    WebElement button(String name) {
        return buttonIn("body", name);
    }

    private WebElement buttonIn(String css, String name) {
        return find(
                "see the button '" + name + "' in " + css,
                "document.querySelectorAll(arguments[0] + ' :is(button, a)')",
                "each.innerText.trim().split('\\n')[0] === arguments[1] || each.ariaLabel === arguments[1]",
                css,
                name);
    }

    /** Presses a button or follows a link by its name. */
    void press(String name) {
        pressIn("body", name);
    }

    /** Presses a button twice in quick succession. */
    void pressTwice(String name) {
        new Actions(driver).doubleClick(button(name)).perform();
    }

    /** Presses a button of the open dialog. */
    void answer(String name) {
        pressIn("dialog[open]", name);
    }

    /** Presses a button inside an element. */
    void pressIn(String css, String name) {
        patiently("press " + name, () -> {
            buttonIn(css, name).click();
            return true;
        });
    }

    /** Presses a button in the table row or card that contains the text. */
    void pressBeside(String text, String name) {
        patiently("press " + name + " beside " + text, () -> {
            find(
                            "see the button '" + name + "' beside " + text,
                            "[...document.querySelectorAll('tbody tr, .columns > .card')]"
                                    + ".filter(each => each.innerText.includes(arguments[0]))"
                                    + ".flatMap(each => [...each.querySelectorAll('button, a')])",
                            "each.innerText.trim() === arguments[1] || each.title === arguments[1]",
                            text,
                            name)
                    .click();
            return true;
        });
    }

    /** Loses the session with the server. */
    void forgetSession() {
        driver.manage().deleteCookieNamed("JSESSIONID");
    }

    /** Moves the pointer over the middle of an element. */
    void hover(String css) {
        new Actions(driver).moveToElement(see(css)).perform();
    }

    void type(String css, String text) {
        see(css).sendKeys(text);
    }

    /** Sends keys to the focused element. */
    void keys(CharSequence... keys) {
        new Actions(driver).sendKeys(keys).perform();
    }

    void tab() {
        keys(Keys.TAB);
    }

    /** The focused element, as "tag name". */
    String focused() {
        WebElement element = driver.switchTo().activeElement();
        String label = element.getDomAttribute("aria-label");
        return element.getTagName() + " " + (label == null ? element.getText() : label);
    }

    /** Waits until no matching element is visible. */
    void seeNo(String css) {
        String code =
                "return [...document.querySelectorAll(arguments[0])].every(each => !each.checkVisibility({visibilityProperty: true}))";
        patiently("see no " + css, () -> Boolean.TRUE.equals(script(code, css)));
    }

    int count(String css) {
        return driver.findElements(By.cssSelector(css)).size();
    }

    /** The texts of all matching elements, visible or not. */
    List<String> texts(String css) {
        Object texts =
                script("return [...document.querySelectorAll(arguments[0])].map(each => each.textContent.trim())", css);
        return texts instanceof List<?> list
                ? list.stream().map(String::valueOf).toList()
                : List.of();
    }

    /** All text of the page. */
    String text() {
        return driver.findElement(By.cssSelector("body")).getText();
    }

    Object script(String code, Object... arguments) {
        return driver.executeScript(code, arguments);
    }

    void size(int width, int height, boolean phone) {
        command(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", phone));
    }

    void dark(boolean dark) {
        Map<String, String> scheme = Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light");
        command("Emulation.setEmulatedMedia", Map.of("features", List.of(scheme)));
    }

    /** Disconnects the network, or restores it. */
    void offline(boolean offline) {
        command(
                "Network.emulateNetworkConditions",
                Map.of("offline", offline, "latency", 0, "downloadThroughput", -1, "uploadThroughput", -1));
    }

    /** From now on what the page writes waits; it goes on reading. */
    void holdWrites() {
        script("""
                const fetchNow = window.fetch;
                const held = [];
                window.fetch = (url, options) => (options?.method ?? 'GET') === 'GET'
                  ? fetchNow(url, options)
                  : new Promise((resolve) => held.push(() => resolve(fetchNow(url, options))));
                window.releaseWrites = () => {
                  window.fetch = fetchNow;
                  held.forEach((each) => each());
                };
                """);
    }

    /** Ends {@link #holdWrites}. */
    void releaseWrites() {
        script("window.releaseWrites()");
    }

    void command(String name, Map<String, Object> parameters) {
        driver.executeCdpCommand(name, parameters);
    }

    /** Forgets the user's settings and the logs so far. */
    void reset() {
        offline(false);
        size(1280, 900, false);
        dark(false);
        if (driver.getCurrentUrl().startsWith("http")) {
            script("localStorage.clear()");
        }
        new Actions(driver).moveToLocation(0, 0).perform(); // lists stand still under the pointer
        open("about:blank");
        log(LogType.BROWSER);
        log(LogType.PERFORMANCE);
    }

    /**
     * The warnings and errors on the browser's console since the last call. Where a page names no icon, such as a
     * refusal in plain text, the browser asks for one whenever it likes, outside the application's path.
     */
    List<String> complaints() {
        return log(LogType.BROWSER).stream()
                .filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
                .map(LogEntry::getMessage)
                .filter(message -> !message.contains("/favicon.ico - "))
                .toList();
    }

    /** The network traffic since the last call. */
    Traffic traffic() {
        List<String> urls = new ArrayList<>();
        Map<String, Long> received = new HashMap<>();
        long sent = 0;
        for (LogEntry entry : log(LogType.PERFORMANCE)) {
            JsonNode message = json.readTree(entry.getMessage()).path("message");
            JsonNode parameters = message.path("params");
            String request = parameters.path("requestId").asString("");
            switch (message.path("method").asString("")) {
                case "Network.requestWillBeSent" ->
                    urls.add(parameters.path("request").path("url").asString(""));
                case "Network.requestWillBeSentExtraInfo" ->
                    sent += parameters.path("headers").properties().stream()
                            .mapToLong(header -> header.getKey().length()
                                    + header.getValue().asString("").length()
                                    + ": \r\n".length())
                            .sum();
                case "Network.dataReceived" ->
                    received.merge(request, parameters.path("encodedDataLength").asLong(0), Long::sum);
                case "Network.loadingFinished" -> // this one with the headers
                    received.put(request, parameters.path("encodedDataLength").asLong(0));
                default -> {}
            }
        }
        return new Traffic(
                urls, received.values().stream().mapToLong(Long::longValue).sum(), sent);
    }

    /**
     * Network traffic.
     *
     * @param urls of all requests
     * @param bytes of all answers, with their headers, and of what has come of streams
     * @param sent bytes of the headers of all requests
     */
    record Traffic(List<String> urls, long bytes, long sent) {}

    /** A line of its own to the page, on which also events arrive. */
    Wire wire() {
        String address = String.valueOf(
                driver.getCapabilities().getCapability("goog:chromeOptions") instanceof Map<?, ?> options
                        ? options.get("debuggerAddress")
                        : null);
        try {
            String targets = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create("http://" + address + "/json/list"))
                                    .build(),
                            BodyHandlers.ofString())
                    .body();
            return json.readTree(targets)
                    .valueStream()
                    .filter(target -> target.path("type").asString("").equals("page"))
                    .map(target -> new Wire(
                            URI.create(target.path("webSocketDebuggerUrl").asString(""))))
                    .findFirst()
                    .orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Lets each answer come so much later. */
    void latency(int millis) {
        command(
                "Network.emulateNetworkConditions",
                Map.of("offline", false, "latency", millis, "downloadThroughput", -1, "uploadThroughput", -1));
    }

    private List<LogEntry> log(String type) {
        return driver.manage().logs().get(type).getAll();
    }

    /** Saves a screenshot to {@code target/screenshots}. */
    void picture(String name) {
        try {
            Files.createDirectories(PICTURES);
            Files.write(PICTURES.resolve(name + ".png"), driver.getScreenshotAs(OutputType.BYTES));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Searches inside the page: asking for each element from here would take one call per element. */
    private WebElement find(String what, String elements, String wanted, Object... arguments) {
        String code = "return [..." + elements + "].find(each => each.checkVisibility({visibilityProperty: true}) && ("
                + wanted + "))";
        AtomicReference<WebElement> found = new AtomicReference<>();
        patiently(what, () -> {
            if (script(code, arguments) instanceof WebElement element) {
                found.set(element);
            }
            return found.get() != null;
        });
        return Objects.requireNonNull(found.get());
    }

    /** Retries, since the pages may re-render at any time, and menus slide in. A failure tells what the page shows. */
    private void patiently(String what, Callable<Boolean> attempt) {
        try {
            await(what)
                    .atMost(PATIENCE)
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(20))
                    .ignoreExceptionsMatching(e ->
                            e instanceof StaleElementReferenceException || e instanceof ElementNotInteractableException)
                    .until(attempt);
        } catch (ConditionTimeoutException e) {
            throw new AssertionError(
                    what + ": not within " + PATIENCE.toSeconds() + " s. Dialogs: "
                            + script("return [...document.querySelectorAll('dialog')].map(each =>"
                                    + " (each.open ? 'open: ' : 'closed: ') + each.innerText).join('\\n')")
                            + "\nPage: " + address() + "\n" + script("return document.body.innerText"),
                    e);
        }
    }

    @Override
    public void close() {
        driver.quit();
    }

    @Override
    public String toString() {
        return "browser at " + driver.getCurrentUrl();
    }
}
