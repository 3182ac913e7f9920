package dev.jobs.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** The progress and the log lines of a job on its page. */
@BrowserTest
class ReportIT {

    private final TestShop shop;
    private final Browser browser;

    ReportIT(TestShop shop, Browser browser) {
        this.shop = shop;
        this.browser = browser;
    }

    @AfterEach
    void open() {
        shop.gate().open();
    }

    private String load(boolean fails) {
        return String.valueOf(shop.jobs().enqueue("Rows.load", 40, fails));
    }

    @Test
    void aFailedJobShowsHowFarItCameAndWhatItLogged() {
        String jid = load(true);
        await().until(() -> shop.set("retry").size() == 1);
        browser.open(shop.page("retries"));
        browser.press("Rows.load");
        browser.see(".progress", "40 of 40");
        browser.see(".progress", "100%");
        assertThat(browser.texts(".log li span")).containsExactly("Row 1 is <b>empty</b>", "All rows are loaded");
        browser.see(".facts code", jid);
    }

    @Test
    void aJobThatHasEndedIsFoundByWhatItTold() {
        String jid = load(false);
        await().until(() -> shop.admin().progress(jid).steps().isPresent());
        browser.open(shop.page(""));
        browser.type("form.find input", jid + Keys.ENTER);
        browser.see(".progress", "40 of 40");
        browser.see(".log", "All rows are loaded");
        assertThat(browser.address()).contains("job?place=ended&jid=" + jid);
    }

    @Test
    void aJobThatToldNothingHasNoProgress() {
        shop.put("dead", shop.payload("Orders.ship", "mail", 1), java.time.Duration.ZERO);
        browser.open(shop.page("dead"));
        browser.press("Orders.ship");
        browser.see(".waiting");
        assertThat(browser.count(".progress")).isZero();
        assertThat(browser.count(".log")).isZero();
    }
}
