package dev.jobs.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.Keys;

/** Jobs enqueued, edited and moved by hand, and what makes long lists easy to work in. */
@BrowserTest
class HandWorkPagesIT {

    private final TestShop shop;
    private final Browser browser;

    HandWorkPagesIT(TestShop shop, Browser browser) {
        this.shop = shop;
        this.browser = browser;
    }

    private TestShop.Payload failed(String name, Object... arguments) {
        return shop.payload(name, "mail", arguments).failed("java.io.IOException", "reset");
    }

    private void write(String css, String text) {
        browser.type(css, Keys.chord(Keys.CONTROL, "a") + text);
    }

    @Test
    void aJobIsEnqueuedAfterAPreviewAndTakenBack() {
        browser.open(shop.page("queues"));
        browser.press("Enqueue a job");
        browser.type("dialog[open] input[name=job]", " Mails.welcome "); // as pasted with blanks
        browser.see("dialog[open] label", "visits");
        browser.see("dialog[open] fieldset input[type=text]:not([inputmode])").sendKeys("\"Ann\" <ann@example.com>");
        browser.see("dialog[open] input[inputmode=numeric]").sendKeys("3");
        write("dialog[open] input[name=to]", "mail");
        browser.type("dialog[open] textarea[name=tags]", "by hand\nwelcome");
        browser.answer("Preview");
        browser.see("dialog[open] pre", "<ann@example.com>");
        browser.see("dialog[open] .notice.warn", "No live worker takes jobs from the queue mail");
        assertThat(shop.queue("mail")).isEmpty();
        browser.answer("Enqueue");
        browser.see(".toast", "Enqueued: Mails.welcome.");
        assertThat(shop.queue("mail"))
                .singleElement()
                .asString()
                .contains("\"args\":[\"\\\"Ann\\\" <ann@example.com>\",3]", "\"tags\":[\"by hand\",\"welcome\"]");
        browser.press("Undo");
        browser.see(".toast", "It is no longer enqueued");
        assertThat(shop.queue("mail")).isEmpty();
    }

    @Test
    void anOptionalChoiceOfYesAndNoMayBeLeftOut() {
        browser.open(shop.page("queues"));
        browser.press("Enqueue a job");
        browser.type("dialog[open] input[name=job]", "Mails.remind");
        browser.see("dialog[open] label", "politely");
        assertThat(browser.see("dialog[open] fieldset select").getDomProperty("value"))
                .isEmpty();
        browser.see("dialog[open] fieldset input[type=text]").sendKeys("ann@example.com");
        write("dialog[open] input[name=to]", "mail");
        browser.answer("Preview");
        browser.see("dialog[open] pre", "ann@example.com");
        browser.answer("Enqueue");
        browser.see(".toast", "Enqueued: Mails.remind.");
        assertThat(shop.queue("mail")).singleElement().asString().contains("\"args\":[\"ann@example.com\"]");
    }

    @Test
    void aJobThatWouldNotRunIsNotEnqueued() {
        browser.open(shop.page("queue?name=mail"));
        browser.see(".notice.error");
        browser.open(shop.page("scheduled"));
        browser.press("Enqueue a job");
        browser.type("dialog[open] input[name=job]", "Nobody.knows");
        browser.see("dialog[open] .bad", "No live worker knows this job");
        write("dialog[open] input[name=job]", "Mails.welcome");
        browser.see("dialog[open] input[inputmode=numeric]").sendKeys("12345678901");
        browser.answer("Preview");
        browser.see("dialog[open] .notice.error", "Argument 2 (visits: int) does not fit");
        browser.answer("Cancel");
        browser.seeNo("dialog[open]");
        assertThat(browser.complaints()).allMatch(complaint -> complaint.contains("40"));
    }

    @Test
    void argumentsAreEditedAndTheJobComesInThePlaceOfTheOther() {
        shop.put("retry", failed("Mails.welcome", 17, "3"), Duration.ofHours(1));
        List<String> before = shop.set("retry");
        browser.open(shop.page("retries"));
        browser.press("Mails.welcome");
        browser.press("Edit and retry");
        write("dialog[open] .field:nth-of-type(1) textarea", "\"17\"");
        browser.answer("Preview");
        browser.see("dialog[open] .notice.error", "Argument 2 (visits: int)");
        write("dialog[open] .field:nth-of-type(2) textarea", "3");
        browser.answer("Preview");
        browser.see("dialog[open] pre", "[\"17\", 3]");
        browser.answer("Edit and retry");
        browser.see("h1", "Retries");
        browser.see(".toast", "Enqueued: Mails.welcome.");
        assertThat(shop.set("retry")).isEmpty();
        assertThat(shop.queue("mail"))
                .singleElement()
                .asString()
                .contains("[\"17\",3]")
                .doesNotContain("IOException");
        browser.press("Undo");
        browser.see("tbody tr", "Mails.welcome");
        assertThat(shop.set("retry")).isEqualTo(before);
        assertThat(shop.queue("mail")).isEmpty();
        assertThat(browser.complaints()).allMatch(complaint -> complaint.contains("400"));
    }

