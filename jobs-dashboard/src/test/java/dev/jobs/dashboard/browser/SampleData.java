package dev.jobs.dashboard.browser;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

import dev.jobs.JobCall;
import dev.jobs.admin.JobRecord;
import dev.jobs.admin.JobSet;
import dev.jobs.admin.ListedJob;
import dev.jobs.admin.ScanBudget;
import dev.jobs.codec.RubyTime;
import dev.jobs.history.HistoryTask;
import dev.jobs.recurring.Missed;
import dev.jobs.recurring.Overlap;
import dev.jobs.recurring.Recurrence;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;

/** The Redis content of a medium-sized shop on an ordinary day. */
final class SampleData {

    private static final int HISTORY_DAYS = 30;
    private static final int MINUTES = 60;

    /** So many ten minutes are a day. */
    private static final int TENS = 144;

    private static final DateTimeFormatter MINUTE_KEY = DateTimeFormatter.ofPattern("yyMMdd|H:mm", Locale.ROOT);

    /** How the durations of a job are distributed over the buckets from its first one, in percent. */
    private static final int[] SPREAD = {2, 6, 14, 24, 22, 14, 8, 5, 3, 1, 0, 1};

    /** Executions of one job: number per minute, failures per thousand, average duration, and first bucket. */
    private record Load(String job, String queue, int perMinute, int failing, int millis, int firstBucket) {}

    private static final List<Load> LOADS = List.of(
            new Load("Orders.ship", "default", 46, 4, 412, 4),
            new Load("Payments.charge", "critical", 31, 38, 905, 6),
            new Load("Mails.welcome", "mail", 88, 2, 96, 0),
            new Load("Mails.newsletter", "bulk", 120, 0, 61, 0),
            new Load("SalesReports.monthly", "reports", 1, 0, 5_210, 10),
            new Load("Stock.count", "default", 12, 90, 240, 3));

    private final TestShop shop;
    private final StringRedisTemplate redis;

    SampleData(TestShop shop) {
        this.shop = shop;
        this.redis = shop.redis();
    }

    void build() {
        days();
        queues();
        sets();
        metrics();
        recurring();
        shop.process(1, 2);
    }

    /** Batches that the database keeps. Returns the id of the last one. */
    String history() {
        String last = "";
        for (String campaign : List.of("Spring sale", "Black Friday", "11.11")) {
            for (int seller = 17; seller < 20; seller++) {
                List<String> tags = List.of("seller:" + seller, "campaign:" + campaign);
                last = shop.batches().create("Enroll products of seller " + seller, batch -> batch.describe(campaign)
                        .tags(tags.toArray(String[]::new))
                        .createdBy("ann@example.com")
                        .keepResults()
                        .addAll(IntStream.range(0, 12).mapToObj(i -> JobCall.named("Catalog.enroll", i, campaign))));
            }
        }
        String awaited = last;
        await().until(() ->
                shop.history().task(awaited).filter(HistoryTask::complete).isPresent());
        return last;
    }

    /** Batches that are under way, have ended, and have failed in part. Returns the id of the first one. */
    String batches() {
        String running = batch("Enroll products", 400, "seller:17");
        end(running, "done", index -> "", 0, 260);
        end(running, "failed", index -> "Product " + (4_700 + index) + " is not sold here", 260, 271);
        end(running, "dead", index -> "Read timed out after 5000 ms", 271, 274);
        String done = batch("Send invoices", 120, "month:2026-10");
        end(done, "done", index -> "", 0, 120);
        String failing = batch("Import stock", 60, "warehouse:3");
        end(failing, "done", index -> "", 0, 41);
        end(failing, "failed", index -> "Line " + index + " has no quantity", 41, 49);
        batch("Send newsletters", 2_500, "campaign:11.11");
        return running;
    }

    private String batch(String name, int jobs, String tag) {
        return shop.batches().create(name, batch -> batch.tags(tag)
                .createdBy("ann@example.com")
                .onFinish(JobCall.named("Campaigns.report", name).queue("partners"))
                .addAll(IntStream.range(0, jobs)
                        .mapToObj(i -> JobCall.named("Catalog.enroll", i, tag).queue("partners"))));
    }

    private void end(String batch, String outcome, LongFunction<String> message, long from, long to) {
        shop.ended().end(batch, outcome, message, LongStream.range(from, to));
    }

    /** Deletes what was given up. */
    void deletions() {
        List<JobRecord> dead =
                shop.admin().sets().jobs(JobSet.DEAD, job -> true, 0, 2, ScanBudget.standard()).items().stream()
                        .map(ListedJob::job)
                        .toList();
        shop.admin().trash().delete(JobSet.DEAD, dead, "deleted-by-hand", progress -> {});
    }

