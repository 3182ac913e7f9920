package dev.jobs.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.JobCall;
import dev.jobs.recurring.Recurrence;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** The page of recurring jobs and its actions. */
@BrowserTest
class RecurringPageIT {

    private static final Recurrence NIGHTLY = Recurrence.cron("0 3 * * * Europe/Berlin");

    private final TestShop shop;
    private final Browser browser;

    RecurringPageIT(TestShop shop, Browser browser) {
        this.shop = shop;
        this.browser = browser;
    }

    @Test
    void theyAreShownWithTheirDetails() {
        shop.recurring()
                .save(
                        "nightly",
                        NIGHTLY.queue("reports").description("What was sold"),
                        JobCall.named("Orders.ship", "4711", "express"));
        shop.recurring()
                .save("held", Recurrence.cron("*/5 * * * *"), JobCall.named("Mails.welcome", "bob@example.com", 1));
        shop.recurring().pause("held");
        shop.redis()
                .opsForHash()
                .putAll("cron_job:default:legacy", Map.of("name", "legacy", "cron", "every day", "klass", "A"));
        shop.redis().opsForSet().add("cron_jobs:default", "cron_job:default:legacy");
        browser.open(shop.page(""));
        browser.press("Recurring");
        browser.see("h1", "Recurring");
        assertThat(browser.see("tbody tr", "nightly").getText())
                .contains(
                        "reports",
                        "What was sold",
                        "Orders.ship [\"4711\",\"express\"]",
                        "0 3 * * * Europe/Berlin",
                        ":00")
                .doesNotContain("UTC", "paused", "not known here", "only Ruby");
        assertThat(browser.see("tbody tr", "held").getText())
                .contains("paused", "*/5 * * * * UTC")
                .doesNotContain(":0");
        Object zone = browser.script("return Intl.DateTimeFormat().resolvedOptions().timeZone");
        assertThat(browser.texts("th")).contains("Next (" + zone + ")");
        assertThat(browser.see("tbody tr", "legacy").getText())
                .contains("only Ruby can run it", "not known here", "every day");
    }

    @Test
    void oneIsPausedAndResumed() {
        shop.recurring().save("nightly", NIGHTLY, JobCall.named("Orders.ship", "4711", "express"));
        browser.open(shop.page("recurring"));
        browser.pressBeside("nightly", "Pause");
        browser.see(".toast", "nightly is paused");
        browser.see("tbody .badge.warn", "paused");
        assertThat(shop.redis().opsForHash().get("cron_job:default:nightly", "status"))
                .isEqualTo("disabled");
        browser.pressBeside("nightly", "Resume");
        browser.see(".toast", "nightly is resumed");
        browser.seeNo("tbody .badge.warn");
        assertThat(shop.redis().opsForHash().get("cron_job:default:nightly", "status"))
                .isEqualTo("enabled");
    }

    @Test
    void oneIsRunAndShowsItsHistory() {
        shop.recurring().save("nightly", NIGHTLY.queue("reports"), JobCall.named("Orders.ship", "4711", "express"));
        browser.open(shop.page("recurring"));
        browser.pressBeside("nightly", "History");
        browser.see("dialog[open]", "It hasn't run yet");
        browser.answer("Close");
        browser.seeNo("dialog[open]");
        browser.pressBeside("nightly", "Run now");
        browser.see(".toast", "nightly was enqueued");
        assertThat(shop.queue("reports")).singleElement().asString().contains("Orders.ship", "4711");
        browser.pressBeside("nightly", "History");
        browser.see(
                "dialog[open]",
                String.valueOf(shop.recurring().history("nightly").get(0).jid()));
    }

    @Test
    void oneThatAMiddlewareIsAgainstIsNotSaidToRun() {
        shop.recurring().save("against", NIGHTLY.queue("reports"), JobCall.named("Reports.vetoed"));
        browser.open(shop.page("recurring"));
        browser.pressBeside("against", "Run now");
        browser.see(".toast", "against was not enqueued: a middleware rejected it, or the last job has not ended");
        assertThat(shop.queue("reports")).isEmpty();
    }

    @Test
    void oneThatWasDeletedIsNotReportedAsPaused() {
        shop.recurring().save("nightly", NIGHTLY, JobCall.named("Orders.ship", "4711", "express"));
        browser.open(shop.page("recurring"));
        browser.see("tbody tr", "nightly");
        browser.holdWrites();
        browser.pressBeside("nightly", "Pause"); // while the row is there
        shop.recurring().delete("nightly");
        browser.releaseWrites();
        browser.see(".toast", "nightly is no longer there");
        browser.see(".empty", "There are no recurring jobs");
    }

