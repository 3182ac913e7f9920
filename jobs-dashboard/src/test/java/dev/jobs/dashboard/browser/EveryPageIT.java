package dev.jobs.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.admin.Finding;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.Keys;

@BrowserTest
class EveryPageIT {

    private final TestShop shop;
    private final Browser browser;

    EveryPageIT(TestShop shop, Browser browser) {
        this.shop = shop;
        this.browser = browser;
    }

    @Test
    void theOverviewShowsNumbersChartsQueuesRedisAndWarnings() {
        shop.enqueue(shop.payload("Mails.welcome", "mail", "bob@example.com", 5));
        shop.put(
                "retry",
                shop.payload("Orders.ship", "mail", 1).failed("java.io.IOException", "gone"),
                Duration.ofHours(1));
        browser.open(shop.page(""));
        browser.see("[data-tile=retries]", "1");
        browser.see("[data-tile=enqueued]", "1");
        browser.see(".chart svg .line");
        browser.see(".chart svg text");
        browser.see(".table tr", "mail");
        browser.see(".card", "Version");
        browser.see(".notice.error", "No live worker serves the queue mail");
        browser.press("30 days");
        assertThat(browser.address()).endsWith("?days=30");
    }

    @Test
    void theOverviewShowsWarningsOfTheOutboxAndOfTheApplication() {
        shop.warn(new Finding("outbox", Finding.Level.WARNING, "1234", List.of("75"), "English"));
        shop.warn(new Finding("stock", Finding.Level.INFO, "", List.of(), "The stock is counted"));
        browser.open(shop.page(""));
        browser.see(".notice.warn", "Jobs wait in the outbox: 1,234, the oldest for 75 s");
        browser.see(".notice.warn", "See whether an application that relays the outbox runs");
        browser.see(".notice", "The stock is counted");
    }

    @Test
    void queuesAreListedAndSorted() {
        IntStream.range(0, 3).forEach(i -> shop.enqueue(shop.payload("Mails.welcome", "mail", i)));
        shop.enqueue(shop.payload("Orders.ship", "bulk", 1));
        browser.open(shop.page("queues"));
        browser.see("tbody tr", "mail");
        assertThat(browser.texts("tbody .name").indexOf("bulk"))
                .isLessThan(browser.texts("tbody .name").indexOf("mail"));
        browser.press("Jobs");
        await().until(() -> browser.texts("tbody .name").indexOf("mail") == 0);
        browser.press("mail");
        browser.see("h1", "mail");
        assertThat(browser.address()).endsWith("/queue?name=mail");
    }

    @Test
    void aQueueShowsItsJobsInBothOrders() {
        shop.enqueue(shop.payload("First.job", "mail", 1));
        shop.enqueue(shop.payload("Second.job", "mail", 2));
        browser.open(shop.page("queue?name=mail"));
        browser.see("tbody tr:first-child", "First.job");
        browser.press("Newest first");
        browser.see("tbody tr:first-child", "Second.job");
        assertThat(browser.address()).contains("order=newest");
    }

    @ParameterizedTest
    @CsvSource({"scheduled, schedule", "retries, retry", "dead, dead"})
    void setsShowTheirJobs(String page, String set) {
        shop.put(
                set,
                shop.payload("Orders.ship", "mail", 17, "express").failed("java.io.IOException", "Connection reset"),
                Duration.ofMinutes(90));
        browser.open(shop.page(page));
        String row = browser.see("tbody tr", "Orders.ship").getText();
        assertThat(row).contains("[17,\"express\"]", "mail", "hour");
        if (!page.equals("scheduled")) {
            assertThat(row).contains("IOException", "Connection reset", "failed");
        }
    }

    @Test
    void filtersStandInTheAddressAndADeepLinkHasThem() {
        shop.put(
                "retry",
                shop.payload("Orders.ship", "mail", 1).failed("java.io.IOException", "reset"),
                Duration.ofHours(1));
        shop.put(
                "retry",
                shop.payload("Mails.welcome", "bulk", 2).failed("java.lang.IllegalStateException", "no"),
                Duration.ofHours(1));
        browser.open(shop.page("retries"));
        browser.see("tbody tr", "Mails.welcome");
        browser.type("input[name=error]", "ioexc");
        await().until(() -> browser.texts("tbody .name").size() == 1);
        assertThat(browser.address()).contains("error=ioexc");
        browser.open(browser.address());
        browser.see("tbody tr", "Orders.ship");
        assertThat(browser.texts("tbody .name")).containsExactly("Orders.ship");
        assertThat(browser.see("input[name=error]").getDomProperty("value")).isEqualTo("ioexc");
        browser.press("Clear filters");
        browser.see("tbody tr", "Mails.welcome");
        browser.type("input[name=queue]", "nowhere");
        browser.see(".empty", "No job matches these filters");
    }

