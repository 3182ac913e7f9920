package dev.jobs.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.JobCall;
import dev.jobs.batches.BatchBuilder;
import dev.jobs.batches.OpenBatch;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.Keys;

/** The pages of batches. Their jobs wait in a queue that no worker serves. */
@BrowserTest
class BatchPagesIT {

    private final TestShop shop;
    private final Browser browser;

    BatchPagesIT(TestShop shop, Browser browser) {
        this.shop = shop;
        this.browser = browser;
    }

    private static JobCall sale(int product) {
        return JobCall.named("Products.enroll", product).queue("products");
    }

    private String create(String name, int jobs) {
        return create(name, jobs, batch -> {});
    }

    private String create(String name, int jobs, Consumer<BatchBuilder> more) {
        return shop.batches().create(name, batch -> {
            batch.addAll(IntStream.range(0, jobs).mapToObj(BatchPagesIT::sale));
            more.accept(batch);
        });
    }

    private void end(String id, String outcome, String message, long... indexes) {
        shop.ended().end(id, outcome, index -> message.replace("#", "" + index), LongStream.of(indexes));
    }

    private void open(String id) {
        browser.open(shop.page("batch?id=" + id));
        browser.see(".cells canvas");
    }

    @Test
    void theyAreListedAndFiltered() {
        String enroll = create(
                "Enroll products", 4, batch -> batch.describe("Campaign 11.11").tags("seller:17"));
        create("Send mails", 2);
        end(enroll, "failed", "no", 0, 1);
        browser.open(shop.page(""));
        browser.press("Batches");
        browser.see("h1", "Batches");
        assertThat(browser.see("tbody tr", "Enroll products").getText())
                .contains("seller:17", "Campaign 11.11", "running", "2 of 4", "about");
        assertThat(browser.see("tbody tr", "Send mails").getText()).contains("0 of 2");
        assertThat(browser.see(".states[aria-label='failed: 2, waiting: 2']")).isNotNull();
        browser.type("input[name=tag]", "seller:17");
        await().until(() -> browser.texts("tbody .name").equals(List.of("Enroll products")));
        assertThat(browser.address()).contains("tag=seller");
        browser.press("Clear filters");
        browser.see("tbody tr", "Send mails");
        browser.type("main select", "With failures");
        await().until(() -> browser.texts("tbody .name").equals(List.of("Enroll products")));
        assertThat(browser.address()).contains("state=failing");
        browser.type("input[name=batch]", "nothing");
        browser.see(".empty", "No batch matches");
    }

    @Test
    void oneShowsItsJobsWhatFailsAndWhyItIsNotFinished() {
        String id = create("Enroll products", 20, batch -> batch.onFinish(JobCall.named("Campaigns.report", 11)));
        end(id, "done", "", 0, 1, 2);
        end(id, "failed", "Product 47# is not sold here", 3, 4);
        open(id);
        browser.see("h1", "Enroll products");
        browser.see(".reasons .bad", "in the queue products, which no live worker serves");
        assertThat(browser.see(".counts").getText().replace('\n', ' ')).isEqualTo("succeeded 3 failed 2 waiting 15");
        browser.see("tbody tr", "Product … is not sold here");
        browser.see(".card", "Callbacks");
        assertThat(browser.see("tbody tr", "Campaigns.report").getText()).contains("Finished", "not yet");
        browser.pressIn(".counts", "failed 2");
        browser.see("tbody tr", "Product 473 is not sold here");
        assertThat(browser.address()).contains("state=failed");
        browser.pressBeside("Product 474 is not", "Job 4");
        browser.see("dialog[open] h2", "Job 4");
        browser.see("dialog[open] .messages", "Product 474 is not sold here");
        browser.answer("Close");
        browser.seeNo("dialog[open]");
        assertThat(browser.address()).doesNotContain("job=");
    }

