package dev.jobs.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** The focus stays where the user is when what had it vanishes. */
@BrowserTest
class FocusIT {

    private final TestShop shop;
    private final Browser browser;

    FocusIT(TestShop shop, Browser browser) {
        this.shop = shop;
        this.browser = browser;
    }

    @Test
    void anActionOnARowLeadsToTheSameActionOfTheNext() {
        dead(3);
        browser.open(shop.page("dead"));
        browser.pressBeside("Job.n1", "Delete");
        browser.see(".toast", "Deleted: 1 job.");
        await().until(() -> browser.texts("tbody .name").equals(List.of("Job.n0", "Job.n2")));
        await().untilAsserted(() -> assertThat(browser.focused()).isEqualTo("button Delete: Job.n2"));
        browser.keys(Keys.ENTER);
        await().until(() -> browser.texts("tbody .name").equals(List.of("Job.n0")));
        await("the last row has none behind it")
                .untilAsserted(() -> assertThat(browser.focused()).isEqualTo("button Delete: Job.n0"));
        browser.keys(Keys.ENTER);
        browser.see(".empty");
        await().untilAsserted(() -> assertThat(browser.focused()).isEqualTo("h1 Dead"));
    }

    @Test
    void anActionWithAQuestionDoesToo() {
        IntStream.range(0, 3)
                .forEach(i -> shop.put("retry", shop.payload("Job.n" + i, "mail", i), Duration.ofHours(i + 1)));
        browser.open(shop.page("retries"));
        browser.pressBeside("Job.n0", "Kill");
        browser.answer("Kill");
        browser.see(".toast", "Killed: 1 job.");
        await().untilAsserted(() -> assertThat(browser.focused()).isEqualTo("button Kill: Job.n1"));
    }

    @Test
    void anActionOnThePageOfAJobLeadsToItsHeading() {
        dead(1);
        browser.open(shop.page("dead"));
        browser.press("Job.n0");
        browser.press("Delete");
        browser.see("h1", "This job is no longer here");
        await().untilAsserted(() -> assertThat(browser.focused()).isEqualTo("h1 This job is no longer here"));
    }

    @Test
    void undoingLeavesTheFocusOnThePage() {
        dead(2);
        browser.open(shop.page("dead"));
        browser.pressBeside("Job.n0", "Delete");
        browser.press("Undo");
        browser.see("tbody tr", "Job.n0");
        await().untilAsserted(() -> assertThat(browser.focused()).isEqualTo("h1 Dead"));
    }

    /** A user who has left the row must not be pulled back. */
    @Test
    void aRowThatVanishesWithoutTheFocusMovesNothing() {
        dead(2);
        browser.open(shop.page("dead"));
        browser.see("tbody tr", "Job.n1");
        browser.script("document.querySelector('tbody button').focus()");
        browser.script("document.activeElement.blur()");
        shop.redis().delete("dead");
        browser.see(".empty");
        assertThat(browser.focused()).startsWith("body");
    }

    private void dead(int jobs) {
        IntStream.range(0, jobs)
                .forEach(i -> shop.put("dead", shop.payload("Job.n" + i, "mail", i), Duration.ofMinutes(-i)));
    }
}
