package dev.jobs.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.shards.dashboard.TestShards;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;
import org.springframework.boot.WebApplicationType;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/** The view over all shards: each page of it, and the ways between it and the shards. */
@BrowserTest
class ShardsPageIT {

    @AutoClose
    private static final EmbeddedRedis b = EmbeddedRedis.start();

    @AutoClose
    private static final EmbeddedRedis c = EmbeddedRedis.start();

    @AutoClose
    private static final TestShop shop = new TestShop(
            WebApplicationType.SERVLET,
            "--spring.main.sources=" + TestShards.class.getName(),
            "--spring.data.redis.timeout=5s",
            "--test.shards=" + b.uri() + "," + c.uri(),
            "--jobs.dashboard.installations.eu.redis.url=redis://localhost:1");

    @AutoClose("destroy")
    private static final LettuceConnectionFactory toB = connections(b);

    @AutoClose("destroy")
    private static final LettuceConnectionFactory toC = connections(c);

    private static final StringRedisTemplate inB = new StringRedisTemplate(toB);
    private static final StringRedisTemplate inC = new StringRedisTemplate(toC);

    private final Browser browser;

    ShardsPageIT(Browser browser) {
        this.browser = browser;
    }

    private static LettuceConnectionFactory connections(EmbeddedRedis redis) {
        LettuceConnectionFactory factory =
                new LettuceConnectionFactory(new RedisStandaloneConfiguration(redis.host(), redis.port()));
        factory.afterPropertiesSet();
        factory.start();
        return factory;
    }

    /** All queues are served, so that nothing needs attention. */
    @BeforeEach
    void fill() {
        browser.open(shop.link());
        shop.empty();
        for (StringRedisTemplate each : List.of(inB, inC)) {
            Set<String> keys = each.keys("*");
            each.delete(keys == null ? List.of() : List.copyOf(keys));
        }
        List<StringRedisTemplate> all = List.of(shop.redis(), inB, inC);
        for (int i = 0; i < all.size(); i++) {
            StringRedisTemplate redis = all.get(i);
            process(redis, "worker-7d9f8b6c5d-1", 4711, List.of("orders", "mail", "reports"), i + 1);
            for (int job = 0; job < 40 * (i + 1); job++) {
                enqueue(redis, shop.payload("Orders.ship", "orders", job, "express"));
            }
            for (int job = 0; job < 3; job++) {
                put(redis, "dead", Duration.ofMinutes(-job - 10L * i), "Orders.ship", "No book left");
                put(redis, "retry", Duration.ofMinutes(5 + job + 10L * i), "Orders.ship", "No book left");
                put(redis, "schedule", Duration.ofHours(1 + job + 10L * i), "Orders.ship", "");
            }
            redis.opsForValue().set("stat:processed", String.valueOf(184_000 + 7_000 * i));
            redis.opsForValue().set("stat:failed", String.valueOf(120 + i));
        }
        enqueue(inB, shop.payload("Reports.build", "reports", 2026));
    }

    private static void enqueue(StringRedisTemplate redis, TestShop.Payload payload) {
        redis.opsForSet().add("queues", payload.queue());
        redis.opsForList().leftPush("queue:" + payload.queue(), payload.stored());
    }

    private static TestShop.Payload put(
            StringRedisTemplate redis, String set, Duration fromNow, String name, String message) {
        TestShop.Payload payload = shop.payload(name, "orders", 4711);
        TestShop.Payload stored = message.isEmpty() ? payload : payload.failed("java.io.IOException", message);
        redis.opsForZSet().add(set, stored.stored(), Instant.now().plus(fromNow).toEpochMilli() / 1000.0);
        return payload;
    }

    private static void process(StringRedisTemplate redis, String host, int pid, List<String> queues, int busy) {
        String identity = host + ":" + pid + ":0123456789ab";
        String names = String.join("\",\"", queues);
        redis.opsForSet().add("processes", identity);
        redis.opsForHash()
                .putAll(
                        identity,
                        Map.of(
                                "info",
                                "{\"hostname\":\"" + host + "\",\"pid\":" + pid
                                        + ",\"tag\":\"shop\",\"concurrency\":25,\"queues\":[\"" + names
                                        + "\"],\"labels\":[],\"identity\":\"" + identity + "\",\"version\":\"8.1.7\"}",
                                "busy",
                                String.valueOf(busy),
                                "beat",
                                String.valueOf(Instant.now().getEpochSecond()),
                                "quiet",
                                "false",
                                "rss",
                                "196432"));
    }