    @Test
    void tagsAreEditedAndTakenAway() {
        shop.put(
                "retry",
                failed("Mails.welcome", "Ann", 3).with(Map.of("tags", List.of("a, b", "c"))),
                Duration.ofHours(1));
        browser.open(shop.page("retries"));
        browser.press("Mails.welcome");
        browser.press("Edit and retry");
        assertThat(browser.see("dialog[open] textarea[name=tags]").getDomProperty("value"))
                .isEqualTo("a, b\nc");
        write("dialog[open] textarea[name=tags]", "a, b\nd");
        browser.answer("Preview");
        browser.see("dialog[open] .facts", "a, b, d");
        browser.answer("Back");
        browser.see("dialog[open] textarea[name=tags]").sendKeys(Keys.chord(Keys.CONTROL, "a"), Keys.BACK_SPACE);
        browser.answer("Preview");
        browser.answer("Edit and retry");
        browser.see(".toast", "Enqueued: Mails.welcome.");
        assertThat(shop.queue("mail")).singleElement().asString().contains("\"tags\":[]");
    }

    @Test
    void someJobsOfAQueueAreMovedAndComeBack() {
        IntStream.range(0, 4).forEach(i -> shop.enqueue(shop.payload("Job.n" + i, "mail", i)));
        browser.open(shop.page("queue?name=mail"));
        browser.see("[aria-label='Select Job.n1']").click();
        browser.see("[aria-label='Select Job.n2']").click();
        browser.pressIn(".selection", "Move");
        browser.see("dialog[open]", "Move: 2 jobs");
        browser.type("dialog[open] input", "mail");
        browser.see("dialog[open] .bad", "in this queue already");
        write("dialog[open] input", "bulk");
        browser.answer("Move");
        browser.see(".toast", "Moved to bulk: 2 jobs.");
        assertThat(shop.queue("mail")).hasSize(2);
        assertThat(shop.queue("bulk")).hasSize(2).allMatch(job -> job.contains("\"queue\":\"bulk\""));
        browser.press("Undo");
        browser.see(".toast", "Moved back: 2 jobs.");
        assertThat(shop.queue("mail")).hasSize(4).allMatch(job -> job.contains("\"queue\":\"mail\""));
    }

    /** As many as need two requests, and shown in the order in which they must not be moved. */
    @Test
    void manyJobsOfAQueueKeepTheirOrder() {
        IntStream.range(0, 202).forEach(i -> shop.enqueue(shop.payload("Job.n" + i, "mail", i)));
        browser.open(shop.page("queue?name=mail&order=newest&size=100"));
        for (String page : List.of("1–100 of 202", "101–200 of 202", "201–202 of 202")) {
            browser.see(".pager", page);
            browser.see("[aria-label='Select all on this page']").click();
            if (!page.startsWith("201")) {
                browser.press("Next");
            }
        }
        browser.pressIn(".selection", "Move");
        browser.type("dialog[open] input", "bulk");
        browser.answer("Move");
        browser.see(".toast", "Moved to bulk: 202 jobs.");
        for (int i = 0; i < 202; i++) {
            assertThat(shop.queue("bulk").get(201 - i)).contains("\"Job.n" + i + "\"");
        }
    }

    /** As in an address that was changed by hand: the server would ignore it, and act on all jobs. */
    @Test
    void whatNarrowsNoListOfASetIsNotSaidToNarrowIt() {
        shop.put("retry", failed("Orders.ship", 1), Duration.ofHours(1));
        browser.open(shop.page("retries?batch=0123456789abcdef"));
        browser.see("tbody tr", "Orders.ship");
        browser.see(".page-head", "Delete: all");
    }

