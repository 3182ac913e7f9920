package dev.jobs.dashboard.browser;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Screenshots of the pages with realistic jobs, in {@code target/screenshots}. The best are in the documentation. */
@BrowserTest
class ScreenshotsIT {

    /** Adds earlier points to the moving chart, so that a screenshot need not wait two minutes for them. */
    private static final String LAST_MINUTES = """
            return import(document.querySelector('script[src]').src.replace('app.js', 'live.js')).then(({ addPoints, recent }) => {
              const first = recent.get()[0]?.[0] ?? Date.now();
              addPoints(Array.from({ length: 58 }, (_, i) =>
                  [first - 2000 * (i + 1), 82 + 16 * Math.sin(i / 6) + 9 * Math.sin(i * 1.7), 2 + Math.sin(i / 3), 3, 135]));
              return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
            });""";

    private final TestShop shop;
    private final Browser browser;
    private final SampleData scenery;
    private int photographs;

    ScreenshotsIT(TestShop shop, Browser browser) {
        this.shop = shop;
        this.browser = browser;
        this.scenery = new SampleData(shop);
    }

    @Test
    void picturesOfAllPages() {
        scenery.build();
        shop.gate().shut();
        for (String order : List.of("4711", "4712", "4713")) {
            shop.jobs().enqueue("Orders.ship", order, "express");
        }
        photograph("queues", "queues", "tbody tr");
        photograph("queue", "queue?name=bulk", "tbody tr");
        photograph("retries", "retries", "tbody tr");
        photograph("failures", "failures", "tbody tr");
        photograph("scheduled", "scheduled", "tbody tr");
        photograph("dead", "dead", "tbody tr");
        scenery.deletions();
        photograph("trash", "trash", "tbody tr");
        photograph("metrics", "metrics", "tbody tr");
        photograph("metric", "metric?job=Orders.ship", ".chart svg .bar");
        photograph("recurring", "recurring", "tbody tr");
        photograph("busy", "busy", "tbody tr");
        browser.open(shop.page("busy"));
        browser.press("Orders.ship");
        browser.see(".tile");
        photograph("running", browser.address().replaceFirst(".*/jobs/", ""), ".tile");
        for (int warehouse = 1; warehouse <= 5; warehouse++) {
            shop.jobs()
                    .in(Duration.ofMinutes(3 * warehouse))
                    .unique("warehouse:" + warehouse)
                    .enqueue("Stock.count", warehouse);
        }
        for (int i = 0; i < 12; i++) {
            shop.jobs().enqueue("Shops.sync", 17 + i % 3 % 2);
        }
        for (int i = 0; i < 37; i++) {
            shop.limiters().window("carrier-api", 50, Duration.ofHours(1)).run(() -> {});
            shop.limiters().bucket("letters", 1_000, Duration.ofDays(1)).run(() -> {});
        }
        photograph("limits", "limits", "tbody tr");
        photograph("limit", "limit?name=erp&key=shop+17", "tbody .mono");
        browser.open(shop.page("limit?name=erp&key=shop+17"));
        browser.press("Shops.sync");
        browser.see(".waiting");
        photograph("parked", browser.address().replaceFirst(".*/jobs/", ""), ".waiting");
        for (int i = 0; i < 40; i++) {
            shop.jobs().queue("tenants").key("tenant-" + (i < 30 ? 7 : i % 3)).enqueue("Imports.run", i);
        }
        photograph("ordered-queue", "queue?name=tenants", "tbody tr");
        String running = scenery.batches();
        photograph("batches", "batches", "tbody tr");
        photograph("batch", "batch?id=" + running, ".cells canvas");
        String batch = scenery.history();
        photograph("history", "history", "tbody tr");
        photograph("history-jobs", "history?view=jobs&message=qualified", "tbody tr");
        photograph("history-batch", "history?task=" + batch, "tbody tr");
        photograph("history-job", "history?task=" + batch + "&jid=" + batch + "00000003", "dialog[open] pre");
        browser.open(shop.page("retries"));
        browser.press("Payments.charge");
        browser.see(".waiting");
        photograph("job", browser.address().replaceFirst(".*/jobs/", ""), ".waiting");
        photograph("overview", "?days=30", ".chart svg .bar");
    }

    @AfterEach
    void strike() {
        shop.gate().open();
        scenery.strike();
    }

    private void photograph(String name, String page, String landmark) {
        browser.size(1280, 860, false);
        for (boolean dark : new boolean[] {false, true}) {
            browser.dark(dark);
            open(page, landmark);
            browser.picture(name + (dark ? "-dark" : "-light"));
        }
        browser.dark(false);
        browser.size(390, 844, true);
        open(page, landmark);
        browser.picture(name + "-phone");
    }

    private void open(String page, String landmark) {
        traffic();
        browser.open(shop.page(page));
        browser.see(landmark);
        browser.see(".connection", "Live");
        browser.script(LAST_MINUTES);
    }

    /** Lets some jobs through. */
    private void traffic() {
        int jobs = 60 + 15 * (++photographs % 3);
        shop.jobs()
                .enqueueAll(
                        "Mails.welcome",
                        Stream.generate(() -> List.of("bob@example.com", 1))
                                .limit(jobs)
                                .toList());
    }
}