    private static void signal(EmbeddedRedis redis, String signal) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("sh", "-c", "kill -" + signal + " " + redis.pid())
                        .start()
                        .waitFor())
                .isZero();
    }

    private String row(String name) {
        return browser.texts("tbody tr").stream()
                .filter(text -> text.startsWith(name))
                .findFirst()
                .orElse("");
    }

    @Test
    void eachShardHasARowThatIsLiveAndAllTogetherHaveSums() {
        browser.open(shop.page("shards/"));
        browser.see(".connection", "Live");
        browser.see("tr.total", "All 3 shards");
        assertThat(browser.script("return document.title")).asString().startsWith("Shards · All shards · staging");
        assertThat(browser.texts(".side nav[aria-label=Pages] a"))
                .extracting(text -> text.replaceFirst("\\s*\\d.*", ""))
                .containsExactly("Shards", "Processes", "Queues", "Scheduled", "Retries", "Dead");
        // at first the page may have numbers from before the jobs were put, which are kept for a moment
        browser.see("[data-tile=enqueued]", "241");
        assertThat(row("b")).contains("81", "127.0.0.1:" + b.port());

        enqueue(inC, shop.payload("Orders.ship", "orders", 1, "express"));

        browser.see("[data-tile=enqueued]", "242");
        await().untilAsserted(() -> assertThat(row("c")).contains("121"));
        browser.press("Dead"); // of the menu
        browser.see("tbody tr", "No book left");
        assertThat(browser.address()).endsWith("/jobs/shards/dead");
    }

    @Test
    void aSilentShardIsAwayWithItsLastNumbersAndTheOthersGoOn() throws Exception {
        browser.open(shop.page("shards/"));
        browser.see("tr.total", "All 3 shards");
        browser.see("[data-tile=enqueued]", "241");
        signal(c, "STOP");
        try {
            browser.see("tr.stale", "away");
            assertThat(row("c")).contains("120", "as of");
            browser.see(".notice.error", "Shard c can't be read");
            browser.see(".connection", "Live");

            enqueue(inB, shop.payload("Reports.build", "reports", 2027));

            browser.see("[data-tile=enqueued]", "242");
            browser.press("Queues");
            browser.see(".notice.warn", "Without shard c");
            browser.see("tbody tr", "reports");
        } finally {
            signal(c, "CONT");
        }
        browser.seeNo(".notice.warn");
        browser.press("Shards");
        browser.see("tr.total");
        browser.seeNo("tr.stale");
    }

    @Test
    void aSpreadQueueIsOneRowWhoseShardsArePausedTogetherAndAlone() {
        browser.open(shop.page("shards/queues"));
        browser.see("tbody tr", "orders");
        assertThat(row("orders")).contains("spread", "3 shards", "240");
        assertThat(row("reports")).contains("b", "1");

        browser.press("Pause: orders");

        browser.see("tbody tr .badge.warn", "paused");
        for (StringRedisTemplate each : List.of(shop.redis(), inB, inC)) {
            assertThat(each.opsForSet().members("paused")).containsExactly("orders");
        }
        browser.press("3 shards: orders");
        browser.see("tr.part", "home");
        assertThat(browser.texts("tr.part")).hasSize(3).anyMatch(text -> text.startsWith("b"));

        browser.press("Resume: orders: b");

        browser.see("tbody tr .badge.warn", "paused in 2 of 3");
        assertThat(inB.opsForSet().members("paused")).isEmpty();
        assertThat(inC.opsForSet().members("paused")).containsExactly("orders");
        browser.press("reports");
        browser.see("tbody tr", "Reports.build");
        assertThat(browser.address()).endsWith("/jobs/b/queue?name=reports");
        assertThat(browser.script("return document.title")).asString().contains("· b · staging");
    }

    @Test
    void aProcessThatServesAllShardsIsShownOnceAndToldInEach() {
        browser.open(shop.page("shards/busy"));
        browser.see("tbody tr", "worker-7d9f8b6c5d-1:4711");
        assertThat(row("shop · worker")).contains("home", "b", "c", "6 of 25");

        browser.press("Quiet: worker-7d9f8b6c5d-1:4711");
        browser.answer("Quiet");

        browser.see(".toast", "worker-7d9f8b6c5d-1:4711");
        for (StringRedisTemplate each : List.of(shop.redis(), inB, inC)) {
            assertThat(each.opsForList().range("worker-7d9f8b6c5d-1:4711:0123456789ab-signals", 0, -1))
                    .containsExactly("TSTP");
        }
    }

    @Test
    void aJobIsFoundFromHomeInAnyShardAndInTheMergedList() {
        TestShop.Payload job = put(inC, "dead", Duration.ofMinutes(1), "Orders.bill", "No address");
        browser.open(shop.page(""));
        browser.see(".over-all .notice", "This is shard home. All shards: 241 waiting");

        browser.type(".find input", job.jid());
        browser.keys(Keys.ENTER);

        browser.see("h1", "Orders.bill");
        assertThat(browser.address()).contains("/jobs/c/job?place=dead");
        browser.open(shop.page("shards/dead"));
        browser.see("tbody tr", "Orders.bill");
        assertThat(browser.texts("tbody tr").get(0)).contains("Orders.bill", "c");
        assertThat(browser.texts("tbody tr td:nth-child(2)").subList(1, 4)).containsExactly("home", "home", "home");
        browser.press("b: 3");
        browser.see("tbody tr", "Orders.ship");
        assertThat(browser.address()).endsWith("/jobs/b/dead");
    }

    @Test
    void theSwitchHasShardsApartFromInstallations() {
        browser.open(shop.page("b/queues"));
        browser.see("tbody tr", "reports");
        assertThat(browser.see(".side .switch > button").getText()).contains("shop", "staging", "b");
        browser.script("document.querySelector('.side .switch > button').click()");
        assertThat(browser.texts(".switch ul")).hasSize(2);
        assertThat(browser.texts(".switch ul:first-of-type a")).containsExactly("All shards", "home", "b", "c");
        assertThat(browser.texts(".switch a[aria-current=true]")).containsExactly("b");

        browser.press("All shards");

        browser.see("tbody tr", "3 shards");
        assertThat(browser.address()).endsWith("/jobs/shards/queues");
    }

    /** With names, messages and arguments that are endless, foreign or markup; light and dark, on screen and phone. */
    @Test
    void everyPageFitsAndIsAccessibleWhateverTheDataAre() {
        Axe axe = Axe.installed();
        String endless = FullShop.ENDLESS;
        enqueue(inB, shop.payload(endless, endless.substring(0, 120), endless));
        enqueue(inC, shop.payload(FullShop.FOREIGN, FullShop.FOREIGN, 1));
        process(inC, endless.substring(0, 60), 1, List.of(endless.substring(0, 120), "orders"), 1);
        for (String set : List.of("dead", "retry", "schedule")) {
            put(inB, set, Duration.ofDays(300), endless, endless);
            put(inC, set, Duration.ofDays(300), FullShop.FOREIGN, FullShop.FOREIGN);
        }
        VisitOverAll.PAGES.forEach((page, landmark) -> {
            browser.size(1280, 900, false);
            browser.open(shop.page("shards/" + page));
            browser.see(landmark);
            if (page.equals("queues")) {
                browser.press("3 shards: orders");
                browser.see("tr.part");
            }
            axe.enter(browser);
            for (int width : new int[] {1440, 1024, 768, 360}) {
                browser.size(width, 900, width < 700);
                await("%s at %d px".formatted(page, width))
                        .untilAsserted(() -> assertThat(browser.script(StickingOut.SCRIPT, width))
                                .isEqualTo(List.of()));
                if (width == 1024 || width == 768) {
                    continue;
                }
                for (boolean dark : new boolean[] {false, true}) {
                    browser.dark(dark);
                    browser.script("document.getAnimations().forEach((each) => each.finish())");
                    assertThat(axe.findings(browser))
                            .as(page + " at " + width + (dark ? ", dark" : ", light"))
                            .isEmpty();
                }
                browser.dark(false);
            }
        });
        browser.script("localStorage.setItem('jobs.language', 'de')");
        browser.open(shop.page("shards/"));
        browser.see("tr.total", "Alle 3 Shards");
        for (int width : new int[] {1280, 360}) {
            browser.size(width, 900, width < 700);
            await().untilAsserted(() ->
                    assertThat(browser.script(StickingOut.SCRIPT, width)).isEqualTo(List.of()));
        }
        browser.script("localStorage.clear()");
    }

    /** In {@code target/screenshots}, as those of the other pages; one is in the documentation. */
    @Test
    void pictures() {
        inC.opsForSet().add("paused", "orders");
        for (String page : List.of("", "queues")) {
            browser.size(1280, 860, false);
            for (boolean dark : new boolean[] {false, true}) {
                browser.dark(dark);
                photograph(page, dark ? "-dark" : "-light");
            }
            browser.dark(false);
            browser.size(390, 844, true);
            photograph(page, "-phone");
        }
    }

    /** Lets the shards run some jobs as soon as their rates are known. */
    private void traffic() {
        String rates = "tbody td:nth-child(8)";
        await().until(() -> browser.texts(rates).stream().allMatch("0"::equals));
        List<StringRedisTemplate> all = List.of(shop.redis(), inB, inC);
        await().until(() -> {
            for (int i = 0; i < all.size(); i++) {
                all.get(i).opsForValue().increment("stat:processed", 61 + 24L * i);
                all.get(i).opsForValue().increment("stat:failed", i);
            }
            return !browser.texts(rates).contains("0");
        });
    }

    private void photograph(String page, String how) {
        browser.open(shop.page("shards/" + page));
        browser.see("tbody tr");
        browser.see(".connection", "Live");
        if (how.equals("-light") && page.isEmpty()) {
            traffic(); // the others need not wait for it
        }
        if (page.equals("queues")) {
            browser.press("3 shards: orders");
            browser.see("tr.part");
        }
        browser.picture("shards" + (page.isEmpty() ? "" : "-" + page) + how);
    }
}