    @Test
    void allJobsOfAQueueAndOfASetAreMoved() {
        IntStream.range(0, 120).forEach(i -> shop.enqueue(shop.payload("Job.n" + i, "mail", i)));
        browser.open(shop.page("queue?name=mail"));
        browser.press("Move all");
        browser.see("dialog[open]", "Move: 120 jobs");
        browser.type("dialog[open] input", "bulk");
        browser.answer("Move");
        browser.see(".toast", "Moved to bulk: 120 jobs.");
        assertThat(shop.queue("bulk")).hasSize(120);
        shop.put("retry", failed("Orders.ship", 1), Duration.ofHours(1));
        browser.open(shop.page("retries"));
        browser.press("Move: all");
        browser.type("dialog[open] input", "slow");
        browser.answer("Move");
        browser.see("tbody tr .badge", "slow");
    }

    @Test
    void aTimeIsChosenByAPresetAndInUtc() {
        shop.put("schedule", shop.payload("Orders.ship", "mail", 1), Duration.ofHours(5));
        browser.command("Emulation.setTimezoneOverride", Map.of("timezoneId", "Asia/Kolkata"));
        try {
            browser.open(shop.page("scheduled"));
            browser.pressBeside("Orders.ship", "Reschedule");
            browser.see("dialog[open] .segments", "UTC");
            browser.answer("In a day");
            String local = String.valueOf(browser.see("dialog[open] input").getDomProperty("value"));
            browser.answer("UTC");
            String utc = String.valueOf(browser.see("dialog[open] input").getDomProperty("value"));
            assertThat(java.time.LocalDateTime.parse(local))
                    .isEqualTo(java.time.LocalDateTime.parse(utc).plusMinutes(330));
            browser.answer("Reschedule");
            browser.see(".toast", "Rescheduled: 1 job.");
            double inADay = java.time.Instant.now().plus(Duration.ofDays(1)).getEpochSecond();
            assertThat(shop.times("schedule")).singleElement().satisfies(at -> assertThat(at)
                    .isBetween(inADay - 60, inADay + 60));
        } finally {
            browser.command("Emulation.setTimezoneOverride", Map.of("timezoneId", ""));
        }
    }

    @Test
    void aJobLeadsToItsNeighbours() {
        IntStream.range(0, 3).forEach(i -> shop.enqueue(shop.payload("Job.n" + i, "mail", i)));
        browser.open(shop.page("queue?name=mail"));
        browser.press("Job.n1");
        browser.see("h1", "Job.n1");
        browser.press("Next job");
        browser.see("h1", "Job.n2");
        browser.press("Next job");
        browser.see(".toast", "This is the last job here");
        browser.press("Previous job");
        browser.see("h1", "Job.n1");
    }

    @Test
    void jsonIsLaidOutAndCopied() {
        TestShop.Payload job = shop.payload(
                "Orders.ship",
                "mail",
                Map.of("address", "12 Long Street, Springfield", "items", List.of(1, 2, 3, "x".repeat(40))));
        shop.enqueue(job);
        browser.open(shop.page("queue?name=mail"));
        browser.press("Orders.ship");
        assertThat(browser.see(".arguments pre").getText())
                .startsWith("{\n  \"")
                .contains("\"items\": [");
        browser.see("summary").click();
        browser.see("details pre", "{\"class\":\"Orders.ship\"");
        browser.press("Laid out");
        browser.see("details pre", "\"class\": \"Orders.ship\"");
        browser.press("Copy: Id");
        browser.see(".toast", "Copied: Id.");
        browser.type("form.find input", Keys.chord(Keys.CONTROL, "v"));
        await().until(() -> job.jid().equals(browser.see("form.find input").getDomProperty("value")));
    }

    @Test
    void aViewIsSavedAndRemoved() {
        shop.put("retry", failed("Orders.ship", 1), Duration.ofHours(1));
        browser.open(shop.page("retries?job=Orders.ship&from=0"));
        browser.press("Save this view");
        browser.type("dialog[open] input", "Shipping <fails>");
        browser.answer("Save");
        browser.open(shop.page("queues"));
        browser.press("Shipping <fails>");
        browser.see("h1", "Retries");
        assertThat(browser.address()).endsWith("/retries?job=Orders.ship");
        browser.press("Remove the view: Shipping <fails>");
        browser.seeNo(".views li");
    }

