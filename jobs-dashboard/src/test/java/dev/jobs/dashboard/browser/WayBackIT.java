package dev.jobs.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The browser's buttons back and forward lead to where the user was. */
@BrowserTest
class WayBackIT {

    private final TestShop shop;
    private final Browser browser;

    WayBackIT(TestShop shop, Browser browser) {
        this.shop = shop;
        this.browser = browser;
    }

    @Test
    void backFromAJobLeadsToItsRow() {
        dead(25);
        browser.open(shop.page("dead"));
        browser.see("tbody tr", "Job.n20");
        browser.script("scrollTo(0, 300)");
        Object there = browser.script("return scrollY");
        assertThat(there).isEqualTo(300L);
        browser.script(
                "[...document.querySelectorAll('tbody .name')].find(each => each.innerText === 'Job.n20').click()");
        browser.see("h1", "Job.n20");
        assertThat(browser.script("return scrollY")).isEqualTo(0L);
        browser.script("history.back()");
        browser.see("tbody tr", "Job.n20");
        await().untilAsserted(() -> assertThat(browser.script("return scrollY")).isEqualTo(there));
        browser.script("history.forward()");
        browser.see("h1", "Job.n20");
        await().untilAsserted(() -> assertThat(browser.script("return scrollY")).isEqualTo(0L));
    }

    @Test
    void backInALongListLeadsToThePageBefore() {
        dead(60);
        browser.open(shop.page(""));
        browser.press("Dead");
        browser.press("Next");
        browser.see(".pager", "26–50 of 60");
        browser.press("Next");
        browser.see(".pager", "51–60 of 60");
        browser.press("Job.n59");
        browser.see("h1", "Job.n59");
        browser.script("history.back()");
        browser.see(".pager", "51–60 of 60");
        browser.script("history.back()");
        browser.see(".pager", "26–50 of 60");
        browser.script("history.back()");
        browser.see(".pager", "1–25 of 60");
        browser.script("history.back()");
        browser.see("h1", "Overview");
    }

    private void dead(int jobs) {
        IntStream.range(0, jobs)
                .forEach(i -> shop.put("dead", shop.payload("Job.n" + i, "mail", i), Duration.ofMinutes(-i)));
    }
}
