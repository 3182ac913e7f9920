package dev.jobs.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.JobCall;
import dev.jobs.batches.BatchBuilder;
import dev.jobs.history.EventSearch;
import dev.jobs.history.HistoryEvent;
import dev.jobs.history.HistoryTask;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** The page of batches and jobs that the database keeps. */
@BrowserTest
class HistoryPageIT {

    private final TestShop shop;
    private final Browser browser;

    HistoryPageIT(TestShop shop, Browser browser) {
        this.shop = shop;
        this.browser = browser;
    }

    /** Enrolls products, of which those with an odd number are refused. */
    private String enroll(String name, int products, String campaign, Consumer<BatchBuilder> more) {
        String id = shop.batches().create(name, batch -> {
            more.accept(batch);
            batch.addAll(IntStream.range(0, products).mapToObj(i -> JobCall.named("Catalog.enroll", i, campaign)));
        });
        await().until(() ->
                shop.history().task(id).filter(HistoryTask::complete).isPresent());
        return id;
    }

    private String enroll(String name, int products) {
        return enroll(name, products, "11.11", batch -> {});
    }

    @Test
    void batchesAreFoundAndLeadToTheirJobs() {
        enroll("Enroll products", 4, "11.11", batch -> batch.describe("Campaign 11.11")
                .tags("seller:17")
                .createdBy("ann"));
        enroll("Enroll books", 1);
        browser.open(shop.page(""));
        browser.press("History");
        browser.see("h1", "History");
        assertThat(browser.see("tbody tr", "Enroll products").getText())
                .contains("seller:17", "Campaign 11.11", "finished with failures", "4 of 4", "ann");
        browser.type("input[name=tag]", "seller:17");
        await().until(() -> browser.texts("tbody .name").equals(List.of("Enroll products")));
        assertThat(browser.address()).contains("tag=seller");
        browser.press("Clear filters");
        browser.see("tbody tr", "Enroll books");
        browser.type("main select", "succeeded");
        await().until(() -> browser.texts("tbody .name").equals(List.of("Enroll books")));
        browser.type("input[name=name]", "Enroll products");
        browser.see(".empty", "No batch matches");
        browser.press("Clear filters");
        browser.type("main select", "All states");
        browser.press("Enroll products");
        browser.see("h1", "Enroll products");
        browser.see("tbody tr:nth-child(2)", "Product 1 is not qualified for 11.11");
        assertThat(browser.texts("tbody .args"))
                .containsExactly("[0,\"11.11\"]", "[1,\"11.11\"]", "[2,\"11.11\"]", "[3,\"11.11\"]");
        browser.press("Show it live");
        browser.see(".cells canvas");
    }

    @Test
    void jobsAreFoundByWordsOfAMessageInAllBatches() {
        enroll("Enroll products", 4);
        String books = enroll("Enroll books", 6, "12.12", batch -> batch.tags("books"));
        browser.open(shop.page("history"));
        browser.pressIn("main", "Jobs");
        await().until(() -> browser.count("tbody tr") == 10);
        browser.type("input[name=message]", "QUALIFIED 12.12");
        await().until(() -> browser.count("tbody tr") == 3);
        assertThat(browser.address()).contains("view=jobs", "message=QUALIFIED");
        assertThat(browser.see("tbody tr", "Product 5").getText())
                .contains("Catalog.enroll", "[5,\"12.12\"]", "failed", "Enroll books");
        browser.open(browser.address());
        await().until(() -> browser.count("tbody tr") == 3);
        assertThat(browser.see("input[name=message]").getDomProperty("value")).isEqualTo("QUALIFIED 12.12");
        browser.press("Clear filters");
        browser.type("input[name=tag]", "books");
        await().until(() -> browser.count("tbody tr") == 6);
        browser.type("main select", "failed");
        await().until(() -> browser.count("tbody tr") == 3);
        browser.pressBeside("Product 1", "Enroll books");
        browser.see("h1", "Enroll books");
        assertThat(browser.address()).endsWith("history?task=" + books);
    }

