package dev.jobs.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The page of limits: locks of unique jobs. */
@BrowserTest
class LocksPageIT {

    private final TestShop shop;
    private final Browser browser;

    LocksPageIT(TestShop shop, Browser browser) {
        this.shop = shop;
        this.browser = browser;
    }

    private String hold(int warehouse) {
        return String.valueOf(shop.jobs()
                .in(Duration.ofMinutes(30))
                .unique("warehouse:" + warehouse)
                .enqueue("Stock.count", warehouse));
    }

    @Test
    void locksAreListedAndLeadToTheirJobs() {
        String first = hold(1);
        String second = hold(2);
        browser.open(shop.page(""));
        browser.press("Limits");
        browser.see("h1", "Limits");
        assertThat(browser.see("tbody tr", first).getText()).contains("h");
        browser.pressBeside(second, "Show job");
        browser.see("h1", "Stock.count");
        browser.see("main", second);
    }

    @Test
    void theLockOfAKeyIsFound() {
        hold(1);
        String second = hold(2);
        browser.open(shop.page("limits"));
        browser.type("input[name=job]", "Stock.count");
        browser.see(".empty", "No job holds the lock of this key");
        browser.type("input[name=key]", "warehouse:2");
        browser.see("tbody tr", second);
        assertThat(browser.texts("tbody .main code")).containsExactly(second);
        assertThat(browser.address()).endsWith("limits?job=Stock.count&key=warehouse%3A2");
    }

    @Test
    void aLockIsReleasedAfterAQuestion() {
        String holder = hold(1);
        browser.open(shop.page("limits"));
        browser.pressBeside(holder, "Release");
        browser.see("dialog[open]", "two jobs may be pending at once");
        assertThat(shop.admin().locks().find("Stock.count", "warehouse:1")).isPresent();
        browser.answer("Release");
        browser.see(".toast", "The lock of job " + holder + " is released");
        browser.see(".empty", "No lock is held");
        assertThat(shop.admin().locks().find("Stock.count", "warehouse:1")).isEmpty();
    }

    @Test
    void aLockThatHasChangedHandsStays() {
        String holder = hold(1);
        browser.open(shop.page("limits"));
        browser.pressBeside(holder, "Release");
        browser.see("dialog[open]");
        shop.admin().locks().unlock("Stock.count", "warehouse:1");
        String next = hold(1);
        browser.answer("Release");
        browser.see(".toast", "Job " + holder + " no longer holds that lock");
        assertThat(shop.admin()
                        .locks()
                        .find("Stock.count", "warehouse:1")
                        .orElseThrow()
                        .holder())
                .isEqualTo(next);
    }
}
