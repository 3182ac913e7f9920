package dev.jobs.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The pages of queues that are ordered. */
@BrowserTest
class OrderedQueuesPageIT {

    private final TestShop shop;
    private final Browser browser;

    OrderedQueuesPageIT(TestShop shop, Browser browser) {
        this.shop = shop;
        this.browser = browser;
    }

    @BeforeEach
    void fill() {
        for (int i = 0; i < 3; i++) {
            shop.jobs().queue("tenants").key("acme").enqueue("Shops.import", i);
        }
        shop.jobs().queue("tenants").key("eve").enqueue("Shops.import", 9);
        shop.jobs().queue("urgent").enqueue("Mails.news", 1);
        shop.jobs().queue("urgent").priority(7).enqueue("Mails.password", 2);
    }

    @Test
    void aQueueWhoseKeysTakeTurnsShowsThem() {
        browser.open(shop.page("queues"));
        browser.see("tbody tr", "keys take turns");
        browser.press("tenants");
        browser.see("h1", "tenants");
        browser.see("header.page-head", "keys take turns");
        browser.see(".tiles", "In order");
        browser.see("tbody tr", "acme");
        browser.see("tbody .args", "[9]");
        assertThat(browser.texts("table tbody tr:first-child .args")).containsExactly("[0]");
        assertThat(browser.texts("tbody .badge")).containsExactly("acme", "acme", "eve", "acme");
    }

    @Test
    void aJobShowsItsTurn() {
        browser.open(shop.page("queue?name=tenants"));
        browser.see("tbody tr", "eve");
        browser.press("Shops.import");
        browser.see(".facts", "acme");
        browser.see(".waiting", "In its queue tenants keys take turns; its key is acme");
    }

    @Test
    void aQueueByPriorityBeginsWithTheUrgentJob() {
        browser.open(shop.page("queue?name=urgent"));
        browser.see("tbody tr", "Mails.password");
        assertThat(browser.texts("tbody .name")).containsExactly("Mails.password", "Mails.news");
        browser.press("Mails.password");
        browser.see(".facts", "Priority");
        browser.see(".waiting", "Its queue urgent is ordered by priority; its priority is 7");
    }
}