    @Test
    void theJobsOfABatchAreSortedByTheirEnd() {
        String id = enroll("Enroll products", 40);
        List<String> ended =
                shop.history().events(EventSearch.ofTask(id).by(EventSearch.Order.ENDED), null, 40).items().stream()
                        .map(HistoryEvent::parameters)
                        .map(Objects::requireNonNull)
                        .toList();
        browser.open(shop.page("history?task=" + id));
        browser.see("tbody tr:first-child .args", "[0,\"11.11\"]");
        browser.type("select[name=order]", "Last ended");
        await().until(() -> browser.texts("tbody .args").equals(ended.subList(0, 25)));
        assertThat(browser.address()).contains("order=ended");
        browser.press("Next");
        await().until(() -> browser.texts("tbody .args").equals(ended.subList(25, 40)));
        browser.press("To the start");
        await().until(() -> browser.texts("tbody .args").equals(ended.subList(0, 25)));
    }

    @Test
    void aJobIsShownCompletely() {
        String id = enroll("Enroll products", 2, "11.11", BatchBuilder::keepResults);
        browser.open(shop.page("history?view=jobs"));
        browser.press("Catalog.enroll " + id + "00000001");
        browser.see("dialog[open] .messages", "Product 1 is not qualified");
        browser.see("dialog[open] pre", "[1,\"11.11\"]");
        browser.see("dialog[open] .facts", "dev.jobs.JobFailedException");
        browser.keys(Keys.ESCAPE);
        browser.seeNo("dialog[open]");
        assertThat(browser.address()).doesNotContain("jid=");
        browser.press("Catalog.enroll " + id + "00000000");
        browser.see("dialog[open] pre", "enrolled");
        browser.answer("Show it live");
        browser.see("dialog[open] h2", "Job 0");
    }

    @Test
    void whatRedisHasForgottenHasNoLivePage() {
        String id = enroll("Enroll products", 2);
        browser.open(shop.page("history?task=" + id));
        browser.button("Show it live");
        shop.redis().delete(Objects.requireNonNull(shop.redis().keys("jobs:batch:" + id + "*")));
        browser.open(shop.page("history?task=" + id));
        browser.see("tbody tr", "Product 1 is not qualified");
        assertThat(browser.texts(".page-head .button")).isEmpty();
    }

    @Test
    void timesStandInTheAddressAndMeanTheSameEverywhere() {
        enroll("Enroll products", 2);
        browser.open(shop.page("history"));
        browser.see("tbody tr", "Enroll products");
        browser.type("input[name=since]", "010220990304AM");
        browser.see(".empty", "No batch matches");
        long since = ((Number) browser.script("return new Date(2099, 0, 2, 3, 4).getTime()")).longValue();
        assertThat(browser.address()).contains("since=" + since);
        browser.open(browser.address());
        browser.see(".empty", "No batch matches");
        assertThat(browser.see("input[name=since]").getDomProperty("value")).isEqualTo("2099-01-02T03:04");
        browser.open(shop.page("history?until=" + since + "&since=1000"));
        browser.see("tbody tr", "Enroll products");
        browser.open(shop.page("history?since=soon"));
        browser.see(".notice.error", "The server didn't accept this request");
        assertThat(browser.complaints()).allMatch(complaint -> complaint.contains("400"));
    }

    @Test
    void markupInItsTextsIsText() {
        String script = "<b class=harm>markup</b>";
        String id = enroll(script, 2, script, batch -> batch.describe(script).tags(script));
        browser.open(shop.page("history"));
        browser.see("tbody", script);
        browser.open(shop.page("history?task=" + id));
        browser.see("h1", script);
        browser.see("tbody .cause", script);
        browser.press("Catalog.enroll " + id + "00000001");
        browser.see("dialog[open] pre", script);
        assertThat(browser.count(".harm")).as("elements made of texts").isZero();
    }
}
