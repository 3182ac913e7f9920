package dev.jobs.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** The pages in another browser than Chromium. */
@FirefoxTest
class FirefoxIT {

    @TempDir(cleanup = CleanupMode.ALWAYS)
    static Path profile;

    private static @Nullable Firefox started;
    private static @Nullable TestShop opened;

    private final Firefox firefox;
    private final TestShop shop;
    private @Nullable FullShop full;

    FirefoxIT() {
        firefox = Objects.requireNonNull(started);
        shop = Objects.requireNonNull(opened);
    }

    @BeforeAll
    static void start() {
        started = Firefox.start(profile);
        opened = new TestShop();
        started.open(opened.link());
    }

    @AfterAll
    static void stop() {
        if (started != null) {
            started.close();
        }
        if (opened != null) {
            opened.close();
        }
    }

    @BeforeEach
    void empty() {
        shop.empty();
        firefox.size(1280, 900);
    }

    @AfterEach
    void nothingIsWrong() {
        if (full != null) {
            full.close();
        }
        assertThat(firefox.complaints()).isEmpty();
        assertThat(firefox.requests())
                .noneMatch(url -> url.matches("(https?|wss?):.*") && !url.startsWith("http://127.0.0.1:"));
    }

    @TestFactory
    Stream<DynamicTest> everyPageShowsItsData() {
        FullShop shown = new FullShop(shop);
        full = shown;
        return Stream.of(Visit.values())
                .filter(visit -> !visit.isBehindAButton())
                .map(visit -> DynamicTest.dynamicTest(visit.name(), () -> {
                    firefox.open(shown.address(visit));
                    firefox.see("h1", "");
                    firefox.see(visit.landmark(), "");
                    firefox.seeNo(".loading");
                }));
    }

    @Test
    void numbersAndRowsArriveWithoutReload() {
        firefox.open(shop.page("queues"));
        firefox.see(".connection", "Live");
        firefox.script("window.notReloaded = true");
        shop.enqueue(shop.payload("Mails.welcome", "mail", 1));
        firefox.see("nav a[href=queues] .count", "1");
        firefox.see("tbody tr", "mail");
        assertThat(firefox.script("window.notReloaded").asBoolean(false)).isTrue();
    }

    @Test
    void aJobIsDeletedAndComesBack() {
        shop.put("dead", shop.payload("Orders.ship", "mail", 1), Duration.ZERO);
        List<String> before = shop.set("dead");
        firefox.open(shop.page("dead"));
        firefox.see("tbody tr", "Orders.ship");
        firefox.press("tbody button", "Delete: Orders.ship");
        firefox.see(".empty", "");
        assertThat(shop.set("dead")).isEmpty();
        firefox.press(".toast button", "Undo");
        firefox.see("tbody tr", "Orders.ship");
        assertThat(shop.set("dead")).isEqualTo(before);
    }

    /** The cookie goes with no request that another site leads to, so the page is asked for once more. */
    @Test
    void aLinkOfAnotherSiteLeadsIn() {
        firefox.open("data:text/html,<a href='" + shop.page("queues") + "'>Go</a>");
        firefox.press("a", "Go");
        firefox.see("h1", "Queues");
        firefox.see(".connection", "Live");
    }

    @Test
    void coloursFollowTheSystemUntilTheyAreSwitched() {
        firefox.open(shop.page("queues"));
        firefox.see("h1", "Queues");
        assertThat(brightness()).as("the system is dark").isLessThan(60);
        firefox.press("button", "Switch between light and dark");
        await().until(() -> brightness() > 200);
        firefox.open(shop.page("dead"));
        firefox.see("h1", "Dead");
        assertThat(brightness()).as("remembered").isGreaterThan(200);
        firefox.script("localStorage.clear()");
    }

    /** The brightness of the background, from 0 to 255. */
    private long brightness() {
        String colour = firefox.script("getComputedStyle(document.body).backgroundColor")
                .asString();
        return Long.parseLong(colour.replaceAll("\\D+", " ").trim().split(" ")[0]);
    }
}
