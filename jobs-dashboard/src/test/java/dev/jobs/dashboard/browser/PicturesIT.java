package dev.jobs.dashboard.browser;

import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Pictures of the pages with believable jobs, in {@code target/screenshots}. The best are in the documentation. */
@ExtendWith(Stage.class)
class PicturesIT {

    private static final int HISTORY_DAYS = 30;

    private final Shop shop;
    private final Browser browser;
    private int photographs;

    PicturesIT(Shop shop, Browser browser) {
        this.shop = shop;
        this.browser = browser;
    }

    @Test
    void picturesOfAllPages() {
        believableJobs();
        photograph("queues", "queues", "tbody tr");
        photograph("retries", "retries", "tbody tr");
        photograph("failures", "failures", "tbody tr");
        photograph("busy", "busy", "tbody tr");
        browser.open(shop.page("retries"));
        browser.press("Payments.charge");
        browser.see(".waiting");
        photograph("job", browser.address().replaceFirst(".*/jobs/", ""), ".waiting");
        photograph("overview", "?days=30", ".chart svg .bar");
        shop.gate().open();
        shop.redis().delete(history());
    }

    private void photograph(String name, String page, String landmark) {
        browser.size(1280, 860, false);
        for (boolean dark : new boolean[] {false, true}) {
            browser.dark(dark);
            traffic();
            browser.open(shop.page(page));
            browser.see(landmark);
            browser.see(".connection", "Live");
            browser.picture(name + (dark ? "-dark" : "-light"));
        }
        browser.dark(false);
        browser.size(390, 844, true);
        browser.open(shop.page(page));
        browser.see(landmark);
        browser.picture(name + "-phone");
    }

    /** Lets some jobs through, so that the chart has a shape. */
    private void traffic() {
        int jobs = 20 + 35 * (++photographs % 3);
        shop.jobs()
                .enqueueAll(
                        "Mails.welcome",
                        Stream.generate(() -> List.of("bob@example.com", 1))
                                .limit(jobs)
                                .toList());
    }

    private void believableJobs() {
        LocalDate today = LocalDate.now(ZoneOffset.UTC);
        for (int i = 1; i < HISTORY_DAYS; i++) {
            LocalDate day = today.minusDays(i);
            long jobs = day.getDayOfWeek().getValue() > 5 ? 21_000 : 48_000 + i * 7_919L % 9_000;
            shop.redis().opsForValue().set("stat:processed:" + day, Long.toString(jobs));
            shop.redis().opsForValue().set("stat:failed:" + day, Long.toString(jobs / (i == 9 ? 6 : 40)));
        }
        for (int i = 0; i < 134; i++) {
            shop.enqueue(shop.payload("Mails.newsletter", "bulk", "customer-" + i + "@example.com"));
        }
        shop.redis().opsForSet().add("paused", "bulk");
        shop.enqueue(shop.payload("SalesReports.monthly", "reports", 2026, 11));
        for (int i = 0; i < 9; i++) {
            Duration later = Duration.ofMinutes(3 + i * 17L);
            Shop.Payload charge =
                    shop.payload("Payments.charge", "critical", Map.of("order", 4711 + i, "amount", "19.90"));
            shop.put("retry", charge.failed("java.net.SocketTimeoutException", "Read timed out after 5000 ms"), later);
            Shop.Payload welcome = shop.payload("Mails.welcome", "mail", "bob" + i + "@example.com", i);
            shop.put("schedule", welcome, later);
            if (i % 3 == 0) {
                shop.put(
                        "retry",
                        welcome.failed(
                                        "dev.jobs.sample.MailboxFullException",
                                        "552 Mailbox full: bob" + i + "@example.com")
                                .with(Map.of("tags", List.of("campaign"))),
                        later);
                shop.put(
                        "dead",
                        charge.failed("dev.jobs.sample.CardDeclinedException", "Card declined: insufficient funds"),
                        later.negated());
            }
        }
        shop.gate().shut();
        for (String order : List.of("4711", "4712", "4713")) {
            shop.jobs().enqueue("Orders.ship", order, "express");
        }
    }

    private static List<String> history() {
        LocalDate today = LocalDate.now(ZoneOffset.UTC);
        return IntStream.range(1, HISTORY_DAYS)
                .mapToObj(today::minusDays)
                .flatMap(day -> Stream.of("stat:processed:" + day, "stat:failed:" + day))
                .toList();
    }
}
