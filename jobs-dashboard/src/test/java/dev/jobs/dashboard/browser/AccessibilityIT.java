package dev.jobs.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.proof.Requires;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** What axe finds on every page: nothing, light and dark, on a screen and on a phone. */
@BrowserTest
@Requires(check = "test -e node_modules/axe-core/axe.min.js", install = "npm ci --prefix jobs-dashboard")
class AccessibilityIT {

    private final TestShop shop;
    private final Browser browser;
    private final Axe axe = Axe.installed();

    AccessibilityIT(TestShop shop, Browser browser) {
        this.shop = shop;
        this.browser = browser;
    }

    private FullShop full;

    @TestFactory
    Stream<DynamicTest> axeFindsNothing() {
        full = new FullShop(shop);
        return Stream.of(Visit.values()).map(visit -> DynamicTest.dynamicTest(visit.name(), () -> visit(visit)));
    }

    private void visit(Visit visit) {
        browser.size(1280, 900, false);
        visit.open(full, browser);
        axe.enter(browser);
        for (boolean phone : new boolean[] {false, true}) {
            browser.size(phone ? 360 : 1280, 900, phone);
            findsNothing(phone ? " on a phone" : " on a screen");
        }
    }

    private void findsNothing(String where) {
        for (boolean dark : new boolean[] {false, true}) {
            browser.dark(dark);
            browser.script("document.getAnimations().forEach((each) => each.finish())"); // no colour is on its way
            assertThat(axe.findings(browser))
                    .as((dark ? "dark" : "light") + where)
                    .isEmpty();
        }
        browser.dark(false);
    }

    @Test
    void axeFindsNothingInTheMenuOfAPhoneAndInAnEmptyShop() {
        full = new FullShop(shop);
        browser.size(360, 740, true);
        browser.open(shop.page("queues?sort=size"));
        browser.see("tbody tr");
        axe.enter(browser);
        browser.press("Menu");
        browser.see(".side.open:focus");
        findsNothing(" with the menu");
        full.close();
        shop.empty();
        browser.size(1280, 900, false);
        for (String page :
                new String[] {"", "busy", "queues", "retries", "limits", "trash", "history", "batch?id=00"}) {
            browser.open(shop.page(page));
            browser.see("h1");
            browser.seeNo(".loading");
            axe.enter(browser);
            findsNothing(" of an empty shop: " + page);
        }
        browser.open(shop.page("queues")); // the page of the missing batch asks for it again and again
        browser.see("h1", "Queues");
        assertThat(browser.complaints()).allMatch(complaint -> complaint.contains("404"));
    }

    @Test
    void axeFindsWhatIsWrong() {
        browser.open(shop.page("queues"));
        browser.see(".empty");
        axe.enter(browser);
        browser.script("document.querySelector('main h1').style.color = '#ccc'");
        assertThat(axe.findings(browser)).singleElement().asString().startsWith("color-contrast");
    }

    @AfterEach
    void empty() {
        if (full != null) {
            full.close();
        }
    }
}
