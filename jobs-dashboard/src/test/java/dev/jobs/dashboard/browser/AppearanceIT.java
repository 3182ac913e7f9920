package dev.jobs.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.JobCall;
import dev.jobs.recurring.Recurrence;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.Keys;

/** Light and dark, wide and narrow, keyboard only, other languages, small size. */
@BrowserTest
class AppearanceIT {

    private static final long FIRST_SCREEN_BYTES = 105_000;

    /** The part of a key that names the minute of its metrics. */
    private static final DateTimeFormatter UTC_MINUTE =
            DateTimeFormatter.ofPattern("yyMMdd|H:mm", Locale.ROOT).withZone(ZoneOffset.UTC);

    private final TestShop shop;
    private final Browser browser;

    AppearanceIT(TestShop shop, Browser browser) {
        this.shop = shop;
        this.browser = browser;
    }

    @Test
    void theFirstScreenIsSmall() {
        browser.command("Network.clearBrowserCache", Map.of());
        browser.open(shop.page(""));
        browser.see(".chart svg");
        browser.see(".connection", "Live");
        Browser.Traffic traffic = browser.traffic();
        assertThat(traffic.urls()).anyMatch(url -> url.endsWith("/app.css"));
        assertThat(traffic.bytes()).isBetween(10_000L, FIRST_SCREEN_BYTES);
    }

    @Test
    void laterVisitsLoadNoFileAnew() {
        browser.open(shop.page(""));
        browser.see(".connection", "Live");
        browser.open(shop.page("queues"));
        browser.see(".connection", "Live");
        browser.open(shop.page("queues?sort=size"));
        browser.see(".connection", "Live");
        Object loaded = browser.script("""
                return performance.getEntriesByType('resource')
                    .filter(({ name, transferSize }) => transferSize > 0 && !name.includes('/api/'))
                    .map(({ name }) => name.split('/').at(-1))""");
        assertThat(loaded).isEqualTo(List.of());
    }

    @Test
    void coloursFollowTheSystemUntilTheyAreSwitched() {
        browser.open(shop.page(""));
        browser.see("h1");
        assertThat(brightness()).isGreaterThan(200);
        browser.dark(true);
        await().until(() -> brightness() < 60);
        browser.press("Switch between light and dark");
        await().until(() -> brightness() > 200);
        browser.open(shop.page("queues"));
        browser.see("h1");
        assertThat(brightness()).as("remembered").isGreaterThan(200);
    }

    /** The brightness of the background, from 0 to 255. */
    private long brightness() {
        String colour = String.valueOf(browser.script("return getComputedStyle(document.body).backgroundColor"));
        return Long.parseLong(colour.replaceAll("\\D+", " ").trim().split(" ")[0]);
    }

    @Test
    void noLabelOfAChartIsCut() {
        String minute = UTC_MINUTE.format(Instant.now());
        shop.redis().opsForHash().putAll("j|" + minute, Map.of("Reports.monthly|p", "2", "Reports.monthly|ms", "900"));
        browser.open(shop.page("metric?job=Reports.monthly"));
        await().until(() -> browser.texts(".chart text").contains("500ms"));
        assertThat(browser.script("""
                        return [...document.querySelectorAll('.chart')].flatMap((chart) => [...chart.querySelectorAll('text')]
                            .map((text) => text.getBoundingClientRect().left - chart.getBoundingClientRect().left))
                            .every((distance) => distance >= 0);""")).isEqualTo(true);
        shop.redis().delete("j|" + minute);
    }

    @Test
    void minutesWithoutRunsAreGapsInAChart() {
        Instant now = Instant.now();
        List<String> minutes = Stream.of(5, 6, 20)
                .map(ago -> "j|" + UTC_MINUTE.format(now.minus(Duration.ofMinutes(ago))))
                .toList();
        minutes.forEach(minute -> shop.redis()
                .opsForHash()
                .putAll(
                        minute,
                        Map.of("Reports.monthly|p", "2", "Reports.monthly|f", "0", "Reports.monthly|ms", "900")));
        browser.open(shop.page("metric?job=Reports.monthly"));
        String line = String.valueOf(browser.see(".chart .line").getDomAttribute("d"));
        assertThat(line.split("M")).as(line).hasSize(3);
        shop.redis().delete(minutes);
    }

    @Test
    void theMenuOfAPhoneOpensAndCloses() {
        browser.size(360, 740, true);
        browser.open(shop.page(""));
        browser.press("Menu");
        browser.press("Retries");
        browser.see("h1", "Retries");
        browser.seeNo(".side.open");
        browser.press("Menu");
        browser.see(".side.open:focus");
        browser.keys(Keys.ESCAPE);
        browser.seeNo(".side.open");
    }

    @Test
    void theFrameAndTheTitleSayWhichSystemItIs() {
        browser.open(shop.page("queues"));
        browser.see(".side .system.orange", "shop");
        browser.see(".side .environment", "staging");
        await().untilAsserted(() ->
                assertThat(browser.script("return document.title")).isEqualTo("Queues · staging · shop · Jobs"));
        browser.size(390, 844, true);
        browser.see(".topbar .environment", "staging");
    }

