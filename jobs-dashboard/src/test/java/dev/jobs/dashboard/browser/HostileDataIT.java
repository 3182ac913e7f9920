package dev.jobs.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Foreign data in Redis is shown as it is and does no harm. */
@BrowserTest
class HostileDataIT {

    private static final String SCRIPT =
            "<script>window.harmed = true</script><img src=x onerror='window.harmed = true'>\"'`{0}${1}&amp;";

    private final TestShop shop;
    private final Browser browser;

    HostileDataIT(TestShop shop, Browser browser) {
        this.shop = shop;
        this.browser = browser;
    }

    @AfterEach
    void nothingHasHappened() {
        assertThat(browser.script("return window.harmed ?? null")).isNull();
        assertThat(browser.count("main script, main img, dialog script, dialog img"))
                .isZero();
    }

    @Test
    void markupIsText() {
        TestShop.Payload job =
                shop.payload(SCRIPT, SCRIPT, SCRIPT, Map.of(SCRIPT, SCRIPT)).failed(SCRIPT, SCRIPT);
        shop.put("retry", job, Duration.ofHours(1));
        shop.put("dead", job.with(Map.of("tags", List.of(SCRIPT), SCRIPT, SCRIPT)), Duration.ZERO);
        shop.enqueue(job);
        for (String page : List.of("", "queues", "retries", "dead", "failures")) {
            browser.open(shop.page(page));
            browser.see("table", page.isEmpty() || page.equals("queues") ? SCRIPT : "<script>window.harmed");
            nothingHasHappened();
        }
        browser.open(shop.page("dead"));
        browser.press(SCRIPT);
        browser.see("h1", SCRIPT);
        browser.see(".arguments", "<script>window.harmed");
        browser.open(shop.page("queues"));
        browser.pressBeside("<script>", "Pause");
        browser.see(".toast", SCRIPT);
    }

    @Test
    void aQueueMayHaveAnyName() {
        shop.enqueue(shop.payload("Orders.ship", "a/b é", 1));
        browser.open(shop.page("queues"));
        browser.press("a/b é");
        browser.see("h1", "a/b é");
        browser.pressBeside("Orders.ship", "Delete");
        browser.see(".empty", "This queue is empty");
        assertThat(shop.queue("a/b é")).isEmpty();
        browser.press("Undo");
        browser.press("Orders.ship");
        browser.see(".waiting", "a/b é");
    }

    @Test
    void aHugeArgumentIsCutUntilAllOfItIsWanted() {
        shop.put(
                "dead",
                shop.payload("Orders.ship", "mail", "x".repeat(1_000_000) + "the end")
                        .failed("E", "m"),
                Duration.ZERO);
        browser.open(shop.page("dead"));
        browser.see("tbody tr", "Orders.ship");
        assertThat(browser.see("tbody .args").getText().length()).isLessThan(400);
        browser.press("Orders.ship");
        browser.see("h1", "Orders.ship");
        assertThat(browser.texts(".arguments code").get(0).length()).isLessThan(3_000);
        browser.see(".card header .button", "Show all").click();
        await().until(() -> browser.texts(".arguments code").get(0).length() > 1_000_000);
        assertThat(browser.texts(".arguments code").get(0)).endsWith("the end\"");
    }

    @Test
    void argumentsShownInFullAreReadOnce() {
        shop.put("dead", shop.payload("Orders.ship", "mail", "x".repeat(100_000)), Duration.ZERO);
        browser.open(shop.page("dead"));
        browser.press("Orders.ship");
        browser.see(".card header .button", "Show all").click();
        await().until(() -> browser.texts(".arguments code").get(0).length() > 100_000);
        for (int jobs = 1; jobs < 4; jobs++) { // each is a server push that the page received
            shop.enqueue(shop.payload("Mails.welcome", "mail", jobs));
            browser.see("nav a[href=queues] .count", String.valueOf(jobs));
        }
        assertThat(browser.traffic().urls())
                .filteredOn(url -> url.contains("full=true"))
                .hasSize(1);
        browser.press("Show less");
        await().until(() -> browser.texts(".arguments code").get(0).length() < 3_000);
    }

    @Test
    void anEntryThatIsNoJobIsShownAsItIs() {
        for (String text :
                List.of("no json at all <b>", "[1,2", "{}", "\"text\"", "{\"class\":7,\"args\":{},\"jid\":null}")) {
            shop.redis().opsForZSet().add("dead", text, Instant.now().getEpochSecond());
            shop.redis().opsForList().leftPush("queue:mail", text);
        }
        shop.redis().opsForSet().add("queues", "mail");
        browser.open(shop.page("queue?name=mail"));
        browser.see("tbody tr", "no json at all <b>");
        browser.open(shop.page("dead"));
        browser.pressBeside("no json at all <b>", "Not a readable job");
        browser.see(".badge.bad", "Not a readable job");
        browser.see("pre", "no json at all <b>");
        browser.press("Delete");
        browser.see("h1", "This job is no longer here");
        assertThat(shop.set("dead")).hasSize(4);
    }

    @Test
    void aKeyOfAnotherTypeIsReportedAndBreaksNothing() {
        shop.redis().opsForSet().add("queues", "mail");
        shop.redis().opsForValue().set("queue:mail", "not a list");
        browser.open(shop.page("queues"));
        browser.see("tbody .badge.bad", "not a queue");
    }
}
