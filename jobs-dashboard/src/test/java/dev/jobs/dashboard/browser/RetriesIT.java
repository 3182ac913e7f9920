package dev.jobs.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which rule decides about a failed job, what comes, and what is called at last, on its page. */
@BrowserTest
class RetriesIT {

    private final TestShop shop;
    private final Browser browser;

    RetriesIT(TestShop shop, Browser browser) {
        this.shop = shop;
        this.browser = browser;
    }

    private void open(Map<String, Object> members) {
        TestShop.Payload job = shop.payload("Orders.ship", "mail", 17)
                .failed("java.io.IOException", "reset")
                .with(members);
        shop.put("retry", job, Duration.ofHours(1));
        browser.open(shop.page("retries"));
        browser.press("Orders.ship");
    }

    @Test
    void theRuleOfACallSaysWhenTheNextAttemptsCome() {
        open(Map.of("retry", 3, "retry_count", 0, "jobs_retry", Map.of("delay", 10, "multiplier", 2, "jitter", 5)));

        browser.see(".card", "Its call says when it is retried.");
        browser.see(".card", "If attempt 2 fails");
        browser.see(".card", "again after 10s to 30s");
        browser.see(".card", "again after 20s to 1m");
        browser.see(".card", "If attempt 4 fails");
        browser.see(".card", "it is given up");
    }

    @Test
    void theMethodThatIsCalledWhenItIsGivenUpIsOneOfItsFacts() {
        shop.put("retry", shop.payload("Mails.remind", "mail", "ada@example.org"), Duration.ofHours(1));
        browser.open(shop.page("retries"));
        browser.press("Mails.remind");

        browser.see(".facts", "Last word when it dies");
        browser.see(".facts", "Gate.notReminded");
    }

    @Test
    void anyOtherJobIsRetriedAsAllAre() {
        open(Map.of("retry", true, "retry_count", 0));

        browser.see(".card", "As for all jobs");
        browser.see(".card", "again after 16s to 35s");
        assertThat(browser.texts(".card")).noneMatch(text -> text.contains("it is given up"));
    }
}