    @Test
    void everythingIsReachedByKeys() {
        shop.put(
                "retry",
                shop.payload("Orders.ship", "mail", 1).failed("java.io.IOException", "reset"),
                Duration.ofHours(1));
        browser.open(shop.page("retries"));
        browser.button("Run now: all");
        browser.tab();
        assertThat(browser.focused()).isEqualTo("button Skip to the content");
        assertThat(browser.script("return getComputedStyle(document.activeElement).outlineStyle"))
                .isEqualTo("solid");
        browser.keys(Keys.ENTER);
        List<String> reached = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            browser.tab();
            reached.add(browser.focused());
        }
        assertThat(reached)
                .containsSubsequence(
                        "button Run now: all",
                        "button Reschedule: all",
                        "button Kill: all",
                        "button Delete: all",
                        "summary More filters",
                        "button Next",
                        "a Orders.ship",
                        "button Run now: Orders.ship",
                        "button Kill: Orders.ship");
    }

    /** A screen reader lists the buttons without their rows. */
    @ParameterizedTest
    @ValueSource(strings = {"queues", "retries", "failures", "recurring"})
    void buttonsOfDifferentRowsHaveDifferentNames(String page) {
        for (String name : List.of("Orders.ship", "Mails.welcome")) {
            shop.put(
                    "retry", shop.payload(name, "mail", 1).failed("java.io.IOException", "reset"), Duration.ofHours(1));
            shop.enqueue(shop.payload(name, name, 1));
        }
        shop.recurring()
                .save("Orders.ship", Recurrence.cron("0 3 * * *"), JobCall.named("Orders.ship", "4711", "slow"));
        shop.recurring()
                .save(
                        "Mails.welcome",
                        Recurrence.cron("0 3 * * *"),
                        JobCall.named("Mails.welcome", "ada@example.com", 1));
        browser.open(shop.page(page));
        browser.see("tbody tr", "Mails.welcome");
        assertThat(browser.script("return [...document.querySelectorAll('tbody button')].map(each => each.ariaLabel)"))
                .asInstanceOf(InstanceOfAssertFactories.LIST)
                .hasSizeGreaterThan(1)
                .doesNotHaveDuplicates();
    }

    @Test
    void aDialogKeepsTheFocusAndGivesItBack() {
        shop.put(
                "retry",
                shop.payload("Orders.ship", "mail", 1).failed("java.io.IOException", "reset"),
                Duration.ofHours(1));
        browser.open(shop.page("retries"));
        browser.button("Kill: all").sendKeys(Keys.ENTER);
        browser.see("dialog[open]");
        for (int i = 0; i < 6; i++) {
            assertThat(
                            browser.script(
                                    "return document.activeElement === document.body || !!document.activeElement.closest('dialog')"))
                    .isEqualTo(true);
            browser.tab();
        }
        browser.keys(Keys.ESCAPE);
        browser.seeNo("dialog[open]");
        assertThat(browser.focused()).isEqualTo("button Kill: all");
        assertThat(shop.set("retry")).hasSize(1);
    }

    @Test
    void languagesAreSwitchedAndRemembered() {
        browser.open(shop.page("retries"));
        browser.see(".empty", "Nothing to retry");
        browser.see(".side select").sendKeys("Deutsch");
        browser.see(".empty", "Nichts zu wiederholen");
        browser.open(shop.page("dead"));
        browser.see("h1", "Aufgegeben");
        assertThat(browser.script("return document.documentElement.lang")).isEqualTo("de");
        browser.see(".side select").sendKeys("Français");
        browser.see("h1", "Abandonnés");
    }

    @Test
    void timesAreRelativeAndExactOnHover() {
        shop.put(
                "retry",
                shop.payload("Orders.ship", "mail", 1).failed("java.io.IOException", "reset"),
                Duration.ofMinutes(125));
        browser.open(shop.page("retries"));
        assertThat(browser.see("tbody time", "in 2 hours").getDomAttribute("title"))
                .containsPattern("20\\d\\d at \\d");
    }

    @Test
    void timesAreExactOnRequest() {
        shop.put("dead", shop.payload("Orders.ship", "mail", 1), Duration.ofMinutes(-125));
        browser.open(shop.page("dead"));
        browser.see("tbody time", "2 hours ago");
        browser.see(".choice input").click();
        String exact = browser.see("tbody time", ", 20").getText();
        assertThat(exact).containsPattern(", 20\\d\\d, \\d+:\\d\\d:\\d\\d");
        browser.open(shop.page("dead"));
        browser.see("tbody time", exact);
        assertThat(browser.see("tbody time").getDomAttribute("title")).isEqualTo("2 hours ago");
    }

    @Test
    void messagesOfTheServerAreTranslated() {
        shop.put("dead", shop.payload("Reports.vetoed", "mail", 1), Duration.ZERO);
        browser.open(shop.page("dead"));
        browser.see(".side select").sendKeys("Deutsch");
        browser.pressBeside("Reports.vetoed", "Wiederbeleben");
        browser.see(".toast", "Unverändert: 1 Job.");
        assertThat(browser.see(".toast", "Eine Middleware war dagegen.").getDomProperty("innerText"))
                .doesNotContainIgnoringCase("enqueued");
        browser.open(shop.page("job?place=dead&key=nothing"));
        assertThat(browser.see(".notice.error", "Der Server hat diese Anfrage nicht angenommen")
                        .getText())
                .doesNotContain("must");
        assertThat(browser.complaints()).allMatch(complaint -> complaint.contains("400"));
    }
}
