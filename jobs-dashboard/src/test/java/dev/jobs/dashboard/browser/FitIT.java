package dev.jobs.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** On every page at every width, whatever is shown: nothing sticks out of its card, its box, or the page. */
@BrowserTest
class FitIT {

    /** A phone, a screen, and what is between them: where tables fold and columns stand side by side or not. */
    private static final int[] WIDTHS = {360, 736, 768, 960, 1024, 1440};

    private final TestShop shop;
    private final Browser browser;

    FitIT(TestShop shop, Browser browser) {
        this.shop = shop;
        this.browser = browser;
    }

    private FullShop full;

    @TestFactory
    Stream<DynamicTest> everythingFits() {
        full = new FullShop(shop);
        return Stream.of(Visit.values()).map(visit -> DynamicTest.dynamicTest(visit.name(), () -> fits(visit)));
    }

    @AfterEach
    void empty() {
        full.close();
    }

    private void fits(Visit visit) {
        browser.size(1440, 900, false);
        visit.open(full, browser);
        fitsAtEveryWidth(visit, "English");
        if (!visit.isBehindAButton()) { // its words would have to be known
            browser.script("localStorage.setItem('jobs.language', 'de'); localStorage.setItem('jobs.times', 'exact')");
            visit.open(full, browser);
            fitsAtEveryWidth(visit, "German with exact times");
            browser.script("localStorage.clear()");
        }
    }

    private void fitsAtEveryWidth(Visit visit, String how) {
        for (int width : WIDTHS) {
            browser.size(width, 800, width < 700);
            await("%s in %s at %d px".formatted(visit, how, width))
                    .atMost(Duration.ofSeconds(20))
                    .untilAsserted(() -> assertThat(browser.script(StickingOut.SCRIPT, width))
                            .isEqualTo(List.of()));
        }
    }
}
