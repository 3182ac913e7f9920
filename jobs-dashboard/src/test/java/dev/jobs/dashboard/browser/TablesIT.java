package dev.jobs.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tables with rows that are too wide, and with many rows. */
@BrowserTest
class TablesIT {

    private static final String WIDE = "Endless".repeat(20);

    private final TestShop shop;
    private final Browser browser;

    TablesIT(TestShop shop, Browser browser) {
        this.shop = shop;
        this.browser = browser;
    }

    private void retry(String name, String queue, Duration in) {
        TestShop.Payload job = shop.payload(name, queue, 1).failed("java.io.IOException", "reset");
        shop.put("retry", queue.equals(WIDE) ? job.with(Map.of("tags", List.of(WIDE))) : job, in);
    }

    @Test
    void aTableIsFoldedWhileOneOfItsRowsIsTooWide() {
        retry("Orders.ship", "mail", Duration.ofHours(1));
        retry("Mails.welcome", WIDE, Duration.ofHours(2));
        browser.open(shop.page("retries"));
        browser.see(".table.folded .name", "Mails.welcome");
        browser.pressBeside("Mails.welcome", "Delete");
        browser.see(".table:not(.folded) .name", "Orders.ship");
        assertThat(browser.texts("tbody .name")).containsExactly("Orders.ship");
        browser.press("Undo");
        browser.see(".table.folded .name", "Mails.welcome");
    }

    @Test
    void aTableIsFoldedWhileItsParentIsTooNarrow() {
        retry("Mails.welcome", WIDE, Duration.ofHours(1));
        browser.open(shop.page("retries"));
        browser.see(".table.folded .name");
        browser.size(2000, 900, false);
        browser.see(".table:not(.folded) .name");
        browser.size(1280, 900, false);
        browser.see(".table.folded .name");
        browser.size(390, 800, true);
        browser.see(".table.folded .name");
        browser.size(2000, 900, false);
        browser.see(".table:not(.folded) .name");
    }

    @Test
    void aLongListIsShownWholeAndInItsOrder() {
        List<String> names = IntStream.range(0, 80).mapToObj(i -> "Job.n" + i).toList();
        names.forEach(name -> retry(name, "mail", Duration.ofMinutes(60 + names.indexOf(name))));
        browser.open(shop.page("retries?size=100"));
        await().until(() -> browser.texts("tbody .name").equals(names));
        browser.see("thead input[type=checkbox]").click();
        browser.see(".selection", "80 selected");
        browser.type("input[name=text]", "Job.n7");
        await().until(() -> browser.texts("tbody .name")
                .equals(IntStream.of(7, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79)
                        .mapToObj(i -> "Job.n" + i)
                        .toList()));
        browser.press("Clear filters");
        await().until(() -> browser.texts("tbody .name").equals(names));
    }

    @Test
    void theLastPageOfAListMayBeFull() {
        List<String> names = IntStream.range(10, 85).mapToObj(i -> "Job.n" + i).toList();
        names.forEach(name -> retry(name, "mail", Duration.ofMinutes(60 + names.indexOf(name))));
        browser.open(shop.page("retries"));
        browser.press("Last");
        await().until(() -> browser.texts("tbody .name").equals(names.subList(50, 75)));
        browser.press("Back");
        await().until(() -> browser.texts("tbody .name").equals(names.subList(25, 50)));
        assertThat(browser.texts(".pager button"))
                .as("the next one is the last")
                .doesNotContain("Last");
    }
}
