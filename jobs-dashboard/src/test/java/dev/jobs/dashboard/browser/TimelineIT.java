package dev.jobs.dashboard.browser;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.admin.JobSet;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The attempts at one job on its page. */
@BrowserTest
class TimelineIT {

    private static final long BEGAN = 1_795_237_556_186L;

    private final TestShop shop;
    private final Browser browser;

    TimelineIT(TestShop shop, Browser browser) {
        this.shop = shop;
        this.browser = browser;
    }

    @AfterEach
    void open() {
        shop.gate().open();
    }

    private static Map<String, Object> attempt(int number, long waited, long ran, Map<String, Object> failure) {
        Map<String, Object> attempt = new HashMap<>(failure);
        attempt.putAll(Map.of("at", BEGAN + number * 60_000, "waited", waited, "ran", ran, "process", "vm:7:0a"));
        return attempt;
    }

    @Test
    void everyAttemptSaysHowLongItWaitedAndRanAndWhatFailedWhere() {
        TestShop.Payload job = shop.payload("Orders.ship", "mail", 17)
                .failed("java.io.IOException", "reset")
                .with(Map.of(
                        "retry_count",
                        2,
                        "past_attempts",
                        List.of(
                                attempt(1, 1_000, 3_000, Map.of("error", "java.io.IOException", "message", "<b>reset")),
                                attempt(2, 0, 1_000, Map.of()))));
        shop.put("retry", job, Duration.ofHours(1));
        browser.open(shop.page("retries"));
        browser.press("Orders.ship");

        browser.see(".attempts", "Attempt 3 failed");
        List<String> items = browser.texts(".attempts > li");
        assertThat(items).hasSize(5);
        assertThat(items.get(0)).startsWith("Created");
        assertThat(items.get(1)).startsWith("1 failed attempt without details");
        assertThat(items.get(2))
                .contains("Attempt 2 failed", "waited 1s, ran 3s", "vm:7:0a", "IOException", "<b>reset");
        assertThat(items.get(3)).contains("waited < 1ms, ran 1s", "IOException", "<b>reset");
        assertThat(items.get(4)).startsWith("Next attempt");
        assertThat(browser.script("return [...document.querySelectorAll('.span i')].map((each) => each.style.width)"))
                .isEqualTo(List.of("25%", "75%", "0%", "25%"));
    }

    @Test
    void aJobThatFailsAndRunsAgainShowsBoth() {
        shop.jobs().enqueue("Rows.load", 4, true);
        browser.open(shop.page("retries"));
        browser.press("Rows.load");
        browser.see(".attempts li", "Attempt 1 failed");
        browser.see(".attempts li", "Row 4 is wrong");
        shop.gate().shut();
        shop.admin().sets().runNow(JobSet.RETRY, shop.set("retry").get(0).getBytes(UTF_8));
        browser.open(shop.page("busy"));
        browser.press("Rows.load");

        browser.see(".attempts .now", "Attempt 2 runs");
        browser.see(".attempts .bad", "Row 4 is wrong");
        browser.see(".attempts .now", "waited");
        browser.see(".tile", "Attempt");
        browser.see(".meter[role=progressbar]");
        browser.see(".log li", "Row 1 is <b>empty</b>");
        browser.see(".arguments", "4");
        browser.press("Stack");
        browser.see("dialog[open] pre", "Gate.load");
    }
}
