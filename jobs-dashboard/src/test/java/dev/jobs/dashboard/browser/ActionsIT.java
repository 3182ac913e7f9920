package dev.jobs.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.admin.ProcessInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every action on the pages and its effect in Redis. */
@BrowserTest
class ActionsIT {

    private final TestShop shop;
    private final Browser browser;

    ActionsIT(TestShop shop, Browser browser) {
        this.shop = shop;
        this.browser = browser;
    }

    @Test
    void aQueueIsPausedAndResumed() {
        shop.enqueue(shop.payload("Mails.welcome", "mail", 1));
        browser.open(shop.page("queues"));
        browser.pressBeside("mail", "Pause");
        browser.see("tbody tr .badge.warn", "paused");
        assertThat(shop.redis().opsForSet().members("paused")).containsExactly("mail");
        browser.open(shop.page("queue?name=mail"));
        browser.press("Resume");
        browser.button("Pause");
        assertThat(shop.redis().opsForSet().members("paused")).isEmpty();
    }

    @Test
    void aQueueIsClearedAfterAQuestionWithTheNumberOfJobsAndComesBack() {
        IntStream.range(0, 12).forEach(i -> shop.enqueue(shop.payload("Mails.welcome", "mail", i)));
        List<String> before = shop.queue("mail");
        browser.open(shop.page("queue?name=mail"));
        browser.press("Clear");
        browser.see("dialog[open]", "Clear: 12 jobs");
        browser.answer("Cancel");
        browser.seeNo("dialog[open]");
        assertThat(shop.queue("mail")).hasSize(12);
        browser.press("Clear");
        browser.answer("Clear");
        browser.see(".toast", "Deleted: 12 jobs");
        assertThat(shop.queue("mail")).isEmpty();
        browser.press("Undo");
        browser.see(".toast", "Restored: 12 jobs");
        assertThat(shop.queue("mail")).containsExactlyElementsOf(before);
    }

    @Test
    void aBrokenQueueIsCleared() {
        shop.redis().opsForSet().add("queues", "mail");
        shop.redis().opsForValue().set("queue:mail", "not a list");
        browser.open(shop.page("queue?name=mail"));
        browser.see(".notice.error", "doesn't hold a queue");
        browser.press("Clear");
        browser.see("dialog[open]", "doesn't hold jobs");
        browser.see("dialog[open]", "can't be undone");
        browser.answer("Clear");
        browser.see(".toast", "The queue mail was removed from the list");
        browser.see("h1", "Queues");
        assertThat(shop.redis().hasKey("queue:mail")).isFalse();
        // the page may have read the queue once more before it left
        assertThat(browser.complaints()).allMatch(complaint -> complaint.contains("404"));
    }

    @Test
    void anEmptyQueueIsTakenOffTheList() {
        shop.redis().opsForSet().add("queues", "mail");
        browser.open(shop.page("queue?name=mail"));
        browser.see(".empty", "This queue is empty");
        browser.press("Clear");
        browser.see("dialog[open]", "mail is empty");
        browser.answer("Clear");
        browser.see("h1", "Queues");
        assertThat(shop.redis().opsForSet().members("queues")).doesNotContain("mail");
        // the page may have read the queue once more before it left
        assertThat(browser.complaints()).allMatch(complaint -> complaint.contains("404"));
    }

    @Test
    void aQueueThatGrewBeyondTheTrashIsAskedForAnew() {
        shop.enqueue(shop.payload("Mails.welcome", "mail", 1));
        browser.open(shop.page("queue?name=mail"));
        browser.see("tbody tr");
        browser.press("Clear");
        browser.see("dialog[open]", "can be restored");
        String job = shop.payload("Mails.welcome", "mail", 2).stored();
        shop.redis().opsForList().leftPushAll("queue:mail", Collections.nCopies(10_000, job));
        browser.answer("Clear");
        browser.see("dialog[open]", "can't be undone");
        browser.see("dialog[open]", "Clear: 10,001 jobs");
        browser.see("dialog[open]", "Nothing was done yet");
        assertThat(shop.queue("mail")).hasSize(10_001);
        browser.answer("Clear");
        browser.see(".toast", "Deleted: 10,001 jobs");
        assertThat(shop.queue("mail")).isEmpty();
        assertThat(browser.complaints()).allMatch(complaint -> complaint.contains("409"));
    }

