package dev.jobs.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;

/** The link in the log, in a browser. */
@BrowserTest
class LinkPageIT {

    @AutoClose
    private static final TestShop shop = new TestShop(WebApplicationType.SERVLET);

    private final Browser browser;

    LinkPageIT(Browser browser) {
        this.browser = browser;
    }

    @BeforeEach
    void forget() {
        int port = URI.create(shop.page("")).getPort();
        browser.command("Network.deleteCookies", Map.of("name", "jobs-token-" + port, "url", shop.page("")));
    }

    /** A page of another site with a link to an address. */
    private void follow(String address) {
        browser.open("data:text/html,<a href='" + address + "'>Go</a>");
        browser.press("Go");
    }

    @Test
    void theTokenIsNeitherInTheAddressNorWithinReachOfScripts() {
        browser.open(shop.link());

        browser.see(".connection", "Live");
        assertThat(browser.address()).isEqualTo(shop.page(""));
        assertThat(browser.script("return document.cookie")).isEqualTo("");
    }

    @Test
    void theLinkWorksFromAnotherSiteAndSoDoesEveryAddressAfterIt() {
        follow(shop.link());
        browser.see(".connection", "Live");
        assertThat(browser.address()).isEqualTo(shop.page(""));

        follow(shop.page("queues"));
        browser.see("h1", "Queues");
    }

    @Test
    void withoutItThereIsASentenceThatNamesIt() {
        browser.open(shop.page("queues"));
        assertThat(browser.script("return document.body.innerText").toString())
                .contains("have opened the link which the application logs at its start");

        follow(shop.page("queues"));
        browser.see("body", "have opened the link");
        onlyRefusals();
    }

    private void onlyRefusals() {
        assertThat(browser.complaints()).allMatch(complaint -> complaint.contains("status of 403"));
    }

    /** As after a restart, which makes another token. */
    @Test
    void anOpenPageAsksForTheLinkOnceItsTokenIsOld() {
        browser.open(shop.link());
        browser.see(".connection", "Live");
        forget();
        browser.script("document.dispatchEvent(new Event('visibilitychange'))"); // reopens the stream
        browser.see(".connection", "Open the link in the application's log again");
        browser.press("Dead");
        browser.press("Try again");
        browser.see("body", "have opened the link");
        onlyRefusals();
    }
}
