package dev.jobs.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.embeddedredis.EmbeddedRedis;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;
import org.springframework.boot.WebApplicationType;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/** The way from one installation to another. */
@BrowserTest
class InstallationsPageIT {

    @AutoClose
    private static final EmbeddedRedis abroad = EmbeddedRedis.start();

    @AutoClose
    private static final TestShop shop = new TestShop(
            WebApplicationType.SERVLET,
            "--jobs.dashboard.installations.eu.redis.url=" + abroad.uri(),
            "--jobs.dashboard.installations.eu.system.name=Shop " + "of Europe".repeat(3),
            "--jobs.dashboard.installations.eu.system.environment=production",
            "--jobs.dashboard.installations.eu.system.colour=red",
            "--jobs.dashboard.installations.away.redis.url=redis://localhost:1");

    @AutoClose("destroy")
    private static final LettuceConnectionFactory connections =
            new LettuceConnectionFactory(new RedisStandaloneConfiguration(abroad.host(), abroad.port()));

    private final Browser browser;

    InstallationsPageIT(Browser browser) {
        this.browser = browser;
    }

    @BeforeAll
    static void connect() {
        connections.afterPropertiesSet();
        connections.start();
    }

    /** A job here, and two there. */
    @BeforeEach
    void enqueue() {
        browser.open(shop.link());
        shop.empty();
        StringRedisTemplate eu = new StringRedisTemplate(connections);
        eu.delete("queue:abroad");
        eu.opsForSet().add("queues", "abroad");
        for (int i = 0; i < 2; i++) {
            eu.opsForList()
                    .leftPush(
                            "queue:abroad",
                            shop.payload("Abroad.greet", "abroad", i).stored());
        }
        shop.enqueue(shop.payload("Mails.welcome", "mail", "bob@example.com", 5));
    }

    private void focusSwitch() {
        browser.see(".side .switch > button");
        browser.script("document.querySelector('.side .switch > button').focus()");
    }

    private Object title() {
        return browser.script("return document.title");
    }

    @Test
    void theKeyboardLeadsToTheSamePageOfTheOther() {
        browser.open(shop.page("queue?name=mail"));
        browser.see("tbody tr", "Mails.welcome");
        browser.seeNo(".switch ul");
        focusSwitch();
        assertThat(browser.focused()).contains("shop", "staging");
        assertThat(browser.see(".switch > button").getDomAttribute("aria-expanded"))
                .isEqualTo("false");
        browser.keys(Keys.ENTER);
        browser.see(".switch ul");
        assertThat(browser.see(".switch > button").getDomAttribute("aria-expanded"))
                .isEqualTo("true");
        assertThat(browser.texts(".switch a[aria-current=true]"))
                .singleElement()
                .asString()
                .contains("shop");
        browser.tab();
        browser.tab();
        assertThat(browser.focused()).contains("of Europe", "production");

        browser.keys(Keys.ENTER);

        browser.see("tbody tr", "abroad");
        assertThat(browser.address()).endsWith("/shop/jobs/eu/queues");
        assertThat(browser.see(".side .switch > button").getText()).contains("of Europe", "production");
        assertThat(browser.see(".side .switch > button").getDomAttribute("class"))
                .contains("red");
        assertThat(title()).asString().startsWith("Queues · production · Shop of Europe");
        browser.see(".side nav .count", "2");
    }

    @Test
    void escapeClosesTheListAndKeepsTheFocus() {
        browser.open(shop.page(""));
        focusSwitch();
        browser.keys(Keys.ENTER);
        browser.see(".switch ul");
        browser.tab();

        browser.keys(Keys.ESCAPE);

        browser.seeNo(".switch ul");
        assertThat(browser.focused()).startsWith("button").contains("staging");
    }

    @Test
    void aDeepLinkKeepsTheInstallationAndSoDoItsLinks() {
        browser.open(shop.page("eu/queue?name=abroad"));
        browser.see("tbody tr", "Abroad.greet");
        assertThat(title()).asString().contains("production");
        browser.script("window.notReloaded = true");
        browser.press("Queues");
        browser.pressBeside("abroad", "Pause");
        browser.see("tbody tr .badge.warn", "paused");
        assertThat(browser.address()).endsWith("/shop/jobs/eu/queues");
        browser.pressBeside("abroad", "Resume");
        browser.seeNo("tbody tr .badge.warn");
        assertThat(browser.script("return window.notReloaded")).isEqualTo(true);
        assertThat(browser.texts(".side nav a")).noneMatch(text -> text.startsWith("History"));

        browser.press("Shop of Europeof Europeof Europe");
        browser.press("shop");

        browser.see("tbody tr", "mail");
        assertThat(browser.address()).endsWith("/shop/jobs/queues");
        assertThat(browser.texts(".side nav a")).anyMatch(text -> text.startsWith("History"));
        browser.script("history.back()");
        browser.see("tbody tr", "abroad");
    }

    @Test
    void oneThatIsAwaySaysSoAndTheOthersGoOn() {
        browser.open(shop.page("away/queues"));
        browser.see(".notice.error", "Redis can't be reached");
        browser.see(".connection", "Redis can't be reached");

        browser.press("away");
        browser.press("shop");

        browser.see(".connection", "Live");
        browser.see("tbody tr", "mail");
        assertThat(browser.complaints()).allMatch(complaint -> complaint.contains("503"));
    }

    @Test
    void aPhoneHasTheSwitchInItsMenu() {
        browser.size(360, 740, true);
        browser.open(shop.page("eu/"));
        browser.see(".topbar .system", "production");
        browser.press("Menu");
        browser.press("Shop of Europeof Europeof Europe");
        browser.see(".side .switch a", "away");
        assertThat(browser.script("return document.documentElement.scrollWidth - innerWidth"))
                .isEqualTo(0L);
        assertThat(browser.script("""
                const side = document.querySelector('.side').getBoundingClientRect();
                return [...document.querySelectorAll('.side .switch *')]
                    .filter((each) => each.getBoundingClientRect().right > side.right).length""")).isEqualTo(0L);
        browser.keys(Keys.ESCAPE);
        browser.seeNo(".switch ul");
        browser.see(".side.open");

        browser.press("Shop of Europeof Europeof Europe");
        browser.press("shop");

        browser.see(".topbar .system", "staging");
        assertThat(browser.address()).endsWith("/shop/jobs/");
    }

    @Test
    void withASingleInstallationThereIsNothingToSwitch(TestShop single) {
        browser.open(single.page(""));
        browser.see(".connection", "Live");
        browser.see(".side .system", "staging");

        assertThat(browser.count(".switch")).isZero();
    }
}