    @Test
    void selectedJobsStaySelectedWhileTheQueueMoves() {
        IntStream.range(0, 6).forEach(i -> shop.enqueue(shop.payload("Job.n" + i, "mail", i)));
        browser.open(shop.page("queue?name=mail"));
        browser.see("[aria-label='Select Job.n1']").click();
        browser.see("[aria-label='Select Job.n3']").click();
        browser.see(".selection", "2 selected");
        browser.hover("h1"); // otherwise the list would stand still
        shop.redis().opsForList().rightPop("queue:mail");
        browser.see("tbody tr:first-child", "Job.n1");
        browser.see(".selection", "2 selected");
        assertThat(browser.count("tbody input:checked")).isEqualTo(2);
        assertThat(browser.focused()).isEqualTo("input Select Job.n3");
        shop.redis().opsForList().rightPop("queue:mail");
        browser.see("tbody tr:first-child", "Job.n2");
        browser.see(".selection", "1 selected");
        browser.pressIn(".selection", "Delete");
        browser.see(".toast", "Deleted: 1 job.");
        assertThat(shop.queue("mail")).hasSize(3).noneMatch(job -> job.contains("Job.n3"));
    }

    @Test
    void oneJobOfAQueueIsDeletedAndComesBack() {
        shop.enqueue(shop.payload("Mails.welcome", "mail", 1));
        shop.enqueue(shop.payload("Orders.ship", "mail", 2));
        browser.open(shop.page("queue?name=mail"));
        browser.pressBeside("Orders.ship", "Delete");
        browser.see(".toast", "Deleted: 1 job.");
        assertThat(shop.queue("mail")).singleElement().asString().contains("Mails.welcome");
        browser.press("Undo");
        browser.see(".toast", "Restored: 1 job.");
        browser.see("tbody tr", "Orders.ship");
        assertThat(shop.queue("mail")).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource({"scheduled, schedule, Run now", "retries, retry, Run now", "dead, dead, Revive"})
    void aJobOfASetIsRunNow(String page, String set, String action) {
        shop.put(set, failed("Orders.ship"), Duration.ofHours(1));
        browser.open(shop.page(page));
        browser.pressBeside("Orders.ship", action);
        browser.see(".empty");
        assertThat(shop.set(set)).isEmpty();
        assertThat(shop.queue("mail")).singleElement().asString().contains("Orders.ship");
    }

    @ParameterizedTest
    @CsvSource({"scheduled, schedule", "retries, retry"})
    void aJobIsRescheduled(String page, String set) {
        shop.put(set, failed("Orders.ship"), Duration.ofHours(5));
        browser.open(shop.page(page));
        browser.pressBeside("Orders.ship", "Reschedule");
        browser.see("dialog[open] input");
        browser.answer("Reschedule");
        browser.see(".toast", "Rescheduled: 1 job.");
        browser.see("tbody tr", "minutes");
        double expected = Instant.now().plus(Duration.ofHours(1)).getEpochSecond();
        assertThat(shop.times(set)).singleElement().satisfies(at -> assertThat(at)
                .isBetween(expected - 60, expected + 60));
    }

    @ParameterizedTest
    @CsvSource({"scheduled, schedule", "retries, retry"})
    void aJobIsKilledAfterAQuestion(String page, String set) {
        shop.put(set, failed("Orders.ship"), Duration.ofHours(1));
        browser.open(shop.page(page));
        browser.pressBeside("Orders.ship", "Kill");
        browser.see("dialog[open]", "Kill: 1 job");
        browser.answer("Kill");
        browser.see(".toast", "Killed: 1 job.");
        assertThat(shop.set(set)).isEmpty();
        assertThat(shop.set("dead")).singleElement().asString().contains("Orders.ship");
    }

    @ParameterizedTest
    @CsvSource({"scheduled, schedule", "retries, retry", "dead, dead"})
    void aJobOfASetIsDeletedAndComesBackToItsTime(String page, String set) {
        shop.put(set, failed("Orders.ship"), Duration.ofHours(1));
        List<Double> before = shop.times(set);
        browser.open(shop.page(page));
        browser.pressBeside("Orders.ship", "Delete");
        browser.see(".empty");
        assertThat(shop.set(set)).isEmpty();
        browser.press("Undo");
        browser.see("tbody tr", "Orders.ship");
        assertThat(shop.times(set)).isEqualTo(before);
    }

    @Test
    void someJobsAreChosenAndDeleted() {
        IntStream.range(0, 5).forEach(i -> shop.put("dead", failed("Job.n" + i), Duration.ofMinutes(-i)));
        browser.open(shop.page("dead"));
        browser.see("tbody tr", "Job.n4");
        browser.see("[aria-label='Select Job.n1']").click();
        browser.see("[aria-label='Select Job.n3']").click();
        browser.see(".selection", "2 selected");
        browser.pressIn(".selection", "Delete");
        browser.see("dialog[open]", "Delete: 2 jobs");
        browser.answer("Delete");
        browser.see(".toast", "Deleted: 2 jobs.");
        browser.seeNo(".selection");
        assertThat(shop.set("dead")).hasSize(3).noneMatch(job -> job.contains("Job.n1") || job.contains("Job.n3"));
    }

    @Test
    void allThatMatchTheFiltersAreRunAndNoOthers() {
        IntStream.range(0, 40).forEach(i -> shop.put("retry", failed("Orders.ship"), Duration.ofHours(i + 1)));
        IntStream.range(0, 3).forEach(i -> shop.put("retry", failed("Mails.welcome"), Duration.ofHours(i + 1)));
        browser.open(shop.page("retries?job=Orders.ship"));
        browser.see("tbody tr", "Orders.ship");
        browser.see("[aria-label='Select all on this page']").click();
        browser.see(".selection", "25 selected");
        browser.press("Select all matching");
        browser.see(".selection", "All matching selected");
        browser.pressIn(".selection", "Run now");
        browser.see("dialog[open]", "Run now: 40 jobs");
        browser.answer("Run now");
        browser.see(".toast", "To be run: 40 jobs.");
        assertThat(shop.queue("mail")).hasSize(40);
        assertThat(shop.set("retry")).hasSize(3).allMatch(job -> job.contains("Mails.welcome"));
    }

    @Test
    void allOfASetAreKilled() {
        IntStream.range(0, 30).forEach(i -> shop.put("retry", failed("Orders.ship"), Duration.ofHours(i + 1)));
        browser.open(shop.page("retries"));
        browser.press("Kill: all");
        browser.see("dialog[open]", "Kill: 30 jobs");
        browser.answer("Kill");
        browser.see(".toast", "Killed: 30 jobs.");
        assertThat(shop.set("retry")).isEmpty();
        assertThat(shop.set("dead")).hasSize(30);
    }

    @Test
    void allThatMatchTheFiltersAreRescheduled() {
        IntStream.range(0, 30).forEach(i -> shop.put("retry", failed("Orders.ship"), Duration.ofHours(i + 5)));
        shop.put("retry", failed("Mails.welcome"), Duration.ofHours(5));
        browser.open(shop.page("retries?job=Orders.ship"));
        browser.press("Reschedule: all matching");
        browser.see("dialog[open]", "Reschedule: 30 jobs");
        browser.answer("Reschedule");
        browser.see(".toast", "Rescheduled: 30 jobs.");
        double soon = Instant.now().plus(Duration.ofHours(2)).getEpochSecond();
        assertThat(shop.times("retry")).filteredOn(at -> at < soon).hasSize(30);
        assertThat(shop.times("retry")).filteredOn(at -> at > soon).hasSize(1);
    }

    @Test
    void deletionsBeforeTheConnectionBrokeCanStillBeUndone() {
        IntStream.range(0, 3).forEach(i -> shop.put("dead", failed("Orders.ship"), Duration.ofMinutes(-i)));
        browser.open(shop.page("dead"));
        browser.button("Delete: all");
        browser.script("""
                const real = window.fetch;
                let asked = 0;
                window.fetch = async (url, options) => {
                  if (!url.startsWith('api/jobs/delete')) return real(url, options);
                  if (asked++) throw new TypeError('cut');
                  const answer = await (await real(url, options)).json();
                  return new Response(JSON.stringify({ ...answer, cursor: 'there is more' }));
                };""");
        browser.press("Delete: all");
        browser.answer("Delete");
        browser.see(".toast", "Not everything was done: The application can't be reached");
        browser.see(".toast", "Deleted: 3 jobs.");
        assertThat(shop.set("dead")).isEmpty();
        browser.press("Undo");
        browser.see(".toast", "Restored: 3 jobs.");
        assertThat(shop.set("dead")).hasSize(3);
    }

    @Test
    void aNewSessionNeedsNoReload() {
        shop.put("dead", failed("Orders.ship"), Duration.ZERO);
        browser.open(shop.page("dead"));
        browser.see("tbody tr", "Orders.ship");
        browser.forgetSession(); // the token is invalid without it
        browser.pressBeside("Orders.ship", "Delete");
        browser.see(".toast", "Deleted: 1 job.");
        assertThat(shop.set("dead")).isEmpty();
        assertThat(browser.complaints()).allMatch(complaint -> complaint.contains("403"));
    }

    @Test
    void aGroupOfFailuresIsDeletedAndComesBack() {
        IntStream.range(0, 3).forEach(i -> shop.put("retry", failed("Orders.ship"), Duration.ofHours(1)));
        shop.put("retry", failed("Mails.welcome"), Duration.ofHours(1));
        browser.open(shop.page("failures"));
        browser.pressBeside("Orders.ship", "Delete");
        browser.see("dialog[open]", "Delete: 3 jobs");
        browser.answer("Delete");
        browser.see(".toast", "Deleted: 3 jobs.");
        assertThat(shop.set("retry")).singleElement().asString().contains("Mails.welcome");
        browser.press("Undo");
        await().until(() -> shop.set("retry").size() == 4);
    }

    @Test
    void aJobIsActedOnFromItsOwnPage() {
        shop.put("retry", failed("Orders.ship"), Duration.ofHours(1));
        browser.open(shop.page("retries"));
        browser.press("Orders.ship");
        browser.see(".waiting");
        browser.press("Run now");
        browser.see("h1", "This job is no longer here");
        assertThat(shop.queue("mail")).hasSize(1);
        browser.press("Queue mail");
        browser.see(".waiting", "No live worker serves its queue mail");
    }

    @Test
    void jobsInTheTrashAreRestored() {
        shop.put("dead", failed("Orders.ship"), Duration.ZERO);
        browser.open(shop.page("dead"));
        browser.pressBeside("Orders.ship", "Delete");
        browser.see(".empty");
        browser.press("Trash");
        browser.see("tbody tr", "Orders.ship");
        browser.press("Restore");
        browser.see(".empty", "The trash is empty");
        assertThat(shop.set("dead")).hasSize(1);
    }

    @Test
    void jobsDeletedTogetherAreRestoredTogether() {
        IntStream.range(0, 3).forEach(i -> shop.put("dead", failed("Orders.ship"), Duration.ofMinutes(-i)));
        shop.put("retry", failed("Mails.welcome"), Duration.ofHours(1));
        browser.open(shop.page("retries"));
        browser.pressBeside("Mails.welcome", "Delete");
        browser.see(".empty");
        browser.open(shop.page("dead"));
        browser.press("Delete: all");
        browser.answer("Delete");
        browser.see(".empty");
        browser.open(shop.page("trash"));
        browser.see(".batch", "Deleted together");
        assertThat(browser.count(".batch")).isEqualTo(1);
        browser.press("Restore together");
        browser.see(".toast", "Restored: 3 jobs.");
        await().until(() -> browser.texts("tbody .name").equals(List.of("Mails.welcome")));
        assertThat(shop.set("dead")).hasSize(3);
    }

    @Test
    void theTrashIsEmptiedAfterAQuestion() {
        shop.put("dead", failed("Orders.ship"), Duration.ZERO);
        browser.open(shop.page("dead"));
        browser.pressBeside("Orders.ship", "Delete");
        browser.see(".empty");
        browser.open(shop.page("trash"));
        browser.press("Empty the trash");
        browser.see("dialog[open]", "Empty the trash: 1 job");
        browser.answer("Empty the trash");
        browser.see(".empty", "The trash is empty");
        assertThat(shop.set("dead")).isEmpty();
    }

    /** The second press hits what is behind the dialog, where a single press closes it. */
    @Test
    void aDoublePressLeavesTheQuestionOpen() {
        shop.enqueue(shop.payload("Mails.welcome", "mail", 1));
        browser.open(shop.page("queue?name=mail"));
        browser.pressTwice("Clear");
        browser.see("dialog[open]", "Clear: 1 job");
        browser.answer("Cancel");
        browser.seeNo("dialog[open]");
    }

    @Test
    void aProcessIsQuietedAndStopped() {
        String identity = shop.process(1, 0);
        browser.open(shop.page("busy"));
        browser.pressBeside("elsewhere:1", "Quiet");
        browser.answer("Quiet");
        await().until(() -> signals(identity).contains("TSTP"));
        browser.pressBeside("elsewhere:1", "Stop");
        browser.see("dialog[open]", "Stop elsewhere:1");
        browser.see("dialog[open]", "0 jobs");
        browser.answer("Stop");
        await().until(() -> signals(identity).contains("TERM"));
    }

    @Test
    void aRunningJobIsCancelledAfterAQuestion() {
        shop.gate().shut();
        String jid = shop.jobs().enqueue("Gate.pass", "ann");
        browser.open(shop.page("busy"));
        browser.pressBeside("Gate.pass", "Cancel job");
        browser.see("dialog[open]", "The job hears of it within two seconds");
        browser.answer("Cancel");
        browser.seeNo("dialog[open]");
        assertThat(shop.redis().opsForZSet().score("jobs:cancelled", String.valueOf(jid)))
                .isNull();
        browser.pressBeside("Gate.pass", "Cancel job");
        browser.answer("Cancel job");
        browser.see(".toast", "Gate.pass");
        await("interrupted")
                .until(() -> shop.admin().processes().all().stream().noneMatch(process -> process.busy() > 0));
        assertThat(shop.set("retry")).as("it is not retried").isEmpty();
        shop.gate().open();
    }

    /** Our own process has to survive for the next test: requests are recorded but not sent. */
    @Test
    void allProcessesAreSignalledAtOnce() {
        shop.process(1, 2);
        shop.process(2, 3);
        await("our own process without the jobs of earlier tests").until(() -> {
            List<ProcessInfo> processes = shop.admin().processes().all();
            return processes.size() == 3
                    && processes.stream().mapToLong(ProcessInfo::busy).sum() == 5;
        });
        browser.open(shop.page("busy"));
        browser.see("tbody tr", "elsewhere:2");
        browser.script("""
                const real = window.fetch;
                window.told = [];
                window.fetch = (url, options) => {
                  if (!url.startsWith('api/processes/')) return real(url, options);
                  window.told.push(url);
                  return Promise.resolve(new Response('{"told":3}'));
                };""");
        browser.press("Quiet all");
        browser.see("dialog[open]", "3 processes");
        browser.see("dialog[open]", "5 jobs");
        browser.answer("Cancel");
        browser.seeNo("dialog[open]");
        browser.press("Stop all");
        browser.see("dialog[open]", "Stop all: 3 processes");
        browser.see("dialog[open]", "5 jobs");
        browser.answer("Stop all");
        browser.see(".toast", "Told to stop: 3 processes.");
        assertThat(browser.script("return window.told.join()")).isEqualTo("api/processes/stop");
    }

    private List<String> signals(String identity) {
        List<String> signals = shop.redis().opsForList().range(identity + "-signals", 0, -1);
        return signals == null ? List.of() : signals;
    }

    private TestShop.Payload failed(String name) {
        return shop.payload(name, "mail", 1).failed("java.io.IOException", "Connection reset");
    }
}
