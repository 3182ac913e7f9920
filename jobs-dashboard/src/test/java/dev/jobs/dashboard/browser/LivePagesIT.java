package dev.jobs.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Pages that move by themselves. */
@ExtendWith(Stage.class)
class LivePagesIT {

    private final Shop shop;
    private final Browser browser;

    LivePagesIT(Shop shop, Browser browser) {
        this.shop = shop;
        this.browser = browser;
    }

    @Test
    void numbersAndChartsMoveWithoutReload() {
        browser.open(shop.page(""));
        browser.see(".connection", "Live");
        browser.script("window.notReloaded = true");
        String path = path();
        IntStream.range(0, 7).forEach(i -> shop.enqueue(shop.payload("Mails.welcome", "mail", i)));
        browser.see("[data-tile=enqueued]", "7");
        browser.see(".table tr", "mail");
        IntStream.range(0, 500).forEach(i -> shop.jobs().enqueue("Gate.pass", "Alice"));
        await().until(() -> !path().equals(path));
        assertThat(browser.script("return window.notReloaded")).isEqualTo(true);
    }

    private String path() {
        return String.valueOf(browser.script("return document.querySelector('.chart .line')?.getAttribute('d')"));
    }

    @Test
    void listsFollowWhatHappens() {
        browser.open(shop.page("retries"));
        browser.see(".empty", "Nothing to retry");
        browser.script("window.notReloaded = true");
        shop.put(
                "retry",
                shop.payload("Orders.ship", "mail", 1).failed("java.io.IOException", "reset"),
                Duration.ofHours(1));
        browser.see("tbody tr", "Orders.ship");
        shop.redis().delete(List.of("retry"));
        browser.see(".empty", "Nothing to retry");
        assertThat(browser.script("return window.notReloaded")).isEqualTo(true);
    }

    @Test
    void aLostConnectionIsToldAndComesBack() {
        browser.open(shop.page("queues"));
        browser.see(".connection", "Live");
        browser.offline(true);
        browser.script("document.dispatchEvent(new Event('visibilitychange'))"); // opens the stream anew
        browser.see(".connection", "Connection lost");
        browser.press("Dead");
        browser.see(".notice.error", "can't be reached");
        browser.offline(false);
        browser.see(".connection", "Live");
        browser.press("Try again");
        browser.see("h1", "Dead");
        assertThat(browser.complaints()).allMatch(complaint -> complaint.contains("ERR_INTERNET_DISCONNECTED"));
    }
}