    @Test
    void aFilterKeepsTheFocusWhileTyping() {
        shop.put("dead", shop.payload("Orders.ship", "mail", 1), Duration.ZERO);
        browser.open(shop.page("dead"));
        browser.see("input[name=job]").click();
        browser.keys("Orders");
        browser.see(".empty", "No job matches");
        browser.keys(".ship");
        browser.see("tbody tr", "Orders.ship");
        assertThat(browser.address()).endsWith("?job=Orders.ship");
    }

    @Test
    void longListsAreLeafedThrough() {
        IntStream.range(0, 60)
                .forEach(i -> shop.put("dead", shop.payload("Job.n" + i, "mail", i), Duration.ofMinutes(-i)));
        browser.open(shop.page("dead"));
        browser.see(".pager", "1–25 of 60");
        browser.see("tbody tr", "Job.n0");
        browser.press("Next");
        browser.see(".pager", "26–50 of 60");
        assertThat(browser.address()).contains("from=25");
        browser.press("Next");
        browser.see("tbody tr", "Job.n59");
        browser.press("Back");
        browser.see(".pager", "26–50 of 60");
    }

    @Test
    void aJobShowsArgumentsErrorTimesAndPayload() {
        TestShop.Payload job =
                shop.payload("Orders.ship", "mail", 17, "express").failed("java.io.IOException", "Connection reset");
        shop.put("retry", job, Duration.ofHours(1));
        browser.open(shop.page("retries"));
        browser.press("Orders.ship");
        browser.see("h1", "Orders.ship");
        browser.see(".waiting", "It failed and will be tried again");
        assertThat(browser.texts(".arguments code")).containsExactly("17", "\"express\"");
        assertThat(browser.texts(".arguments li > span")).containsExactly("1", "2");
        assertThat(browser.text())
                .contains("java.io.IOException", "Connection reset", job.jid(), "First failed", "Next attempt");
        browser.see("summary").click();
        browser.see("details pre", "\"class\":\"Orders.ship\"");
        assertThat(browser.see(".timeline time").getDomAttribute("title")).contains("20");
    }

    @Test
    void aJobSaysWhyItWaits() {
        shop.enqueue(shop.payload("Orders.ship", "mail", 1));
        browser.open(shop.page("queue?name=mail"));
        browser.press("Orders.ship");
        browser.see(".waiting.warn", "No live worker serves its queue mail");
        shop.redis().opsForSet().add("paused", "mail");
        browser.see(".waiting.warn", "Its queue mail is paused");
    }

    /** The workers have done other jobs before, whose speed says nothing about this queue. */
    @Test
    void aJobThatMovesUpSaysWhenItStarts() {
        IntStream.range(0, 50).forEach(i -> shop.jobs().enqueue("Mails.welcome", "ann@example.com", i));
        browser.open(shop.page(""));
        browser.see("[data-tile=enqueued]", "0");
        shop.gate().shut();
        IntStream.range(0, 200).forEach(i -> shop.jobs().enqueue("Gate.pass", "Alice"));
        browser.open(shop.page("queue?name=default&order=newest"));
        browser.press("Gate.pass");
        browser.see(".waiting", "before it");
        String at =
                String.valueOf(browser.script("return document.querySelector('.facts dd:nth-of-type(3)').innerText"));
        shop.enqueue(shop.payload("Orders.ship", "other", 1));
        browser.see("nav a[href=queues] .count", String.valueOf(Integer.parseInt(at) + 1)); // one push later
        assertThat(browser.text()).doesNotContain("Starts about");
        shop.redis().opsForList().rightPop("queue:default", 20);
        browser.see(".waiting", "Starts about");
        shop.gate().open();
    }

    @Test
    void aJobThatIsGoneSaysWhereItIsNow() {
        TestShop.Payload job = shop.payload("Orders.ship", "mail", 1).failed("java.io.IOException", "reset");
        shop.put("retry", job, Duration.ofHours(1));
        browser.open(shop.page("retries"));
        browser.press("Orders.ship");
        browser.see(".waiting", "tried again");
        shop.put("dead", job, Duration.ZERO);
        shop.redis().delete("retry");
        browser.see("h1", "This job is no longer here");
        browser.press("Dead");
    }

    @Test
    void busyShowsProcessesAndRunningJobsWithTheStackOfExactlyThatJob() {
        shop.gate().shut();
        shop.jobs().enqueue("Gate.pass", "Alice");
        browser.open(shop.page("busy"));
        browser.see("tbody tr", "leader");
        browser.see("tbody tr", "Gate.pass");
        browser.press("Stack");
        String stack = browser.see("dialog[open] pre", "Gate.pass").getText();
        assertThat(stack).contains("CountDownLatch.await");
        browser.answer("Close");
        browser.seeNo("dialog[open]");
        shop.gate().open();
        browser.see(".empty", "Nothing is running");
    }