    /** Removes what {@link TestShop#empty} leaves. */
    void strike() {
        List<String> keys = new ArrayList<>();
        for (String pattern : List.of("j|*", "h|*", "jobs:times:*", "*-marks", "deploylock-*", "stat:*:*")) {
            Set<String> found = redis.keys(pattern);
            keys.addAll(found == null ? Set.of() : found);
        }
        redis.delete(keys);
    }

    private void days() {
        LocalDate today = LocalDate.now(ZoneOffset.UTC);
        for (int i = 1; i < HISTORY_DAYS; i++) {
            LocalDate day = today.minusDays(i);
            long jobs = day.getDayOfWeek().getValue() > 5 ? 21_000 : 48_000 + i * 7_919L % 9_000;
            redis.opsForValue().set("stat:processed:" + day, Long.toString(jobs));
            redis.opsForValue().set("stat:failed:" + day, Long.toString(jobs / (i == 9 ? 6 : 40)));
        }
    }

    private void queues() {
        for (int i = 0; i < 134; i++) {
            shop.enqueue(shop.payload("Mails.newsletter", "bulk", "customer-" + i + "@example.com"));
        }
        redis.opsForSet().add("paused", "bulk");
        shop.enqueue(shop.payload("SalesReports.monthly", "reports", 2026, 11));
    }

    private void sets() {
        for (int i = 0; i < 9; i++) {
            Duration later = Duration.ofMinutes(3 + i * 17L);
            TestShop.Payload charge =
                    shop.payload("Payments.charge", "critical", Map.of("order", 4711 + i, "amount", "19.90"));
            shop.put(
                    "retry",
                    charge.failed("java.net.SocketTimeoutException", "Read timed out after 5000 ms")
                            .with(attempts()),
                    later);
            TestShop.Payload welcome = shop.payload("Mails.welcome", "mail", "bob" + i + "@example.com", i);
            shop.put("schedule", welcome, later);
            if (i % 3 == 0) {
                String full = "552 Mailbox full: bob" + i + "@example.com";
                shop.put(
                        "retry",
                        welcome.failed("dev.jobs.sample.MailboxFullException", full)
                                .with(Map.of("tags", List.of("campaign"))),
                        later);
                shop.put(
                        "dead",
                        charge.failed("dev.jobs.sample.CardDeclinedException", "Card declined: insufficient funds"),
                        later.negated());
            }
        }
    }

    private static Map<String, Object> attempts() {
        long now = System.currentTimeMillis();
        String process = "shop-7d9f:1:4be0a91c77d2";
        return Map.of(
                "created_at",
                now - 320_000,
                "retry_count",
                2,
                "past_attempts",
                List.of(
                        Map.of(
                                "at",
                                now - 310_000,
                                "waited",
                                1_840,
                                "ran",
                                212,
                                "process",
                                "shop-1a2b:1:0c9d8e7f6a5b",
                                "error",
                                "java.net.ConnectException",
                                "message",
                                "Connection refused"),
                        Map.of(
                                "at",
                                now - 240_000,
                                "waited",
                                35,
                                "ran",
                                5_003,
                                "process",
                                process,
                                "error",
                                "java.net.SocketTimeoutException",
                                "message",
                                "Read timed out after 5000 ms"),
                        Map.of("at", now - 36_000, "waited", 420, "ran", 5_001, "process", process)));
    }

    private void metrics() {
        Instant now = Instant.now().truncatedTo(ChronoUnit.MINUTES);
        for (int i = 0; i < MINUTES; i++) {
            LocalDateTime minute = LocalDateTime.ofInstant(now.minus(i, ChronoUnit.MINUTES), ZoneOffset.UTC);
            double tide = 1 + 0.3 * Math.sin(i / 7.0) + 0.12 * Math.sin(i * 1.9);
            for (Load load : LOADS) {
                long count = Math.max(Math.round(load.perMinute * tide), 1);
                long failed = (count * load.failing + i * 37L % 1_000) / 1_000;
                long millis = Math.round((count - failed) * load.millis * (1.1 - 0.25 * Math.cos(i / 5.0)));
                redis.opsForHash()
                        .putAll(
                                "j|" + MINUTE_KEY.format(minute),
                                Map.of(
                                        load.job + "|p", Long.toString(count),
                                        load.job + "|f", Long.toString(failed),
                                        load.job + "|ms", Long.toString(millis)));
                histogram(load, minute, count - failed);
            }
        }
        for (int i = 0; i < TENS; i++) {
            String minute =
                    MINUTE_KEY.format(LocalDateTime.ofInstant(now.minus(i * 10L, ChronoUnit.MINUTES), ZoneOffset.UTC));
            tenMinutes(minute.substring(0, minute.length() - 1), i);
        }
        Instant deployed = now.minus(23, ChronoUnit.MINUTES);
        redis.opsForHash()
                .put(
                        DateTimeFormatter.BASIC_ISO_DATE.format(LocalDate.ofInstant(deployed, ZoneOffset.UTC))
                                + "-marks",
                        deployed.toString(),
                        "shop 4.12.0");
    }

