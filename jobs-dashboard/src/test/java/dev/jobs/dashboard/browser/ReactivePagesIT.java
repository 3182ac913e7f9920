package dev.jobs.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;

/** The pages in a reactive application, below a base path. */
@BrowserTest
class ReactivePagesIT {

    @AutoClose
    private final TestShop shop = new TestShop(WebApplicationType.REACTIVE);

    private final Browser browser;

    ReactivePagesIT(Browser browser) {
        this.browser = browser;
    }

    @Test
    void thePagesShowActAndFollow() {
        browser.open(shop.link());
        browser.see(".connection", "Live");
        browser.script("window.notReloaded = true");
        shop.enqueue(shop.payload("Mails.welcome", "mail", "bob@example.com", 5));
        browser.see("[data-tile=enqueued]", "1");
        assertThat(browser.script("return window.notReloaded")).isEqualTo(true);
        browser.press("Queues");
        browser.pressBeside("mail", "Pause");
        browser.see("tbody tr .badge.warn", "paused");
        assertThat(shop.redis().opsForSet().members("paused")).containsExactly("mail");
        shop.put("dead", shop.payload("Orders.ship", "mail", 1), Duration.ZERO);
        browser.open(shop.page("dead"));
        browser.press("Orders.ship");
        browser.see("h1", "Orders.ship");
        for (String page : List.of("scheduled", "retries", "busy", "failures", "metrics", "recurring", "batches")) {
            browser.open(shop.page(page));
            browser.see("h1");
        }
    }
}