    @Test
    void listsAreSortedByTheirColumnsAndHavePagesOfAnySize() {
        IntStream.range(0, 60).forEach(i -> shop.put("retry", failed("Job.n" + i, i), Duration.ofMinutes(60 + i)));
        browser.open(shop.page("retries"));
        browser.see("tbody tr:first-child", "Job.n0");
        browser.press("Last");
        browser.see(".pager", "51–60 of 60");
        browser.press("First");
        browser.see(".pager", "1–25 of 60");
        browser.pressIn("thead", "Next");
        browser.see("tbody tr:first-child", "Job.n59");
        browser.see("th[aria-sort=descending]", "Next");
        browser.see(".pager select").sendKeys("100");
        await().until(() -> browser.count("tbody tr") == 60);
        assertThat(browser.address()).contains("size=100");
        shop.enqueue(shop.payload("Orders.ship", "bulk", 1));
        IntStream.range(0, 3).forEach(i -> shop.enqueue(shop.payload("Mails.welcome", "mail", i)));
        browser.open(shop.page("queues"));
        browser.pressIn("thead", "Jobs");
        await().until(() -> browser.texts("tbody .name").indexOf("mail") == 0);
        browser.pressIn("thead", "Jobs");
        browser.see("th[aria-sort=ascending]", "Jobs");
        await().until(() -> browser.texts("tbody .name").indexOf("mail")
                > browser.texts("tbody .name").indexOf("bulk"));
    }

    @Test
    void listsAreNarrowedByTagAndTime() {
        shop.put("retry", failed("Orders.ship", 1).with(Map.of("tags", List.of("campaign"))), Duration.ofHours(1));
        shop.put("retry", failed("Mails.welcome", 2), Duration.ofDays(3));
        browser.open(shop.page("retries"));
        browser.see("tbody tr", "Mails.welcome");
        browser.press("campaign");
        await().until(() -> browser.texts("tbody .name").equals(List.of("Orders.ship")));
        assertThat(browser.see("input[name=tag]").getDomProperty("value")).isEqualTo("campaign");
        browser.press("Clear filters");
        browser.see("tbody tr", "Mails.welcome");
        long later = System.currentTimeMillis() + Duration.ofDays(1).toMillis();
        browser.open(shop.page("retries?since=" + later));
        browser.see("tbody tr", "Mails.welcome");
        assertThat(browser.texts("tbody .name")).containsExactly("Mails.welcome");
    }

    @Test
    void filtersSuggestNames() {
        shop.enqueue(shop.payload("Orders.ship", "mail", 1));
        shop.put("dead", failed("Orders.ship", 1), Duration.ZERO);
        browser.open(shop.page("dead"));
        browser.see("input[name=job]").click();
        await().until(() -> browser.count("datalist option[value='Mails.welcome']") > 0);
        assertThat(browser.count("datalist option[value='mail']")).isPositive();
    }

    /** In German, whose words are the longest. */
    @ParameterizedTest
    @ValueSource(ints = {360, 768, 1_024, 1_440})
    void formsFitIntoTheirDialogs(int width) {
        shop.put("retry", failed("Mails.welcome", "a".repeat(200), 3), Duration.ofHours(1));
        browser.size(width, 800, width < 700);
        browser.open(shop.page("retries"));
        browser.script("localStorage.setItem('jobs.language', 'de')");
        browser.open(shop.page("queues"));
        browser.press("Job einreihen");
        browser.type("dialog[open] input[name=job]", "Mails.welcome");
        browser.see("dialog[open] fieldset");
        browser.see("dialog[open] .choice", "Zu einer späteren Zeit").click();
        browser.see("dialog[open] .presets");
        assertThatTheDialogFits();
        browser.open(shop.page("retries"));
        browser.press("Mails.welcome");
        browser.press("Bearbeiten und neu");
        browser.see("dialog[open] textarea");
        assertThatTheDialogFits();
        browser.answer("Vorschau");
        browser.see("dialog[open] pre", "aaa");
        assertThatTheDialogFits();
    }

    private void assertThatTheDialogFits() {
        assertThat(browser.script("""
                const dialog = document.querySelector('dialog[open]');
                const { left, right } = dialog.getBoundingClientRect();
                return [...dialog.querySelectorAll('*')].filter((each) => {
                  const box = each.getBoundingClientRect();
                  return box.width && (box.left < left - 1 || box.right > right + 1);
                }).map((each) => each.outerHTML.slice(0, 100)).concat(right > innerWidth || left < 0 ? ['the dialog'] : []);""")).isEqualTo(List.of());
    }
}