    @Test
    void busyIsDenseWithManyProcesses() {
        IntStream.range(100, 400).forEach(pid -> shop.process(pid, 1));
        browser.open(shop.page("busy"));
        browser.see(".pager", "1–25 of 301");
        assertThat(browser.texts("h2")).startsWith("Running jobs");
        assertThat((Long) browser.script("return document.documentElement.scrollHeight"))
                .isLessThan(3_000);
        browser.press("Next");
        browser.see(".pager", "26–50 of 301");
        browser.type("input[name=text]", "elsewhere:399");
        browser.see("tbody tr", "elsewhere:399");
        await().until(() -> browser.count("tbody tr") == 1);
        assertThat(browser.address()).endsWith("busy?text=elsewhere%3A399");
    }

    @Test
    void aRunningJobHasAPage() {
        shop.gate().shut();
        String jid = shop.jobs().enqueue("Rows.load", 40, false);
        browser.open(shop.page("busy"));
        browser.see("tbody tr", jid);
        browser.press("Rows.load");
        browser.see("h1", "Rows.load");
        assertThat(browser.texts(".arguments code")).containsExactly("40", "false");
        browser.see(".progress", "20 of 40");
        browser.see(".tile", "Attempt");
        browser.press("Stack");
        browser.see("dialog[open] pre", "Gate.load");
        browser.answer("Close");
        shop.gate().open();
        browser.see("h1", "This job is no longer running");
        browser.see(".progress", "40 of 40");
        browser.see(".log", "All rows are loaded");
    }

    @Test
    void aRunningJobIsFoundByItsId() {
        shop.gate().shut();
        String jid = shop.jobs().enqueue("Gate.pass", "Alice");
        browser.open(shop.page("busy"));
        browser.see("tbody tr", jid);
        browser.type("form.find input", jid + Keys.ENTER);
        browser.see("h1", "Gate.pass");
        assertThat(browser.address()).contains("job?place=running&jid=" + jid);
        shop.gate().open();
        browser.see("h1", "no longer running");
    }

    @Test
    void failuresAreGroupedByJobAndCauseAndLeadToTheirJobs() {
        IntStream.range(0, 3)
                .forEach(i -> shop.put(
                        "retry",
                        shop.payload("Orders.ship", "mail", i).failed("java.io.IOException", "reset " + i),
                        Duration.ofHours(1)));
        shop.put(
                "retry",
                shop.payload("Orders.ship", "mail", 9).failed("java.lang.IllegalStateException", "no"),
                Duration.ofHours(1));
        browser.open(shop.page("failures"));
        assertThat(browser.see("tbody tr", "IOException").getText()).contains("3");
        browser.pressBeside("IOException", "Orders.ship");
        browser.see("h1", "Retries");
        await().until(() -> browser.texts("tbody .name").size() == 3);
        assertThat(browser.address()).contains("cause=java.io.IOException");
    }

    @Test
    void metricsShowHowLongJobsTakeAndHowOftenTheyFail() {
        IntStream.range(0, 20).forEach(i -> shop.jobs().enqueue("Gate.pass", "Alice"));
        browser.open(shop.page("metrics"));
        browser.see("tbody tr", "Gate.pass");
        browser.press("24 h");
        browser.see("tbody tr", "Gate.pass");
        browser.press("8 h");
        browser.see("tbody tr", "Gate.pass");
        assertThat(browser.address()).endsWith("hours=8");
        browser.press("Gate.pass");
        browser.see("h1", "Gate.pass");
        browser.see(".tile", "Mean");
        browser.see(".chart svg .bar");
        browser.see(".card", "Durations");
    }

    @Test
    void aJobIsFoundByItsId() {
        TestShop.Payload job = shop.payload("Orders.ship", "mail", 1).failed("java.io.IOException", "reset");
        shop.put("dead", job, Duration.ZERO);
        browser.open(shop.page(""));
        browser.type("form.find input", job.jid() + Keys.ENTER);
        browser.see("h1", "Orders.ship");
        browser.type("form.find input", "0" + Keys.ENTER);
        browser.see(".toast", "There is no job with this id");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "queues",
                "batches",
                "scheduled",
                "retries",
                "dead",
                "failures",
                "recurring",
                "limits",
                "trash",
                "history"
            })
    void emptyPagesSayWhatToDoNext(String page) {
        browser.open(shop.page(page));
        browser.see(".empty strong");
        browser.see(".empty p");
    }

    @Test
    void aLinkToNoJobSaysWhatIsWrong() {
        browser.open(shop.page("job?place=dead&key=nothing&jid=nobody"));
        browser.see("h1", "nobody");
        browser.see(".notice.error", "The server didn't accept this request");
        assertThat(browser.complaints()).allMatch(complaint -> complaint.contains("400"));
    }

    @Test
    void tagsAndOtherMembersAreShown() {
        shop.enqueue(
                shop.payload("Orders.ship", "mail", 1).with(Map.of("tags", List.of("campaign"), "tenant", "blue")));
        browser.open(shop.page("queue?name=mail"));
        browser.see("tbody .badge", "campaign");
        browser.press("Orders.ship");
        browser.see(".facts", "tenant");
    }
}
