package dev.jobs.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.dashboard.Figures;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * What the pages take of network and browser with very much to show: 300 processes, 5,000 queues, 100 rows in lists.
 * Bytes, requests and elements have bounds. Times depend on what else the machine does; they go to
 * {@code target/figures}.
 */
@BrowserTest
class FiguresIT {

    private static final int QUEUES = 5_000;
    private static final int LATENCY_MILLIS = 100;
    private static final int SAMPLES = 7;
    private static final long MOST_REQUESTS = 60;
    private static final long MOST_BYTES = 160_000;
    private static final double MOST_BYTES_PER_SECOND = 6_000;
    private static final long MOST_ELEMENTS = 5_000;

    private static final String COUNT_SAMPLES = """
            return import(document.querySelector('script[src]').src.replace('app.js', 'live.js')).then(({ live }) => {
              window.samples = [];
              live.watch((sample) => window.samples.push(sample.at));
              return true;
            });""";

    /** From the beginning of the navigation, as Chromium measured it. */
    private static final String FIRST_PAINT =
            "return performance.getEntriesByName('first-contentful-paint')[0].startTime";

    @AutoClose
    static final Figures figures = new Figures(
            "pages",
            "what | page | ms to first paint | ms to content | longest task ms | of it CPU ms | requests | bytes | bytes/s | elements");

    private final TestShop shop;
    private final Browser browser;

    FiguresIT(TestShop shop, Browser browser) {
        this.shop = shop;
        this.browser = browser;
    }

    private FullShop full;

    private Stream<DynamicTest> visits(Consumer<Visit> test) {
        full = new FullShop(shop);
        full.moreQueues(QUEUES);
        return Stream.of(Visit.OVERVIEW, Visit.BUSY, Visit.MANY_QUEUES, Visit.RETRIES, Visit.RUNNING_JOB, Visit.BATCH)
                .map(visit -> DynamicTest.dynamicTest(visit.name(), () -> test.accept(visit)));
    }

    @AfterEach
    void empty() {
        full.close();
    }

    @TestFactory
    Stream<DynamicTest> theFirstPaintTakesFewRequests() {
        return visits(visit -> {
            browser.command("Network.clearBrowserCache", Map.of());
            browser.traffic();
            browser.latency(LATENCY_MILLIS);
            visit.open(full, browser);
            double content = number("return performance.now()");
            browser.latency(0);
            Browser.Traffic traffic = browser.traffic();
            figures.add(
                    "first visit, 100 ms latency",
                    visit,
                    number(FIRST_PAINT),
                    content,
                    "",
                    "",
                    traffic.urls().size(),
                    traffic.bytes(),
                    "",
                    "");
            assertThat(traffic.urls().size()).isLessThan((int) MOST_REQUESTS);
            assertThat(traffic.bytes()).isLessThan(MOST_BYTES);
        });
    }

    @TestFactory
    Stream<DynamicTest> noPageHasVeryManyElements() {
        return visits(visit -> {
            Trace trace = Trace.of(browser, () -> {
                visit.open(full, browser);
                awaitSamples(3);
            });
            Optional<Trace.Task> longest = trace.longestTask();
            Object elements = browser.script("return document.querySelectorAll('*').length");
            figures.add(
                    "opened and live for 6 s",
                    visit,
                    number(FIRST_PAINT),
                    "",
                    longest.orElseThrow().millis(),
                    longest.orElseThrow().cpuMillis(),
                    "",
                    "",
                    "",
                    elements);
            assertThat((Long) elements).isLessThan(MOST_ELEMENTS);
        });
    }

    private double number(String code) {
        return ((Number) browser.script(code)).doubleValue();
    }

    private void awaitSamples(int count) {
        browser.script(COUNT_SAMPLES);
        await().atMost(Duration.ofMinutes(2)).until(() -> samples() >= count);
    }

    private long samples() {
        return ((Number) browser.script("return window.samples.length")).longValue();
    }

    /** By the server's clock: on a slow machine the same bytes only take longer. */
    @TestFactory
    Stream<DynamicTest> aPageThatIsOnlyLookedAtTakesLittle() {
        return visits(visit -> {
            visit.open(full, browser);
            awaitSamples(2);
            browser.traffic();
            browser.script("window.samples.splice(0, window.samples.length - 1)");
            await().atMost(Duration.ofMinutes(2)).until(() -> samples() >= SAMPLES);
            Browser.Traffic traffic = browser.traffic();
            double seconds = ((Number) browser.script("return (window.samples.at(-1) - window.samples[0]) / 1000"))
                    .doubleValue();
            double rate = (traffic.bytes() + traffic.sent()) / seconds;
            figures.add("looked at", visit, "", "", "", "", traffic.urls().size(), traffic.bytes(), rate, "");
            assertThat(rate).isBetween(10.0, MOST_BYTES_PER_SECOND);
        });
    }
}