    private void tenMinutes(String time, int number) {
        double tide = 10 - 4 * Math.cos(number / 23.0) + Math.sin(number * 1.9);
        for (Load load : LOADS) {
            long count = Math.max(Math.round(load.perMinute * tide), 1);
            long failed = count * load.failing * (number / 9 == 4 ? 6 : 1) / 1_000;
            redis.opsForHash()
                    .putAll(
                            "j|" + time,
                            Map.of(
                                    load.job + "|p", Long.toString(count),
                                    load.job + "|f", Long.toString(failed),
                                    load.job + "|ms", Long.toString((count - failed) * load.millis)));
            String times = times(load, number);
            redis.opsForHash().putAll("jobs:times:" + time, Map.of("j" + load.job, times, "q" + load.queue, times));
        }
    }

    /** How long executions of ten minutes ran and waited. */
    private static String times(Load load, int number) {
        StringBuilder times = new StringBuilder();
        long count = load.perMinute * 10L;
        for (int i = 0; i < SPREAD.length; i++) {
            times.append(load.firstBucket + i + (number == 2 ? 1 : 0))
                    .append(':')
                    .append(count * SPREAD[i] / 100 + 1)
                    .append(' ');
            times.append(26 + load.firstBucket / 2 + i + number % 3)
                    .append(':')
                    .append(count * SPREAD[i] / 100 + 1)
                    .append(' ');
        }
        return times.append("52:").append(count * load.failing / 1_000).toString();
    }

    private void histogram(Load load, LocalDateTime minute, long count) {
        ByteBuffer buckets = ByteBuffer.allocate(2 * (load.firstBucket + SPREAD.length));
        buckets.position(2 * load.firstBucket);
        for (int share : SPREAD) {
            buckets.putShort((short) (count * share / 100 + (minute.getMinute() % 100 < share ? 1 : 0)));
        }
        String key = "h|%s-%d-%d:%d".formatted(load.job, minute.getDayOfMonth(), minute.getHour(), minute.getMinute());
        redis.execute((RedisCallback<Object>)
                connection -> connection.stringCommands().set(key.getBytes(UTF_8), buckets.array()));
    }

    private void recurring() {
        Recurrence nightly = Recurrence.cron("0 3 * * * Europe/Berlin").queue("reports");
        shop.recurring()
                .save(
                        "nightly-sales",
                        nightly.description("What was sold"),
                        JobCall.named("Orders.ship", "all", "slow"));
        shop.recurring()
                .save(
                        "clean-carts",
                        Recurrence.cron("*/20 8-18 * * mon-fri"),
                        JobCall.named("Mails.welcome", "carts", 30));
        shop.recurring()
                .save(
                        "stock-count",
                        Recurrence.cron("30 22 * * sun").missed(Missed.ONCE).overlap(Overlap.SKIP),
                        JobCall.named("Orders.ship", "stock", "full"));
        shop.recurring()
                .save(
                        "price-feed",
                        Recurrence.every(Duration.ofMinutes(5)),
                        JobCall.named("Mails.welcome", "partners", 1));
        shop.recurring().pause("price-feed");
        Map<String, String> legacy =
                Map.of("name", "legacy-digest", "cron", "every monday at 9am", "klass", "DigestWorker", "args", "[]");
        redis.opsForHash().putAll("cron_job:default:legacy-digest", legacy);
        redis.opsForSet().add("cron_jobs:default", "cron_job:default:legacy-digest");
        shop.recurring().runNow("clean-carts");
        redis.opsForList().leftPush("jobs:declarations:default", """
                        {"application":"shop","at":"%s","changes":[["stock-count","ADDED",""],\
                        ["nightly-sales","CHANGED","cron was '30 2 * * * Europe/Berlin'"],["old-feed","REMOVED",""]]}""".formatted(
                        RubyTime.inUtc(Instant.now().minus(Duration.ofHours(2)))));
    }
}
