package dev.jobs.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.Keys;

/** Light and dark, wide and narrow, with keys alone, in other languages, in few bytes. */
@ExtendWith(Stage.class)
class LookIT {

    private static final long FIRST_SCREEN_BYTES = 100_000;

    private final Shop shop;
    private final Browser browser;

    LookIT(Shop shop, Browser browser) {
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

    /** Of the ground, from 0 to 255. */
    private long brightness() {
        String colour = String.valueOf(browser.script("return getComputedStyle(document.body).backgroundColor"));
        return Long.parseLong(colour.replaceAll("\\D+", " ").trim().split(" ")[0]);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "busy", "queues", "queue?name=mail", "scheduled", "retries", "dead", "failures", "trash"})
    void nothingIsTooWideForAPhone(String page) {
        String endless = "Endless".repeat(40);
        shop.enqueue(shop.payload(endless, "mail", endless));
        shop.put(
                "retry",
                shop.payload(endless, endless.toLowerCase(Locale.ROOT), 1).failed(endless, endless),
                Duration.ofHours(1));
        shop.put("schedule", shop.payload("Orders.ship", "mail", 1), Duration.ofHours(1));
        shop.put("dead", shop.payload(endless, "mail", endless).failed(endless, endless), Duration.ZERO);
        browser.size(360, 740, true);
        browser.open(shop.page(page));
        browser.see("main .card, main .empty");
        assertThat(overflow()).isZero();
        if (page.equals("dead")) {
            browser.see("tbody a").click();
            browser.see(".waiting");
            assertThat(overflow()).isZero();
        }
    }

    private long overflow() {
        return ((Number) browser.script("return Math.max(0, document.documentElement.scrollWidth - innerWidth)"))
                .longValue();
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
        browser.see(".side.open");
        browser.keys(Keys.ESCAPE);
        browser.seeNo(".side.open");
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
        for (int i = 0; i < 14; i++) {
            browser.tab();
            reached.add(browser.focused());
        }
        assertThat(reached)
                .containsSubsequence(
                        "button Run now: all",
                        "button Kill: all",
                        "button Delete: all",
                        "a Orders.ship",
                        "button Run now",
                        "button Kill");
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
}
