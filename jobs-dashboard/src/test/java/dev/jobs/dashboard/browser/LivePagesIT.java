package dev.jobs.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pages that update themselves. */
@BrowserTest
class LivePagesIT {

    private final TestShop shop;
    private final Browser browser;

    LivePagesIT(TestShop shop, Browser browser) {
        this.shop = shop;
        this.browser = browser;
    }

    @Test
    void numbersAndChartsMoveWithoutReload() {
        browser.open(shop.page(""));
        browser.see(".connection", "Live");
        browser.script("window.notReloaded = true");
        String path = path();
        IntStream.range(0, 7).forEach(i -> shop.enqueue(shop.payload("Mails.welcome", "mail", i)));
        browser.see("[data-tile=enqueued]", "7");
        browser.see(".table tr", "mail");
        IntStream.range(0, 500).forEach(i -> shop.jobs().enqueue("Gate.pass", "Alice"));
        await().until(() -> !path().equals(path));
        assertThat(browser.script("return window.notReloaded")).isEqualTo(true);
    }

    private String path() {
        return String.valueOf(browser.script("return document.querySelector('.chart .line')?.getAttribute('d')"));
    }

    /** The page knows the server's time to two seconds, and nothing was created in the future. */
    @Test
    void whatHasJustHappenedIsNotAhead() {
        browser.open(shop.page(""));
        browser.see(".connection", "Live");

        Object texts = browser.script("""
                return import(document.querySelector('script[src]').src.replace('app.js', 'i18n.js')).then(({ relative }) =>
                    [2000, 3000, 0, -1000].map((millis) => relative(millis, 0)).join());""");

        assertThat(texts).isEqualTo("now,in 3 seconds,now,1 second ago");
    }

    @Test
    void listsFollowWhatHappens() {
        browser.open(shop.page("retries"));
        browser.see(".empty", "Nothing to retry");
        browser.script("window.notReloaded = true");
        shop.put(
                "retry",
                shop.payload("Orders.ship", "mail", 1).failed("java.io.IOException", "reset"),
                Duration.ofHours(1));
        browser.see("tbody tr", "Orders.ship");
        shop.redis().delete(List.of("retry"));
        browser.see(".empty", "Nothing to retry");
        assertThat(browser.script("return window.notReloaded")).isEqualTo(true);
    }

    @ParameterizedTest
    @CsvSource({
        "scheduled, schedule, scheduled",
        "retries, retry, retries",
        "dead, dead, dead",
        "failures, retry, retries"
    })
    void listsFollowAlsoWhereTheNumberOfJobsStaysTheSame(String page, String set, String number) {
        shop.put(set, failed("Orders.ship"), Duration.ofHours(1));
        browser.open(shop.page(page));
        browser.see("tbody tr", "Orders.ship");
        browser.see("nav a[href=" + number + "] .count", "1");
        shop.enqueue(failed("Reports.monthly"));
        browser.see("nav a[href=queues] .count", "1"); // one push later: the list has been read again
        shop.put("others", failed("Mails.welcome"), Duration.ofHours(1));
        shop.redis().rename("others", set);
        browser.see("tbody tr", "Mails.welcome");
        assertThat(browser.count("tbody tr")).isEqualTo(1);
    }

    @Test
    void theTrashFollowsWhatOthersDelete() {
        shop.put("dead", failed("Orders.ship"), Duration.ZERO);
        browser.open(shop.page("trash"));
        browser.see(".empty", "The trash is empty");
        browser.script("""
                return fetch('api/session').then((answer) => answer.json()).then(({ csrf }) => fetch('api/jobs/delete', {
                  method: 'POST',
                  headers: { 'Content-Type': 'application/json', [csrf.header]: csrf.token },
                  body: JSON.stringify({ place: 'dead', matching: {} }),
                })).then(() => true);""");
        browser.see("tbody tr", "Orders.ship");
    }

    @Test
    void rowsStayUnderThePointer() {
        IntStream.range(0, 3).forEach(i -> dead("Job.n" + i, i));
        browser.open(shop.page("dead"));
        browser.see("tbody tr", "Job.n2");
        browser.hover("tbody tr:nth-child(2)");
        shop.redis().opsForZSet().removeRange("dead", 0, 0);
        dead("New.job", -1);
        browser.see(".changes", "Show 2 changes");
        assertThat(browser.texts("tbody .name")).containsExactly("Job.n0", "Job.n1", "Job.n2");
        browser.press("Show 2 changes");
        browser.see("tbody tr:first-child", "New.job");
        assertThat(browser.texts("tbody .name")).containsExactly("New.job", "Job.n0", "Job.n1");
        browser.seeNo(".changes");
        browser.hover("tbody tr:nth-child(2)");
        dead("Newer.job", -2);
        browser.see(".changes", "Show 1 change");
        browser.hover("h1");
        browser.see("tbody tr:first-child", "Newer.job");
        browser.seeNo(".changes");
    }