    @Test
    void manyAreLeafedThrough() {
        IntStream.range(0, 130).forEach(i -> shop.recurring()
                .save("job-%03d".formatted(i), NIGHTLY, JobCall.named("Orders.ship", "" + i, "slow")));
        browser.open(shop.page("recurring"));
        browser.see("tbody tr", "job-099");
        browser.see(".pager", "1–100 of 130");
        browser.press("Next");
        browser.see("tbody tr", "job-129");
        assertThat(browser.address()).endsWith("recurring?from=100");
        await().until(() -> browser.count("tbody tr") == 30);
    }

    private void write(String name, String text) {
        browser.type("dialog[open] input[name=" + name + "]", Keys.chord(Keys.CONTROL, "a") + text);
    }

    @Test
    void oneIsMadeChangedAndDeletedAndEachIsTakenBack() {
        browser.open(shop.page("recurring"));
        browser.press("New recurring job");
        write("name", "morning");
        write("job", "Mails.welcome");
        browser.see("dialog[open] label", "visits");
        browser.see("dialog[open] fieldset input[type=text]:not([inputmode])").sendKeys("ann@example.com");
        browser.see("dialog[open] input[inputmode=numeric]").sendKeys("3");
        write("schedule", "0 25 * * *");
        browser.see("dialog[open] .bad", "its hour '25' is not 0 to 23");
        write("schedule", "0 6 * * *");
        browser.see("dialog[open] .times li");
        browser.see("dialog[open]", "it is in UTC");
        browser.answer("Save");
        browser.see(".toast", "morning was created");
        assertThat(browser.see("tbody tr", "morning").getText())
                .contains("0 6 * * * UTC", "Mails.welcome [\"ann@example.com\",3]");

        browser.pressBeside("morning", "Change");
        write("schedule", "0 7 * * * Europe/Berlin");
        browser.see("dialog[open] .times li");
        browser.answer("Save");
        browser.see(".toast", "morning was changed");
        browser.see("tbody tr", "0 7 * * * Europe/Berlin");
        browser.pressIn(".toast:last-child", "Undo"); // the others are still there
        browser.see(".toast", "morning is as it was");
        browser.see("tbody tr", "0 6 * * *");

        browser.pressBeside("morning", "Change");
        browser.see("dialog[open] .times li");
        browser.see("dialog[open] select[name=missed]").sendKeys("all");
        write("most-missed", "24");
        browser.see("dialog[open] select[name=overlap]").sendKeys("wait");
        browser.answer("Save");
        assertThat(browser.see("tbody tr", "Missed times").getText())
                .contains("Missed times: all (at most 24)", "If the last job has not ended: wait");
        browser.pressBeside("morning", "Change");
        write("schedule", "@delay 90s");
        browser.see("dialog[open] .times li");
        browser.seeNo("dialog[open] select[name=missed]");
        browser.answer("Save");
        browser.see("tbody tr", "@delay 1m30s");
        browser.pressIn(".toast:last-child", "Undo");
        browser.see("tbody tr", "Missed times: all (at most 24)");

        browser.pressBeside("morning", "Delete");
        browser.see(".toast", "morning was deleted");
        browser.see(".empty", "There are no recurring jobs");
        browser.pressIn(".toast:last-child", "Undo"); // the others are still there
        browser.see("tbody tr", "0 6 * * *");
        assertThat(shop.recurring().find("morning").orElseThrow().arguments()).isEqualTo("[\"ann@example.com\",3]");
        assertThat(browser.complaints())
                .as("the schedule that is none")
                .singleElement()
                .asString()
                .contains("400");
    }

    @Test
    void itSaysWhatStartsOfApplicationsChanged() {
        shop.recurring().save("nightly", NIGHTLY, JobCall.named("Orders.ship", "4711", "express"));
        shop.redis()
                .opsForList()
                .leftPush(
                        "jobs:declarations:default",
                        "{\"application\":\"shop\",\"at\":\"2026-11-21 05:21:11 UTC\",\"changes\":[[\"morning\",\"ADDED\",\"\"],[\"nightly\",\"CHANGED\",\"cron was '@daily'\"],[\"noon\",\"REMOVED\",\"\"]]}");
        browser.open(shop.page("recurring"));
        browser.see("h2", "Changed by starts of applications");
        assertThat(browser.see(".timeline", "shop").getText())
                .contains("morning is new", "nightly changed: cron was '@daily'", "noon was removed");
    }

    @Test
    void oneThatIsDeclaredSaysSo() {
        shop.recurring().save("nightly", NIGHTLY, JobCall.named("Orders.ship", "4711", "express"));
        shop.redis().opsForHash().put("cron_job:default:nightly", "jobs_declared_by", "shop");
        shop.redis().opsForHash().put("cron_job:default:nightly", "jobs_origin", "configuration");
        browser.open(shop.page("recurring"));
        browser.see("tbody tr .badge", "configuration");
        browser.pressBeside("nightly", "Change");
        browser.see("dialog[open] .notice.warn", "its next start takes the change back");
    }
}