    @Test
    void cellsAreWalkedThroughByKeysAndOpenedByThePointer() {
        String id = create("Enroll products", 9);
        end(id, "failed", "Product # is not sold here", 4);
        open(id);
        browser.see(".cells canvas").sendKeys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT);
        assertThat(browser.see("canvas").getDomAttribute("aria-valuetext")).isEqualTo("Job 2: waiting");
        browser.see(".cells .tip", "Job 2: waiting");
        browser.keys(Keys.ENTER);
        browser.see("dialog[open] h2", "Job 2");
        browser.see("dialog[open]", "Queue products");
        browser.keys(Keys.ESCAPE);
        browser.seeNo("dialog[open]");
        browser.script("""
                const box = document.querySelector('canvas').getBoundingClientRect();
                document.querySelector('canvas').dispatchEvent(
                    new MouseEvent('click', { bubbles: true, clientX: box.left + 4.5 * 16, clientY: box.top + 8 }))""");
        browser.see("dialog[open] h2", "Job 4");
        browser.see("dialog[open]", "Product 4 is not sold here");
    }

    @Test
    void itUpdatesItself() {
        String id = create("Enroll products", 3);
        open(id);
        browser.see(".counts", "waiting 3");
        end(id, "done", "", 0, 1);
        browser.see(".counts", "succeeded 2");
        browser.see(".tile", "66");
    }

    @Test
    void neighboursShareACellThatCanBeEnlarged() {
        String id = create("Export", 25_000);
        end(id, "failed", "no", 12_500);
        open(id);
        browser.see(".card", "Each cell stands for 3 neighbouring jobs");
        browser.see(".counts", "waiting 24,999");
        browser.see(".cells canvas").click();
        browser.see(".card header", "of 25,000");
        assertThat(browser.address()).contains("at=");
        browser.seeNo(".cells + .counts + p");
        browser.press("Show all");
        browser.see(".card", "Each cell stands for 3 neighbouring jobs");
    }

    @Test
    void itIsCancelled() {
        String id = create("Enroll products", 3);
        open(id);
        browser.press("Cancel batch");
        browser.see("dialog[open]", "3 jobs");
        browser.answer("Cancel batch");
        browser.see(".toast", "The batch is cancelled");
        browser.see(".badge", "being cancelled");
        browser.see(".reasons", "It is cancelled");
        await().until(() -> browser.texts("main .page-head .button").equals(List.of("Audit")));
    }

    @Test
    void itsDeadJobsAreRetried() {
        String id = create("Enroll products", 2);
        String job = shop.redis().opsForList().rightPop("queue:products");
        shop.redis().opsForZSet().add("dead", job, 1);
        end(id, "dead", "reset", 0);
        open(id);
        browser.press("Retry dead jobs");
        browser.answer("Retry dead jobs");
        browser.see(".toast", "Put back into their queues: 1 job.");
        assertThat(shop.queue("products")).hasSize(2);
        browser.see(".counts", "to run again 1");
    }

    @Test
    void anAuditFindsLostJobs() {
        String id = create("Enroll products", 2);
        shop.redis().opsForList().rightPop("queue:products");
        open(id);
        browser.press("Audit");
        browser.answer("Audit");
        browser.see(".toast", "Checked: 2 jobs. Lost: 1. Corrected: 0.");
        browser.see(".counts", "lost 1");
    }

    @Test
    void anOpenOneIsClosed() {
        OpenBatch open = shop.batches().open("Import");
        open.add(sale(1));
        open.close();
        open(open.id());
        browser.see(".reasons", "It is open for more jobs");
        browser.press("Close");
        browser.answer("Close");
        browser.see(".toast", "The batch is closed");
        browser.see(".badge", "running");
        browser.seeNo(".reasons li:nth-child(2)");
    }

    @Test
    void itLeadsToTheBatchesAroundIt() {
        String id = create("Import", 1, batch -> batch.child("Pictures", child -> child.add(sale(1)))
                .then("Mails", next -> next.add(sale(2))));
        open(id);
        browser.see(".reasons", "Child batches that have not ended");
        browser.pressIn(".tree", "Pictures");
        browser.see("h1", "Pictures");
        browser.see(".tree li li strong", "Pictures");
        browser.pressIn(".tree", "Import");
        browser.see("h1", "Import");
        browser.pressIn(".tree", "Mails");
        browser.see("h1", "Mails");
        browser.see(".reasons", "It opens when the batch before it has succeeded");
    }

    @Test
    void aJobSaysToWhichBatchItBelongs() {
        String id = create("Enroll products", 2);
        browser.open(shop.page("queue?name=products"));
        browser.press("Products.enroll");
        browser.see(".card", "Job 0");
        browser.pressIn("main", "Enroll products");
        browser.see("h1", "Enroll products");
        browser.see("dialog[open] h2", "Job 0");
        browser.answer("Close");
        shop.redis().delete("queue:products");
        end(id, "failed", "Product 1 is not sold here", 1);
        browser.type("form.find input", id + "00000001" + Keys.ENTER);
        browser.see("dialog[open]", "Product 1 is not sold here");
    }

    @ParameterizedTest
    @CsvSource({"batches, Stapel", "batch, Jobs nach Zustand"})
    void nothingIsTooWideForAPhoneInAnyLanguage(String page, String text) {
        String endless = "Endless".repeat(20);
        String id = create(endless, 500, batch -> batch.describe(endless)
                .tags(endless.substring(50))
                .child(endless, child -> child.child(endless, inner -> inner.add(sale(1))))
                .onFinish(JobCall.named(endless, endless)));
        end(id, "failed", endless, 3, 4);
        browser.size(360, 740, true);
        browser.open(shop.page(page.equals("batch") ? "batch?id=" + id : page));
        browser.see("main .card");
        browser.script("localStorage.setItem('jobs.language', 'de')");
        browser.open(browser.address());
        browser.see("main", text);
        browser.see("main .states");
        assertThat(browser.script("return Math.max(0, document.documentElement.scrollWidth - innerWidth)"))
                .isEqualTo(0L);
    }

    @Test
    void markupInItsTextsIsText() {
        String script = "<b class=harm>markup</b>";
        String id =
                create(script, 2, batch -> batch.describe(script).tags(script).createdBy(script));
        end(id, "failed", script, 1);
        browser.open(shop.page("batches"));
        browser.see("tbody", script);
        open(id);
        browser.see("h1", script);
        browser.see("tbody .cause", script);
        assertThat(browser.count(".harm")).as("elements made of texts").isZero();
    }
}
