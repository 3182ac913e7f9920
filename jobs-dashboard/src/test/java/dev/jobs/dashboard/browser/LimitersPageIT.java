package dev.jobs.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.limiters.Limiters.Kind;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** The page of limits: limiters. */
@BrowserTest
class LimitersPageIT {

    private final TestShop shop;
    private final Browser browser;

    LimitersPageIT(TestShop shop, Browser browser) {
        this.shop = shop;
        this.browser = browser;
    }

    @BeforeEach
    void use() {
        shop.limiters().window("warehouse", 2, Duration.ofHours(1)).run(() -> {});
        shop.limiters().bucket("letters", 8, Duration.ofDays(1)).run(() -> {});
    }

    @AfterEach
    void forget() {
        shop.admin().limiters().forget(Kind.WINDOW, "warehouse");
        shop.admin().limiters().forget(Kind.BUCKET, "letters");
    }

    @Test
    void limitersShowWhatIsUsedAndWhenThereIsRoom() {
        shop.limiters().window("warehouse", 2, Duration.ofHours(1)).run(() -> {});
        browser.open(shop.page("limits"));
        assertThat(browser.see("tbody tr", "letters").getText()).matches("(?s)letters.*1 of 8.*7.*now.*");
        assertThat(browser.see("tbody tr", "warehouse").getText())
                .matches("(?s)warehouse.*in any period.*2 of 2.*0.*\\d+m.*");
    }

    @Test
    void aLimiterIsFoundByItsName() {
        browser.open(shop.page("limits"));
        browser.type("input[name=limiter]", "warehouse");
        browser.see("tbody tr", "warehouse");
        browser.seeNo("tbody tr:nth-child(2)");
        assertThat(browser.address()).endsWith("limits?limiter=warehouse");
        browser.type("input[name=limiter]", "s");
        browser.see(".empty", "There is no limiter of this name");
    }

    @Test
    void aLimiterIsResizedAndReset() {
        browser.open(shop.page("limits"));
        browser.pressBeside("letters", "Change");
        browser.see("dialog[open]", "How large shall it be");
        browser.type("dialog[open] input", Keys.chord(Keys.CONTROL, "a") + "20");
        browser.answer("Change");
        browser.see(".toast", "letters allows 20 from now on");
        browser.see("tbody tr", "1 of 20");
        browser.pressBeside("letters", "Reset");
        browser.see(".toast", "letters has the size of the code again");
        browser.see("tbody tr", "1 of 8");
    }
}
