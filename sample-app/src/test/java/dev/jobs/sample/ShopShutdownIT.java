package dev.jobs.sample;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.proof.LongTest;
import dev.jobs.sample.Order.Card;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** The shop is stopped in the middle of its work. */
@LongTest
class ShopShutdownIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int ROWS = 3_000;
    private static final int CHARGES = 4;

    /** The key of the days that the report has added up. */
    private static final String DAYS = "shop:reports:1:days";

    /** Exit codes of a JVM ended by a signal. */
    private static final int SIGTERM = 128 + 15;

    private static final int SIGKILL = 128 + 9;

    private final JsonMapper json = new JsonMapper();

    @TempDir
    Path directory;

    /** Four charges that outlast the deadline, a long report, and a bulk import, all in progress. */
    @Test
    @Tag("sidekiq-14")
    void noJobIsLostOrStuckWhenTheShopIsTerminatedAndTheNextStartFinishesAll() throws Exception {
        try (EmbeddedRedis server = EmbeddedRedis.start();
                RedisClient client = RedisClient.create(server.uri())) {
            RedisCommands<String, String> redis = client.connect().sync();
            String products;
            try (ShopProcess shop = start(
                    "first.log",
                    server,
                    "--jobs.shutdown-timeout=2s",
                    "--shop.takes.charge=10m",
                    "--shop.takes.import-row=20ms",
                    "--shop.takes.report-day=20ms")) {
                products = awaitMiddleOfWork(shop);
                assertThat(shop.terminate()).isEqualTo(SIGTERM);
                assertThat(shop.log()).doesNotContain("ERROR");
            }

            assertNothingIsHeld(redis);
            assertEveryJobIsDoneOrWaits(redis);
            String builtBefore = redis.hkeys(DAYS).get(0);
            redis.hset(DAYS, builtBefore, "1"); // building this day again would overwrite it

            try (ShopProcess shop = start(
                    "second.log",
                    server,
                    "--shop.takes.charge=1ms",
                    "--shop.takes.import-row=0ms",
                    "--shop.takes.report-day=0ms")) {
                awaitAsserted(() -> assertThat(jids("DONE")).isEqualTo(jids("ENQUEUED")));
                awaitAsserted(() -> assertThat(waiting(redis)).isEmpty());
                assertWorkIsDone(shop, products);
                assertThat(shop.terminate()).isEqualTo(SIGTERM);
            }
            assertNothingIsHeld(redis);
            assertThat(redis.hget(DAYS, builtBefore)).as("a day built before").isEqualTo("1");
            assertThat(lines().filter(line -> line.startsWith("DONE ")))
                    .as("no job was done twice")
                    .doesNotHaveDuplicates();
        }
    }

    private String awaitMiddleOfWork(ShopProcess shop) {
        shop.post("/reports?days=300", "text/plain", "");
        for (int i = 0; i < CHARGES; i++) {
            shop.order("ada@example.com", Card.VISA);
        }
        String products = shop.post("/imports", "text/csv", csv(ROWS)).get("id").asString();
        awaitAsserted(() -> {
            assertThat(jids("STARTED", Payments.CHARGE)).hasSize(CHARGES);
            assertThat(shop.getJson("/reports/1").get("daysDone").asInt()).isPositive();
            assertThat(shop.getJson("/imports/" + products).get("succeeded").asInt())
                    .isPositive();
        });
        return products;
    }

    private static void assertNothingIsHeld(RedisCommands<String, String> redis) {
        assertThat(redis.keys("jobs:in:*")).as("jobs in flight").isEmpty();
        assertThat(redis.zcard("jobs:beats")).as("living processes").isZero();
        assertThat(redis.scard("processes")).as("processes shown").isZero();
    }

    private void assertEveryJobIsDoneOrWaits(RedisCommands<String, String> redis) throws IOException {
        Set<String> done = jids("DONE");
        Set<String> unfinished = waiting(redis);
        assertThat(done).isNotEmpty().doesNotContainAnyElementsOf(unfinished);
        assertThat(union(done, unfinished)).as("jobs done or waiting").isEqualTo(jids("ENQUEUED"));
        assertThat(jids("HANDED_BACK"))
                .as("charges that the deadline cut short")
                .isEqualTo(jids("ENQUEUED", Payments.CHARGE));
        assertThat(jids("INTERRUPTED"))
                .as("the report, which stopped by itself")
                .isEqualTo(jids("ENQUEUED", "SalesReports.build"));
        assertThat(unfinished).as("rows not imported, too").hasSizeGreaterThan(CHARGES + 1);
    }

    private static void assertWorkIsDone(ShopProcess shop, String products) {
        assertThat(shop.getJson("/imports/" + products).get("succeeded").asInt())
                .isEqualTo(ROWS);
        assertThat(shop.getJson("/reports/1").get("finished").asBoolean()).isTrue();
        for (int order = 1; order <= CHARGES; order++) {
            assertThat(shop.timeline(order)).contains("card charged after 1 attempt", "receipt mailed");
        }
        awaitAsserted(() -> assertThat(shop.get("/actuator/prometheus")).contains("\njobs_conservation_error 0.0\n"));
    }

    @Test
    void aKilledShopLeavesNoRedis() throws Exception {
        try (ShopProcess shop = ShopProcess.start(directory.resolve("shop.log"), ShopApplication.class)) {
            ProcessHandle redis = shop.embeddedRedis();

            assertThat(shop.kill()).isEqualTo(SIGKILL);

            await("the end of Redis").atMost(PATIENCE).until(() -> !redis.isAlive());
        }
    }

    private ShopProcess start(String log, EmbeddedRedis redis, String... arguments) throws IOException {
        List<String> all = new ArrayList<>(List.of(
                "--spring.data.redis.url=" + redis.uri(),
                "--records=" + directory.resolve("records"),
                "--logging.level.dev.jobs.engine.JobLog=warn",
                "--shop.demo-orders=0",
                "--shop.review-after=100ms"));
        all.addAll(Arrays.asList(arguments));
        return ShopProcess.start(directory.resolve(log), RecordedShop.class, all.toArray(String[]::new));
    }

    private static String csv(int rows) {
        return IntStream.rangeClosed(1, rows)
                .mapToObj(i -> "CARD-" + i + ",Postcard no. " + i + ",190\n")
                .collect(Collectors.joining());
    }

    private Stream<String> lines() throws IOException {
        return Files.readAllLines(directory.resolve("records")).stream();
    }

    /** The jobs with this event, in any process. */
    private Set<String> jids(String what) throws IOException {
        return lines().map(line -> line.split(" "))
                .filter(words -> words[0].equals(what))
                .map(words -> words[1])
                .collect(toSet());
    }

    private Set<String> jids(String what, String name) throws IOException {
        return lines().filter(line -> line.startsWith(what + " ") && line.endsWith(" " + name))
                .map(line -> line.split(" ")[1])
                .collect(toSet());
    }

    /** The jobs in all queues and sets; each has to be in one of them only. */
    private Set<String> waiting(RedisCommands<String, String> redis) {
        List<String> payloads = new ArrayList<>();
        redis.keys("queue:*").forEach(queue -> payloads.addAll(redis.lrange(queue, 0, -1)));
        List.of("schedule", "retry", "dead").forEach(set -> payloads.addAll(redis.zrange(set, 0, -1)));
        List<String> jids = payloads.stream()
                .map(payload -> json.readTree(payload).get("jid").asString())
                .toList();
        assertThat(jids).as("jobs that wait").doesNotHaveDuplicates();
        return Set.copyOf(jids);
    }

    private static void awaitAsserted(ThrowingRunnable assertion) {
        await().atMost(PATIENCE).untilAsserted(assertion);
    }

    private static Set<String> union(Set<String> one, Set<String> other) {
        return Stream.concat(one.stream(), other.stream()).collect(toSet());
    }
}