    @Test
    void rowsStayWhileTheKeyboardIsAmongThem() {
        dead("Job.n0", 0);
        browser.open(shop.page("dead"));
        browser.see("tbody tr", "Job.n0");
        browser.script("document.querySelector('thead input').focus()");
        browser.tab();
        assertThat(browser.focused()).isEqualTo("button Died");
        browser.tab();
        browser.tab();
        assertThat(browser.focused()).isEqualTo("a Job.n0");
        dead("New.job", -1);
        browser.see(".changes", "Show 1 change");
        assertThat(browser.texts("tbody .name")).containsExactly("Job.n0");
        browser.script("document.activeElement.blur()");
        browser.see("tbody tr:first-child", "New.job");
    }

    /** Such as its size, which tells nobody what is under the pointer. */
    @Test
    void rowsThatStayChangeTheirNumbers() {
        shop.enqueue(shop.payload("Mails.welcome", "mail", 1));
        browser.open(shop.page("queues"));
        browser.see("tbody tr", "mail");
        browser.hover("tbody tr");
        shop.enqueue(shop.payload("Mails.welcome", "mail", 2));
        shop.enqueue(shop.payload("Mails.welcome", "a", 2));
        browser.see(".changes", "Show 1 change");
        assertThat(browser.see("tbody tr").getText()).contains("mail", "2");
        assertThat(browser.texts("tbody .name")).doesNotContain("a");
    }

    private void dead(String name, int minutesAgo) {
        shop.put("dead", shop.payload(name, "mail", 1), Duration.ofMinutes(-minutesAgo));
    }

    private TestShop.Payload failed(String name) {
        return shop.payload(name, "mail", 1).failed("java.io.IOException", "reset");
    }

    /**
     * After a refused stream the page polls once and then asks for another; a user who returns to the page in between
     * has already opened one.
     */
    @Test
    void thereIsNeverASecondStream() {
        browser.open(shop.page("queues"));
        browser.see(".connection", "Live");
        Object open = browser.script("""
                const streams = [];
                window.EventSource = class {
                  static CLOSED = 2;
                  readyState = 1;
                  heard = {};
                  constructor() { streams.push(this); }
                  addEventListener(name, listener) { this.heard[name] = listener; }
                  close() { this.readyState = 2; }
                };
                const shown = () => document.dispatchEvent(new Event('visibilitychange'));
                const { setTimeout: later, fetch: real } = window;
                shown();
                let answer;
                window.fetch = () => new Promise((resolve) => { answer = resolve; });
                window.setTimeout = (run, _, ...values) => run(...values);
                streams[0].readyState = 2;
                streams[0].heard.error();
                window.setTimeout = later;
                window.fetch = real;
                shown();
                answer(new Response('{"live":{"at":0,"processedRate":null}}'));
                return new Promise((resolve) => setTimeout(resolve, 100))
                    .then(() => streams.filter((stream) => stream.readyState !== 2).length);""");
        assertThat(open).isEqualTo(1L);
    }

    /** Otherwise it would keep its user's session alive for ever. */
    @Test
    void aPageThatNobodyTouchesRests() {
        browser.open(shop.page("queues"));
        browser.see(".connection", "Live");
        browser.script("""
                return import(document.querySelector('script[src]').src.replace('app.js', 'live.js'))
                    .then(({ restAfter }) => restAfter(4_000))""");
        browser.see(".connection", "Paused until you touch this page");
        Object asked = browser.script("""
                const real = window.EventSource;
                let opened = 0;
                window.EventSource = function () { opened++; };
                document.dispatchEvent(new Event('visibilitychange'));
                window.EventSource = real;
                return opened;""");
        assertThat(asked).isEqualTo(0L);
        shop.enqueue(shop.payload("Mails.welcome", "mail", 1));
        browser.hover("h1");
        browser.see(".connection", "Live");
        browser.see("tbody tr", "mail");
    }

    @Test
    void aLostConnectionIsShownAndComesBack() {
        browser.open(shop.page("queues"));
        browser.see(".connection", "Live");
        browser.command("Network.clearBrowserCache", Map.of()); // otherwise it has the next page
        browser.offline(true);
        browser.script("document.dispatchEvent(new Event('visibilitychange'))"); // reopens the stream
        browser.see(".connection", "Connection lost");
        browser.press("Dead");
        browser.see(".notice.error", "can't be reached");
        browser.offline(false);
        browser.see(".connection", "Live");
        browser.press("Try again");
        browser.see("h1", "Dead");
        assertThat(browser.complaints()).allMatch(complaint -> complaint.contains("ERR_INTERNET_DISCONNECTED"));
    }
}
