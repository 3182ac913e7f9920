package dev.jobs.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.dashboard.assembly.Things;
import dev.jobs.embeddedredis.EmbeddedRedis;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** The page of a feature that the scripts don't list. */
@BrowserTest
class FoundPageIT {

    @AutoClose
    private static final EmbeddedRedis server = EmbeddedRedis.start();

    @AutoClose
    private static final RunningDashboard dashboard = RunningDashboard.start(
            server, "/jobs", Things.Application.class, "jobs.worker.enabled=false", "jobs.dashboard.access=anyone");

    private final Browser browser;

    FoundPageIT(Browser browser) {
        this.browser = browser;
    }

    private static String page(String page) {
        return "http://127.0.0.1:" + dashboard.port() + "/jobs/" + page;
    }

    @Test
    void itIsReachedFromTheMenuAndByItsAddress() {
        dashboard.redis().opsForSet().add("things", "a", "b", "c");

        browser.open(page(""));
        browser.press("Things");
        browser.see(".counted", "3 things");
        assertThat(browser.address()).endsWith("/jobs/things");

        browser.open(page("things"));
        browser.see(".counted", "3 things");
        browser.see("nav a[aria-current=page]", "Things");
    }
}
