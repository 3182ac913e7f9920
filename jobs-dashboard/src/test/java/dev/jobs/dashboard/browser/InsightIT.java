package dev.jobs.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.Keys;

/** Charts for the keyboard and as tables, percentiles, deployments, and what needs attention. */
@BrowserTest
class InsightIT {

    private static final DateTimeFormatter MINUTE =
            DateTimeFormatter.ofPattern("yyMMdd|H:mm", Locale.ROOT).withZone(ZoneOffset.UTC);

    private static final String MEAN = "section.card:nth-of-type(2)";

    private static final DateTimeFormatter DAY =
            DateTimeFormatter.ofPattern("yyyyMMdd", Locale.ROOT).withZone(ZoneOffset.UTC);

    private final TestShop shop;
    private final Browser browser;

    InsightIT(TestShop shop, Browser browser) {
        this.shop = shop;
        this.browser = browser;
    }

    @BeforeEach
    void fill() {
        clear();
        for (int ago : new int[] {12, 5, 4}) {
            String minute = MINUTE.format(Instant.now().minus(Duration.ofMinutes(ago)));
            Map<String, String> counts =
                    Map.of("Reports.monthly|p", "20", "Reports.monthly|f", "8", "Reports.monthly|ms", "900");
            shop.redis().opsForHash().putAll("j|" + minute, counts);
            shop.redis().opsForHash().putAll("j|" + minute.substring(0, minute.length() - 1), counts);
        }
        String minute = MINUTE.format(Instant.now().minus(Duration.ofMinutes(5)));
        Map<String, String> times = Map.of("jReports.monthly", "9:36 30:40 52:16", "qreports", "1:36 51:40 52:16");
        shop.redis().opsForHash().putAll("jobs:times:" + minute.substring(0, minute.length() - 1), times);
        Instant deployed = Instant.now().minus(Duration.ofMinutes(1)).truncatedTo(ChronoUnit.MINUTES);
        shop.redis().opsForHash().put(DAY.format(deployed) + "-marks", deployed.toString(), "4.12 <b>");
    }

    @AfterEach
    void clear() {
        for (String pattern : List.of("j|*", "jobs:times:*", "*-marks", "deploylock-*")) {
            Set<String> keys = shop.redis().keys(pattern);
            shop.redis().delete(keys);
        }
    }

    /** The mean has values for three minutes only. */
    @Test
    void theArrowKeysMoveThroughAChart() {
        // the next minute moves all steps to the left, once the page asks again
        await().until(() -> LocalTime.now(ZoneOffset.UTC).getSecond() < 40);
        browser.open(shop.page("metric?job=Reports.monthly"));
        browser.see(MEAN + " .chart svg .line");
        browser.script("document.querySelector('" + MEAN + " .chart').focus()");
        browser.keys(Keys.HOME);
        String first = browser.see(".tip").getText();
        assertThat(first).contains("75ms Mean");
        browser.keys(Keys.ARROW_RIGHT);
        String second = browser.see(".tip").getText();
        browser.keys(Keys.END);
        String last = browser.see(".tip").getText();
        assertThat(List.of(first, second, last)).doesNotHaveDuplicates();
        assertThat(browser.texts(MEAN + " [role=status]"))
                .singleElement()
                .asString()
                .endsWith(", 75ms Mean");
        browser.keys(Keys.ARROW_LEFT);
        assertThat(browser.see(".tip").getText()).isEqualTo(second);
        browser.keys(Keys.PAGE_UP);
        assertThat(browser.see(".tip").getText()).isEqualTo(first);
        browser.keys(Keys.ESCAPE);
        browser.seeNo(".tip");
        browser.keys(Keys.ARROW_LEFT);
        assertThat(browser.see(".tip").getText()).isEqualTo(last);
        browser.tab();
        browser.seeNo(".tip");
        assertThat(browser.focused()).contains("As a table");
    }

    @Test
    void aChartIsATableToo() {
        browser.open(shop.page("metric?job=Reports.monthly"));
        browser.see(MEAN + " .chart svg .line");
        assertThat(browser.count(".as-table table")).isZero();
        browser.see(MEAN + " summary", "As a table").click();
        browser.see(MEAN + " thead th", "Mean");
        assertThat(browser.texts(MEAN + " tbody td")).containsExactly("75ms", "75ms", "75ms");
        browser.see("section.card:nth-of-type(1) summary").click();
        browser.see("section.card:nth-of-type(1) tbody th", "Deployment 4.12 <b>");
        assertThat(browser.texts("section.card:nth-of-type(1) tbody td"))
                .hasSize(120)
                .contains("12", "8", "0");
        browser.see(".as-table .values[tabindex]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"metric?job=Reports.monthly", "metric?queue=reports", "metrics", "failures", "?days=7"})
    void chartsMarkDeployments(String page) {
        browser.open(shop.page(page));
        browser.see(".chart");
        await().until(() -> browser.count(".chart .mark[data-deploy='4.12 <b>']") > 0);
    }

    @Test
    void jobsAndQueuesHavePercentilesAndACourse() {
        browser.open(shop.page("metrics"));
        String job = browser.see("tbody tr", "Reports.monthly").getText();
        assertThat(job).contains("60", "24", "40%", "630ms", "750ms", "83ms", "100ms");
        browser.see("tbody tr .spark .series-1");
        String queue = browser.see("tbody tr", "reports").getText();
        assertThat(queue).contains("0.9", "25ms", "> 5m 35s");
        browser.press("reports");
        browser.see("h1", "reports");
        browser.see(".tile", "Waited (p95)");
        browser.see(".card", "How long jobs waited in their queue");
        assertThat(browser.count(".chart .line")).isEqualTo(6);
    }

    @Test
    void theOverviewBeginsWithWhatNeedsAttention() {
        browser.open(shop.page(""));
        browser.see(".notice.warn", "Reports.monthly fails often: 24 of 60 executions");
        assertThat(browser.script("return document.querySelector('.notices').compareDocumentPosition("
                        + "document.querySelector('.tiles')) & Node.DOCUMENT_POSITION_FOLLOWING"))
                .isEqualTo(4L);
        browser.see(".notice a.button", "Look").click();
        browser.see("h1", "Reports.monthly");
        clear();
        browser.open(shop.page(""));
        browser.see(".calm", "Nothing needs attention");
        browser.see(".card", "Every job is accounted for");
    }
}
