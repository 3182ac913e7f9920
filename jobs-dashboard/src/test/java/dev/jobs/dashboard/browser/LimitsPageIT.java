package dev.jobs.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.limits.LimitInfo;
import dev.jobs.limits.LimitRate;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** The pages of limits: what they let run, and what waits for them. */
@BrowserTest
class LimitsPageIT {

    private final TestShop shop;
    private final Browser browser;

    LimitsPageIT(TestShop shop, Browser browser) {
        this.shop = shop;
        this.browser = browser;
    }

    @BeforeEach
    void shut() {
        shop.gate().shut();
    }

    @AfterEach
    void open() {
        shop.gate().open();
        shop.admin().limits().reset("erp");
        await("no job waits for the next test").until(() -> {
            LimitInfo limit = shop.admin().limits().get("erp");
            return limit.held() == 0 && limit.waiting() == 0;
        });
    }

    private String sync(int number) {
        return String.valueOf(shop.jobs().enqueue("Shops.sync", number));
    }

    private void awaitState(long held, long waiting) {
        await().until(() -> {
            LimitInfo limit = shop.admin().limits().get("erp");
            return limit.held() == held && limit.waiting() == waiting;
        });
    }

    @Test
    void aLimitShowsWhatRunsAndWhatWaits() {
        String running = sync(5);
        awaitState(1, 0);
        String first = sync(5);
        awaitState(1, 1);
        String second = sync(5);
        sync(6);
        awaitState(2, 2);
        browser.open(shop.page(""));
        browser.press("Limits");
        assertThat(browser.see("tbody tr", "erp").getText()).matches("(?s)erp.*1.*2.*2.*");
        browser.press("erp");
        browser.see("h1", "erp");
        browser.press("shop 5");
        browser.see("tbody tr", running);
        browser.see("tbody tr", first);
        assertThat(browser.texts("tbody .mono")).containsExactly(running, first, second);
        assertThat(browser.address()).endsWith("limit?name=erp&key=shop+5");
    }

    @Test
    void aLimitIsRaisedAndReset() {
        sync(5);
        sync(5);
        awaitState(1, 1);
        browser.open(shop.page("limits"));
        browser.pressBeside("erp", "Change");
        browser.see("dialog[open]", "How many jobs with the same key");
        browser.type("dialog[open] input", Keys.chord(Keys.CONTROL, "a") + "2");
        browser.answer("Change");
        browser.see(".toast", "erp lets 2 jobs run at once");
        browser.see("tbody .badge", "set here");
        awaitState(2, 0);
        browser.pressBeside("erp", "Reset");
        browser.see(".toast", "erp is what the workers declare again");
        browser.seeNo("tbody .badge");
        assertThat(shop.admin().limits().get("erp").concurrency()).isEqualTo(1);
    }

    @Test
    void aRateIsSet() {
        sync(5);
        awaitState(1, 0);
        browser.open(shop.page("limits"));
        browser.pressBeside("erp", "Set rate");
        browser.see("dialog[open]", "may start in which time");
        browser.type("dialog[open] .field:nth-of-type(1) input", "10");
        browser.type("dialog[open] .field:nth-of-type(2) input", "60");
        browser.type("dialog[open] .field:nth-of-type(3) input", "3");
        browser.answer("Set rate");
        browser.see(".toast", "erp lets 10 jobs start per 1m");
        assertThat(shop.admin().limits().get("erp").rate()).isEqualTo(new LimitRate(10, Duration.ofMinutes(1), 3));
        browser.press("erp");
        browser.see(".tiles", "10 per 1m");
    }

    @Test
    void aWaitingJobIsFoundByItsIdAndSaysWhyItWaits() {
        String running = sync(5);
        awaitState(1, 0);
        sync(5);
        awaitState(1, 1);
        String waiting = sync(5);
        awaitState(1, 2);
        browser.open(shop.page(""));
        browser.type("form.find input", waiting + Keys.ENTER);
        browser.see("h1", "Shops.sync");
        browser.see(".waiting", "The limit erp of shop 5 is full; running jobs: 1");
        browser.see(".waiting", "Jobs before it: 1");
        browser.press("Waiting at the limit erp");
        browser.see("h1", "erp");
        browser.see("tbody tr", running);
        assertThat(browser.address()).endsWith("limit?name=erp&key=shop+5");
    }

    @Test
    void aWaitingJobIsDeletedAndComesBack() {
        sync(5);
        awaitState(1, 0);
        String waiting = sync(5);
        awaitState(1, 1);
        browser.open(shop.page("limit?name=erp&key=shop+5"));
        browser.pressBeside(waiting, "Delete");
        browser.see(".toast", "Deleted: 1 job.");
        awaitState(1, 0);
        browser.press("Undo");
        browser.see(".toast", "Restored: 1 job.");
        awaitState(1, 1);
    }
}
