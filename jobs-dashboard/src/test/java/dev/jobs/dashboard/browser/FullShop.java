package dev.jobs.dashboard.browser;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

import dev.jobs.JobCall;
import dev.jobs.admin.JobRecord;
import dev.jobs.admin.JobSet;
import dev.jobs.admin.ScanBudget;
import dev.jobs.history.HistoryTask;
import dev.jobs.limits.LimitInfo;
import dev.jobs.recurring.Recurrence;
import java.net.URLEncoder;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * The shop on its worst day: three hundred processes, something on every page, and everywhere names, messages and
 * arguments that are endless, foreign or markup. Each {@link Visit} finds what it shows.
 */
final class FullShop implements AutoCloseable {

    static final int PROCESSES = 300;

    /** A word that nothing breaks, as long as the name of a batch may be. */
    static final String ENDLESS = "Endless".repeat(28);

    /** Markup, a change of direction, stacked marks, a picture of many characters, and a script without spaces. */
    static final String FOREIGN = "<b onclick='x'>&amp;\u202e\u0645\u0631\u062d\u0628\u0627\u202c Z"
            + "\u0351\u0357".repeat(2) + " \ud83d\udc69\u200d\ud83d\udc67\u200d\ud83d\udc66 "
            + "\u6f22\u5b57".repeat(60);

    private static final String LONG_QUEUE = "endless".repeat(18);
    private static final DateTimeFormatter UTC_MINUTE =
            DateTimeFormatter.ofPattern("yyMMdd|H:mm", Locale.ROOT).withZone(ZoneOffset.UTC);

    private final TestShop shop;
    private final SampleData data;
    private final Map<String, String> names = new LinkedHashMap<>();

    /** Fills the shop. */
    FullShop(TestShop shop) {
        this.shop = shop;
        this.data = new SampleData(shop);
        shop.gate().open();
        data.build();
        names.put("long", LONG_QUEUE);
        processes();
        ended();
        batches();
        queues();
        sets();
        others();
        metrics();
        limits(); // last: from now on its workers are busy
        find("queued", "jobs?place=queue&queue=" + LONG_QUEUE, "/items/0/key");
        find("failed", "jobs?place=retries&job=Mails.welcome&error=Endless", "/items/0/key");
        find("dead", "jobs?place=dead", "/items/0/key");
        find("parked", "limit/key?name=erp&key=shop+17", "/waiting/0/key");
    }

    /** Where a visit leads. */
    String address(Visit visit) {
        String query = visit.query();
        for (Map.Entry<String, String> name : names.entrySet()) {
            query = query.replace("{" + name.getKey() + "}", URLEncoder.encode(name.getValue(), UTF_8));
        }
        return shop.page(query.isEmpty() ? visit.page() : visit.page() + "?" + query);
    }

    /** Adds queues with a job each, as many as wanted. */
    void moreQueues(int count) {
        String fill = """
                for i = 1, %d do
                  redis.call('SADD', 'queues', 'tenant-' .. i)
                  redis.call('LPUSH', 'queue:tenant-' .. i, '{"class":"Imports.run","args":[' .. i .. '],"queue":"tenant-' .. i
                    .. '","jid":"' .. string.format('%%024x', i) .. '","enqueued_at":1795237556186}')
                end""".formatted(count);
        shop.redis().execute(RedisScript.of(fill), List.of());
    }

    private void find(String name, String call, String pointer) {
        await(name).until(() -> !shop.api(call).at(pointer).asString("").isEmpty());
        names.put(name, shop.api(call).at(pointer).asString());
    }

    private void processes() {
        for (int pid = 1; pid <= PROCESSES; pid++) {
            boolean java = pid % 2 == 0;
            String host = pid % 3 == 0 ? "worker-" + LONG_QUEUE.substring(0, 50) : "worker-7d9f8b6c5d-" + pid;
            Map<String, Object> capsules = Map.of(
                    "default",
                            Map.of("concurrency", 10, "mode", "weighted", "weights", Map.of("mail", 3, LONG_QUEUE, 1)),
                    "reports", Map.of("concurrency", 2, "mode", "strict", "weights", Map.of("reports", 0)));
            String identity = shop.process(
                    pid,
                    2,
                    Map.of(
                            "hostname",
                            host,
                            "tag",
                            pid % 5 == 0 ? FOREIGN : "shop",
                            "labels",
                            List.of("canary", pid % 7 == 0 ? ENDLESS : "eu-west"),
                            "queues",
                            List.of("mail", "bulk", LONG_QUEUE),
                            "capsules",
                            java ? capsules : Map.of(),
                            "version",
                            java ? "jobs-0.1.0" : "8.1.7"));
            shop.run(identity, "t1", work(pid), Duration.ofSeconds(pid));
            shop.run(identity, "t2", shop.payload("Mails.welcome", "mail", pid), Duration.ofSeconds(3));
            names.putIfAbsent("process", identity);
        }
    }

    private TestShop.Payload work(int pid) {
        return switch (pid % 3) {
            case 0 -> shop.payload(ENDLESS, LONG_QUEUE, ENDLESS, pid);
            case 1 -> shop.payload("Orders.ship", "default", FOREIGN, Map.of(ENDLESS, FOREIGN));
            default -> shop.payload(FOREIGN, FOREIGN, pid);
        };
    }

    /** A job that has told something of itself. */
    private void ended() {
        String jid = String.valueOf(shop.jobs().enqueue("Rows.load", 40, false));
        await().until(() -> shop.admin().progress(jid).steps().isPresent());
        names.put("ended", jid);
    }

