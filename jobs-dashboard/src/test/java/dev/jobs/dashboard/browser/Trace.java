package dev.jobs.dashboard.browser;

import static org.awaitility.Awaitility.await;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** What Chromium recorded of itself while a page was opened and used. Times are its own. */
final class Trace {

    private static final String CATEGORIES = "blink.user_timing,loading,devtools.timeline,toplevel,__metadata";
    private static final double MICROS = 1_000;

    private final List<JsonNode> events;
    private final JsonNode start;

    private Trace(List<JsonNode> events) {
        this.events = events;
        this.start = events.stream()
                .filter(event -> name(event).equals("navigationStart"))
                .filter(event -> event.at("/args/data/isLoadingMainFrame").asBoolean(false)
                        || event.at("/args/data/isOutermostMainFrame").asBoolean(false))
                .max(Comparator.comparingLong(Trace::time))
                .orElseThrow();
    }

    /** Records what happens while a page is opened and used. */
    static Trace of(Browser browser, Runnable use) {
        try (Wire wire = browser.wire()) {
            wire.call("Tracing.start", Map.of("categories", CATEGORIES, "transferMode", "ReportEvents"));
            use.run();
            wire.call("Tracing.end", Map.of());
            await().until(() -> !wire.events("Tracing.tracingComplete").isEmpty());
            return new Trace(wire.events("Tracing.dataCollected").stream()
                    .flatMap(part -> part.path("value").valueStream())
                    .toList());
        }
    }

    /**
     * What kept the page from answering its user.
     *
     * @param millis how long it took
     * @param cpuMillis for how long it computed, which other processes don't prolong
     */
    record Task(double millis, double cpuMillis) {}

    /** The longest task of the page's main thread since its loading began. */
    Optional<Task> longestTask() {
        long main = events.stream()
                .filter(each -> name(each).equals("thread_name") && process(each) == process(start))
                .filter(each -> each.at("/args/name").asString("").equals("CrRendererMain"))
                .mapToLong(each -> each.path("tid").asLong())
                .findFirst()
                .orElseThrow();
        return events.stream()
                .filter(each -> name(each).endsWith("RunTask") && process(each) == process(start))
                .filter(each -> each.path("tid").asLong() == main && time(each) >= time(start))
                .map(each -> new Task(
                        each.path("dur").asLong(0) / MICROS, each.path("tdur").asLong(0) / MICROS))
                .max(Comparator.comparingDouble(Task::cpuMillis));
    }

    private static String name(JsonNode event) {
        return event.path("name").asString("");
    }

    private static long time(JsonNode event) {
        return event.path("ts").asLong(0);
    }

    private static long process(JsonNode event) {
        return event.path("pid").asLong(0);
    }
}