    private void batches() {
        data.history();
        String batch = shop.batches().create(ENDLESS, all -> all.describe(FOREIGN)
                .tags(ENDLESS.substring(0, 90), FOREIGN.substring(0, 90), "seller:17")
                .createdBy(ENDLESS.substring(0, 100))
                .onFinish(JobCall.named("Campaigns.report", ENDLESS))
                .addAll(IntStream.range(0, 40).mapToObj(i -> JobCall.named("Products.enroll", i, ENDLESS)
                        .queue(LONG_QUEUE))));
        shop.ended().end(batch, "failed", i -> ENDLESS + " " + FOREIGN + i, LongStream.range(0, 4));
        shop.ended().end(batch, "done", i -> "", LongStream.range(4, 9));
        names.put("batch", batch);
        String task = shop.batches().create(ENDLESS, all -> all.describe(FOREIGN)
                .tags(ENDLESS.substring(0, 90))
                .createdBy(ENDLESS.substring(0, 100))
                .keepResults()
                .addAll(IntStream.range(0, 4).mapToObj(i -> JobCall.named("Catalog.enroll", i, ENDLESS + FOREIGN))));
        await().until(() ->
                shop.history().task(task).filter(HistoryTask::complete).isPresent());
        names.put("task", task);
    }

    private void queues() {
        for (int i = 0; i < 30; i++) {
            shop.enqueue(shop.payload(ENDLESS, LONG_QUEUE, ENDLESS, Map.of(FOREIGN, ENDLESS))
                    .with(Map.of("tags", List.of(ENDLESS, FOREIGN, "campaign"), ENDLESS, FOREIGN)));
        }
        shop.enqueue(shop.payload(FOREIGN, FOREIGN, FOREIGN));
        for (int i = 0; i < 40; i++) {
            String key = i < 20 ? ENDLESS : "tenant-" + i % 3;
            shop.jobs().queue("tenants").key(key).enqueue("Imports.run", i);
        }
    }

    private void sets() {
        Map<String, Object> attempt =
                Map.of("at", 1_795_237_556_186L, "waited", 1_840, "ran", 5_000, "process", ENDLESS, "error", ENDLESS);
        for (int i = 0; i < 100; i++) {
            String name = i % 2 == 0 ? "Mails.welcome" : ENDLESS;
            TestShop.Payload job = shop.payload(name, i % 3 == 0 ? LONG_QUEUE : "mail", ENDLESS, Map.of(FOREIGN, i))
                    .failed(ENDLESS + ".Exception", i % 2 == 0 ? ENDLESS : FOREIGN)
                    .with(Map.of(
                            "tags",
                            List.of(ENDLESS, FOREIGN),
                            "retry_count",
                            3,
                            "past_attempts",
                            List.of(attempt),
                            ENDLESS,
                            FOREIGN));
            shop.put("retry", job, Duration.ofMinutes(30 + i));
            shop.put("schedule", job, Duration.ofDays(1 + i));
            shop.put("dead", job, Duration.ofHours(-i));
        }
        List<JobRecord> deleted =
                shop.admin().sets().jobs(JobSet.SCHEDULED, job -> true, 0, 30, ScanBudget.standard()).items().stream()
                        .map(placed -> placed.job())
                        .toList();
        shop.admin().trash().delete(JobSet.SCHEDULED, deleted, "full-shop", each -> {});
    }

    private void others() {
        shop.recurring()
                .save(
                        ENDLESS,
                        Recurrence.cron("0 3 1-7 * 1 Europe/Berlin"),
                        JobCall.named("Orders.ship", ENDLESS, FOREIGN));
        shop.recurring()
                .save(
                        "many-words-every-night",
                        Recurrence.cron("0 3 1 1 *").description(FOREIGN),
                        JobCall.named(ENDLESS, FOREIGN, 2));
        shop.limiters().window(ENDLESS, 100, Duration.ofHours(1)).run(() -> {});
        shop.limiters().bucket("carrier-api", 1_000, Duration.ofDays(1)).run(() -> {});
        for (int i = 0; i < 5; i++) {
            shop.jobs().unique(ENDLESS + i).in(Duration.ofHours(1)).enqueue("Stock.count", i);
        }
    }

    private void metrics() {
        Instant now = Instant.now();
        for (int ago = 0; ago < 3; ago++) {
            String minute = "j|" + UTC_MINUTE.format(now.minus(Duration.ofMinutes(ago)));
            for (String name : List.of(LONG_QUEUE, ENDLESS, FOREIGN)) {
                shop.redis()
                        .opsForHash()
                        .putAll(minute, Map.of(name + "|p", "3000000", name + "|f", "100", name + "|ms", "90000000"));
            }
        }
    }

    private void limits() {
        shop.admin().limits().set(LONG_QUEUE, 5);
        shop.gate().shut();
        for (int i = 0; i < 4; i++) {
            shop.jobs().enqueue("Shops.sync", 17);
        }
        for (int i = 0; i < 2; i++) {
            shop.jobs().limit("erp", ENDLESS).enqueue("Gate.pass", ENDLESS);
        }
        shop.jobs().enqueue("Orders.ship", "4711-" + ENDLESS, "express");
    }

    @Override
    public void close() {
        shop.gate().open();
        data.strike();
        shop.admin().limits().reset(LONG_QUEUE);
        shop.admin().limits().forget(LONG_QUEUE);
        shop.admin().limits().reset("erp");
        await("no job waits for the next test").until(() -> {
            LimitInfo limit = shop.admin().limits().get("erp");
            return limit.held() == 0 && limit.waiting() == 0;
        });
    }
}
