package dev.jobs.shards.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.dashboard.DashboardRole;
import dev.jobs.dashboard.Kind;
import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.dashboard.RunningDashboard.Reply;
import dev.jobs.dashboard.TestApplication;
import dev.jobs.dashboard.WebTest;
import dev.jobs.dashboard.jobs.Payloads;
import dev.jobs.dashboard.server.Installations;
import dev.jobs.dashboard.web.Route;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.proof.LongTest;
import dev.jobs.shards.ShardMap;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import tools.jackson.databind.JsonNode;

/** One dashboard over three shards, of which one is silent or away for a while. */
@ExtendWith(OutputCaptureExtension.class)
@WebTest
@ParameterizedClass
@MethodSource("dashboards")
@Timeout(120)
class ShardsIT {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @AutoClose
    static final EmbeddedRedis home = EmbeddedRedis.start();

    @AutoClose
    static final EmbeddedRedis b = EmbeddedRedis.start();

    @AutoClose
    static final EmbeddedRedis c = EmbeddedRedis.start();

    @AutoClose("destroy")
    private static final LettuceConnectionFactory toB = connections(b);

    @AutoClose("destroy")
    private static final LettuceConnectionFactory toC = connections(c);

    private static final StringRedisTemplate inB = new StringRedisTemplate(toB);
    private static final StringRedisTemplate inC = new StringRedisTemplate(toC);

    private final RunningDashboard dashboard;

    ShardsIT(RunningDashboard dashboard) {
        this.dashboard = dashboard;
    }

    private static LettuceConnectionFactory connections(EmbeddedRedis redis) {
        LettuceConnectionFactory factory =
                new LettuceConnectionFactory(new RedisStandaloneConfiguration(redis.host(), redis.port()));
        factory.afterPropertiesSet();
        factory.start();
        return factory;
    }

    static Stream<RunningDashboard> dashboards() {
        return Kind.forAnswers().map(kind -> start(kind, c.uri()));
    }

    private static RunningDashboard start(Kind kind, String third) {
        return RunningDashboard.start(
                kind,
                home,
                "/jobs",
                List.of(TestApplication.class, TestShards.class),
                "jobs.worker.enabled=false",
                "jobs.dashboard.access=local",
                "spring.data.redis.timeout=5s",
                "test.shards=" + b.uri() + "," + third);
    }

    private StringRedisTemplate inHome() {
        return dashboard.redis();
    }

    @BeforeEach
    void empty() {
        for (StringRedisTemplate each : List.of(inHome(), inB, inC)) {
            Set<String> keys = each.keys("*");
            each.delete(keys == null ? List.of() : List.copyOf(keys));
        }
    }

    private static void enqueue(StringRedisTemplate redis, String queue, int jobs) {
        redis.opsForSet().add("queues", queue);
        for (int i = 0; i < jobs; i++) {
            redis.opsForList().leftPush("queue:" + queue, Payloads.failed("j" + i, "Shop.order", "E"));
        }
    }

    private static void process(StringRedisTemplate redis, String identity, int busy, String queue) {
        redis.opsForSet().add("processes", identity);
        String[] parts = identity.split(":");
        redis.opsForHash()
                .putAll(
                        identity,
                        Map.of(
                                "info",
                                "{\"hostname\":\"" + parts[0] + "\",\"pid\":" + parts[1]
                                        + ",\"tag\":\"shop\",\"concurrency\":10,\"queues\":[\"" + queue
                                        + "\"],\"labels\":[],\"identity\":\"" + identity + "\"}",
                                "busy",
                                String.valueOf(busy),
                                "beat",
                                String.valueOf(System.currentTimeMillis() / 1000),
                                "quiet",
                                "false"));
    }

    private static List<String> texts(JsonNode list, String pointer) {
        List<String> texts = new ArrayList<>();
        list.forEach(each -> texts.add(each.at(pointer).asString()));
        return texts;
    }

    /** A signal, as the operating system knows it: {@code STOP} or {@code CONT}. */
    private static void signal(EmbeddedRedis redis, String signal) throws Exception {
        assertThat(new ProcessBuilder("sh", "-c", "kill -" + signal + " " + redis.pid())
                        .start()
                        .waitFor())
                .isZero();
    }

    @Test
    void thePagesLearnOfAllShards() {
        assertThat(dashboard.get("/api/session").at("/divisions/all").toString())
                .isEqualTo(
                        "[{\"at\":\"\",\"name\":\"home\"},{\"at\":\"b\",\"name\":\"b\"},{\"at\":\"c\",\"name\":\"c\"}]");
        assertThat(dashboard.get("/b/api/session").at("/at").asString()).isEqualTo("b");
        assertThat(dashboard.get("/b/api/session").at("/system/name").asString())
                .isEqualTo("shop");
        assertThat(dashboard.get("/shards/api/session").at("/at").asString()).isEqualTo("shards");
        for (String page : List.of("/shards/", "/shards/queues", "/shards/dead", "/b/", "/b/queues", "/c/metrics")) {
            assertThat(dashboard.get(page).status()).as(page).isEqualTo(200);
        }
        assertThat(dashboard.get("/shards/metrics").status()).isEqualTo(404);
        assertThat(dashboard.get("/home/").status()).isEqualTo(404);
    }

    @Test
    void eachShardHasAllPages() {
        enqueue(inB, "reports", 2);
        enqueue(inHome(), "mail", 1);

        assertThat(dashboard.get("/b/api/queues").text()).contains("reports").doesNotContain("mail");
        assertThat(dashboard.get("/api/queues").text()).contains("mail").doesNotContain("reports");
    }

    @Test
    void theOverviewHasEachShardAndTheSums() {
        enqueue(inHome(), "mail", 1);
        enqueue(inB, "orders", 2);
        enqueue(inC, "orders", 3);
        inC.opsForZSet().add("dead", Payloads.failed("d", "Shop.order", "E"), 3e9);
        process(inHome(), "host:1:aa", 2, "orders");
        process(inB, "host:1:bb", 3, "orders");
        process(inB, "host:2:cc", 1, "orders");

        await().atMost(PATIENCE).untilAsserted(() -> {
            JsonNode live = dashboard.forgets().get("/shards/api/overview").at("/live");
            assertThat(live.at("/enqueued").asInt()).isEqualTo(6);
            assertThat(live.at("/dead").asInt()).isEqualTo(1);
            assertThat(live.at("/busy").asInt()).isEqualTo(6);
            assertThat(live.at("/processes").asInt()).as("each counts once").isEqualTo(2);
            assertThat(live.at("/present").asInt()).isEqualTo(3);
            assertThat(live.at("/error").asInt()).isZero();
            assertThat(texts(live.at("/shards"), "/name")).containsExactly("home", "b", "c");
            assertThat(texts(live.at("/shards"), "/numbers/enqueued")).containsExactly("1", "2", "3");
            assertThat(live.at("/shards/1/numbers/latency").asLong()).isPositive();
            assertThat(live.at("/shards/2/address").asString()).isEqualTo("127.0.0.1:" + c.port() + ", database 0");
        });
    }

    @Test
    void liveNumbersAreThoseOfAllShards() throws Exception {
        enqueue(inB, "orders", 2);
        enqueue(inC, "orders", 2);

        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                dashboard
                        .http()
                        .send(dashboard.request("/shards/api/live").build(), BodyHandlers.ofInputStream())
                        .body(),
                StandardCharsets.UTF_8))) {
            String line = lines.readLine();
            while (line != null && !line.contains("\"enqueued\":4,")) {
                line = lines.readLine();
            }
            assertThat(line).contains("\"shards\":[{\"name\":\"home\"").hasSizeLessThan(1_800);
        }
    }

    @Test
    void aSpreadQueueIsOneQueueWithItsShards() {
        enqueue(inHome(), "mail", 4);
        enqueue(inB, "orders", 2);
        enqueue(inC, "orders", 3);
        inC.opsForSet().add("paused", "orders");
        process(inB, "host:1:bb", 0, "orders");
        process(inC, "host:1:cc", 0, "orders");

        JsonNode queues = dashboard.get("/shards/api/queues?sort=size").json();

        assertThat(texts(queues.at("/items"), "/name")).containsExactly("orders", "mail");
        JsonNode orders = queues.at("/items/0");
        assertThat(orders.at("/size").asInt()).isEqualTo(5);
        assertThat(orders.at("/latency").asLong()).isPositive();
        assertThat(orders.at("/spread").asString()).isEqualTo("jid");
        assertThat(orders.at("/workers").asInt()).isEqualTo(1);
        assertThat(orders.at("/paused").asBoolean()).isFalse();
        assertThat(orders.at("/pausedIn").asInt()).isEqualTo(1);
        assertThat(texts(orders.at("/shards"), "/shard/name"))
                .as("home gets some as well")
                .containsExactly("home", "b", "c");
        assertThat(texts(orders.at("/shards"), "/queue/size")).containsExactly("0", "2", "3");
        assertThat(texts(queues.at("/items/1/shards"), "/shard/name")).containsExactly("home");
        assertThat(queues.at("/missing")).isEmpty();
        assertThat(texts(dashboard.get("/shards/api/queues?text=mail").at("/items"), "/name"))
                .containsExactly("mail");
        JsonNode second = dashboard
                .get("/shards/api/queues?size=1&from=1&sort=latency&turned=true")
                .json();
        assertThat(second.at("/total").asInt()).isEqualTo(2);
        assertThat(second.at("/items")).hasSize(1);
    }

    @Test
    void aQueueIsPausedInTheShardsThatAreNamed(CapturedOutput output) {
        enqueue(inB, "orders", 1);

        Reply all = dashboard.post(
                "/shards/api/queue/pause", Map.of("queue", "orders", "shards", List.of("home", "b", "c")));
        Reply one = dashboard.post("/shards/api/queue/resume", Map.of("queue", "orders", "shards", List.of("b")));

        assertThat(all.at("/changed").asInt()).isEqualTo(3);
        assertThat(one.at("/changed").asInt()).isEqualTo(1);
        assertThat(inHome().opsForSet().members("paused")).containsExactly("orders");
        assertThat(inB.opsForSet().members("paused")).isEmpty();
        assertThat(inC.opsForSet().members("paused")).containsExactly("orders");
        assertThat(output)
                .contains(
                        "127.0.0.1: pause queue orders [1] in home",
                        "127.0.0.1: pause queue orders [1] in b",
                        "127.0.0.1: pause queue orders [1] in c",
                        "127.0.0.1: resume queue orders [1] in b");
        dashboard.post("/api/queue/resume", Map.of("queue", "orders"));
        dashboard.post("/c/api/queue/resume", Map.of("queue", "orders"));
        assertThat(output).contains("resume queue orders [1] in home", "resume queue orders [1] in c");
    }

    @Test
    void aProcessThatServesSeveralShardsIsShownOnce(CapturedOutput output) {
        process(inHome(), "host:1:aa", 2, "mail");
        process(inB, "host:1:bb", 3, "orders");
        process(inB, "host:2:cc", 1, "orders");

        JsonNode processes = dashboard.get("/shards/api/busy").at("/processes/items");

        assertThat(texts(processes, "/pid")).containsExactly("1", "2");
        assertThat(processes.at("/0/busy").asInt()).isEqualTo(5);
        assertThat(processes.at("/0/concurrency").asInt()).isEqualTo(10);
        assertThat(processes.at("/0/queues").toString()).isEqualTo("[\"mail\",\"orders\"]");
        assertThat(texts(processes.at("/0/shards"), "/shard/name")).containsExactly("home", "b");
        assertThat(dashboard
                        .get("/shards/api/busy?text=HOST:2")
                        .at("/processes/total")
                        .asInt())
                .isEqualTo(1);

        Reply told = dashboard.post(
                "/shards/api/process/quiet",
                Map.of("shards", List.of("home", "b"), "identities", List.of("host:1:aa", "host:1:bb")));

        assertThat(told.at("/told").asInt()).as(told.text()).isEqualTo(2);
        assertThat(inHome().opsForList().range("host:1:aa-signals", 0, -1)).containsExactly("TSTP");
        assertThat(inB.opsForList().range("host:1:bb-signals", 0, -1)).containsExactly("TSTP");
        assertThat(output).contains("quiet process host:1:aa [1] in home", "quiet process host:1:bb [1] in b");
    }

    /** As of two containers with one host name, each with its worker as process 1. */
    @Test
    void twoProcessesWithTheSameHostAndPidAreNotOne() {
        process(inHome(), "host:1:aa", 2, "mail");
        process(inB, "host:1:bb", 3, "orders");
        process(inB, "host:1:cc", 1, "orders");
        enqueue(inB, "orders", 1);

        JsonNode processes = dashboard.get("/shards/api/busy").at("/processes/items");

        assertThat(texts(processes, "/pid")).containsExactly("1", "1");
        assertThat(texts(processes.at("/0/shards"), "/identity")).containsExactly("host:1:aa", "host:1:bb");
        assertThat(texts(processes.at("/1/shards"), "/identity")).containsExactly("host:1:cc");
        assertThat(dashboard.get("/shards/api/queues").at("/items/0/workers").asInt())
                .isEqualTo(2);
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(dashboard
                        .forgets()
                        .get("/shards/api/overview")
                        .at("/live/processes")
                        .asInt())
                .isEqualTo(2));
    }

    @Test
    void theLastPageOfTheQueuesIsShownIfTheListHasBecomeShorter() {
        for (String queue : List.of("mail", "reports", "orders")) {
            enqueue(inHome(), queue, 1);
        }

        JsonNode beyond = dashboard.get("/shards/api/queues?from=50&size=2").json();

        assertThat(beyond.at("/from").asInt()).isEqualTo(2);
        assertThat(beyond.at("/items")).hasSize(1);
    }

    @Test
    void listsOfJobsAreMergedByTime() {
        List<StringRedisTemplate> all = List.of(inHome(), inB, inC);
        for (int i = 0; i < 12; i++) {
            all.get(i % 4 % 3).opsForZSet().add("dead", Payloads.failed("d" + i, "Shop.order", "E"), 2e9 + i);
            all.get(i % 4 % 3).opsForZSet().add("retry", Payloads.failed("r" + i, "Shop.order", "E"), 2e9 + i);
        }

        assertThat(merged("dead")).containsExactlyElementsOf(names("d", 11, 0));
        assertThat(merged("retries")).containsExactlyElementsOf(names("r", 0, 11));
        JsonNode first = dashboard.get("/shards/api/jobs?place=dead&size=5").json();
        assertThat(first.at("/total").asInt()).isEqualTo(12);
        assertThat(texts(first.at("/counts"), "/total")).containsExactly("6", "3", "3");
        assertThat(dashboard.get("/shards/api/jobs?place=dead&from=1,2").status())
                .isEqualTo(400);
        assertThat(dashboard.get("/shards/api/jobs?place=dead&from=1,2,x").status())
                .isEqualTo(400);
        assertThat(dashboard.get("/shards/api/jobs?place=queue").status()).isEqualTo(400);
    }

    private static List<String> names(String prefix, int first, int last) {
        List<String> names = new ArrayList<>();
        for (int i = first; i != last; i += Integer.signum(last - first)) {
            names.add(prefix + i);
        }
        names.add(prefix + last);
        return names;
    }

    /** The ids of all pages of a list, five jobs each. */
    private List<String> merged(String place) {
        List<String> jids = new ArrayList<>();
        String from = "";
        for (int page = 0; page < 3; page++) {
            JsonNode list = dashboard
                    .get("/shards/api/jobs?place=" + place + "&size=5" + from)
                    .json();
            jids.addAll(texts(list.at("/items"), "/job/jid"));
            assertThat(list.at("/next").isNull()).isEqualTo(page == 2);
            from = "&from=" + list.at("/next").asString();
        }
        return jids;
    }

    @Test
    void aJobIsFoundInWhicheverShardItIs() {
        enqueue(inB, "orders", 1);
        inC.opsForZSet().add("dead", Payloads.failed("j0", "Shop.order", "E"), 3e9);
        inC.opsForZSet().add("retry", Payloads.failed("only", "Shop.order", "E"), 3e9);

        JsonNode several = dashboard.get("/shards/api/find?jid=j0").json();

        assertThat(texts(several.at("/found"), "/shard/at")).containsExactly("b", "c");
        assertThat(texts(several.at("/found"), "/hit/place")).containsExactly("queue", "dead");
        assertThat(texts(dashboard.get("/shards/api/find?jid=only").at("/found"), "/hit/place"))
                .containsExactly("retries");
        assertThat(dashboard.get("/shards/api/find?jid=nowhere").at("/found")).isEmpty();
    }

    /** The queue orders is in all of them; another one in that of its name. */
    @Test
    void jobsAreMovedOnlyToQueuesOfTheirShard() {
        String other = Stream.iterate(0, i -> i + 1)
                .map(i -> "q" + i)
                .filter(queue ->
                        !dashboard.bean(TestShards.Shards.class).map().of(queue).contains("b"))
                .findFirst()
                .orElseThrow();
        enqueue(inB, "reports", 1);

        Map<String, Object> all = Map.of("place", "queue", "queue", "reports", "matching", Map.of());
        Map<String, Object> elsewhere = new LinkedHashMap<>(all);
        elsewhere.put("to", other);
        Reply refused = dashboard.post("/b/api/jobs/move", elsewhere);
        elsewhere.put("to", "orders");
        Reply moved = dashboard.post("/b/api/jobs/move", elsewhere);

        assertThat(refused.at("/error/code").asString()).as(refused.text()).isEqualTo("other-shard");
        assertThat(moved.at("/done").asInt()).as(moved.text()).isEqualTo(1);
        assertThat(inB.opsForList().size("queue:orders")).isEqualTo(1);
    }

    /** Its id decides the shard, so a search for the id finds it there. */
    @Test
    void aJobThatIsEnqueuedByHandInASpreadQueueGetsAnIdOfTheShard() {
        ShardMap map = dashboard.bean(TestShards.Shards.class).map();
        process(inB, "b-1:1:0123456789ab", 0, "orders"); // it doesn't say which jobs it knows
        for (int i = 0; i < 8; i++) {
            Reply stored = dashboard.post(
                    "/b/api/enqueue", Map.of("job", "Jobs.sell", "arguments", List.of("\"Momo\""), "to", "orders"));

            assertThat(stored.status()).as(stored.text()).isEqualTo(200);
            assertThat(map.of("orders", stored.at("/jid").asString(), null)).isEqualTo("b");
        }
        assertThat(inB.opsForList().size("queue:orders")).isEqualTo(8);
    }

    @Test
    void whatIsNoShardIsRefused() {
        assertThat(dashboard
                        .post("/shards/api/queue/pause", Map.of("queue", "q", "shards", List.of("b", "d")))
                        .status())
                .isEqualTo(400);
        assertThat(dashboard
                        .post(
                                "/shards/api/process/stop",
                                Map.of("shards", List.of("b", "c"), "identities", List.of("x")))
                        .status())
                .isEqualTo(400);
        assertThat(inB.opsForSet().members("paused")).isEmpty();
    }

    @Test
    void actionsNeedTheRoleAndAPageOfTheDashboard() {
        Map<String, Route> routes = dashboard
                .bean(Installations.class)
                .target("shards/")
                .installation()
                .routes();
        routes.forEach((name, route) -> assertThat(route.role())
                .as(name)
                .isEqualTo(name.startsWith("POST") ? DashboardRole.OPERATOR : DashboardRole.VIEWER));
        routes.keySet().stream().filter(name -> name.startsWith("POST")).forEach(name -> assertThat(dashboard
                        .send(dashboard
                                .request("/shards/" + name.replace("POST ", ""))
                                .header("Origin", "http://elsewhere.example")
                                .header("Content-Type", "application/json")
                                .POST(BodyPublishers.ofString("{}")))
                        .status())
                .as(name)
                .isEqualTo(403));
    }

    /** The command timeout is five seconds. */
    @Test
    @LongTest
    void aSilentShardDelaysNothingAndItsLastNumbersStay() throws Exception {
        enqueue(inHome(), "mail", 1);
        enqueue(inC, "orders", 3);
        await().atMost(PATIENCE)
                .until(() -> dashboard
                                .forgets()
                                .get("/shards/api/overview")
                                .at("/live/enqueued")
                                .asInt()
                        == 4);

        signal(c, "STOP");
        try {
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(dashboard
                            .forgets()
                            .get("/shards/api/overview")
                            .at("/live/shards/2/trouble/code")
                            .asString())
                    .isEqualTo("silent"));
            enqueue(inB, "orders", 2);
            long begun = System.nanoTime();
            for (int i = 0; i < 10; i++) {
                assertThat(texts(dashboard.get("/shards/api/queues").at("/missing"), "/shard/name"))
                        .contains("c");
                assertThat(dashboard
                                .get("/shards/api/find?jid=j0")
                                .at("/partial")
                                .asBoolean())
                        .isTrue();
            }
            assertThat(Duration.ofNanos(System.nanoTime() - begun))
                    .as("twenty answers, of which each would take five seconds")
                    .isLessThan(Duration.ofSeconds(30));
            await().atMost(PATIENCE).untilAsserted(() -> {
                JsonNode live = dashboard.forgets().get("/shards/api/overview").at("/live");
                assertThat(live.at("/shards/1/numbers/enqueued").asInt()).isEqualTo(2);
                assertThat(live.at("/shards/2/numbers/enqueued").asInt())
                        .as("as it was")
                        .isEqualTo(3);
                assertThat(live.at("/shards/2/numbers/at").asLong())
                        .isLessThan(live.at("/shards/1/numbers/at").asLong());
                assertThat(live.at("/present").asInt()).isEqualTo(2);
            });
            JsonNode queue = dashboard.get("/shards/api/queues?text=orders").at("/items/0/shards");
            assertThat(texts(queue, "/shard/name")).containsExactly("home", "b", "c");
            assertThat(queue.at("/2/queue").isNull()).isTrue();
            assertThat(dashboard.get("/b/api/queues").status()).isEqualTo(200);

            Reply paused =
                    dashboard.post("/shards/api/queue/pause", Map.of("queue", "orders", "shards", List.of("b", "c")));

            assertThat(paused.at("/changed").asInt()).as(paused.text()).isEqualTo(1);
            assertThat(texts(paused.at("/missing"), "/shard/name")).containsExactly("c");
            assertThat(inB.opsForSet().members("paused")).containsExactly("orders");
        } finally {
            signal(c, "CONT");
        }
        await().atMost(PATIENCE).untilAsserted(() -> {
            JsonNode live = dashboard.forgets().get("/shards/api/overview").at("/live");
            assertThat(live.at("/present").asInt()).isEqualTo(3);
            assertThat(live.at("/shards/2/trouble").isMissingNode()).isTrue();
        });
    }

    @Test
    void aSilentHomeDelaysNoOther() throws Exception {
        enqueue(inB, "orders", 2);
        signal(home, "STOP");
        try {
            await().atMost(PATIENCE).untilAsserted(() -> {
                JsonNode live = dashboard.forgets().get("/shards/api/overview").at("/live");
                assertThat(live.at("/shards/0/trouble/code").asString()).isEqualTo("silent");
                assertThat(live.at("/shards/1/numbers/enqueued").asInt()).isEqualTo(2);
            });
        } finally {
            signal(home, "CONT");
        }
        await().atMost(PATIENCE)
                .until(() -> dashboard
                                .forgets()
                                .get("/shards/api/overview")
                                .at("/live/present")
                                .asInt()
                        == 3);
    }

    @Test
    void aShardThatStopsIsAwayAndComesBackAndFindingsNameTheirShard() {
        enqueue(inB, "unserved", 1);
        EmbeddedRedis third = EmbeddedRedis.start();
        int port = third.port();
        try (RunningDashboard other = start(dashboard.kind(), third.uri())) {
            JsonNode findings = other.get("/shards/api/overview").at("/findings");
            assertThat(texts(findings, "/shard/name")).containsExactly("b");
            assertThat(texts(findings, "/finding/code")).containsExactly("no-process");
            await().atMost(PATIENCE)
                    .until(() -> other.forgets()
                                    .get("/shards/api/overview")
                                    .at("/live/present")
                                    .asInt()
                            == 3);

            third.close();

            await().atMost(PATIENCE).untilAsserted(() -> {
                JsonNode live = other.forgets().get("/shards/api/overview").at("/live");
                assertThat(live.at("/shards/2/trouble/code").asString()).isEqualTo("redis");
                assertThat(live.at("/shards/2/numbers/at").asLong()).isPositive();
                assertThat(live.at("/present").asInt()).isEqualTo(2);
            });
            assertThat(other.get("/c/api/queues").status()).isEqualTo(503);
            assertThat(other.get("/b/api/queues").status()).isEqualTo(200);
            Map<String, Object> pause = new LinkedHashMap<>(Map.of("queue", "orders", "shards", List.of("c")));
            assertThat(other.post("/shards/api/queue/pause", pause).status()).isEqualTo(503);

            third = EmbeddedRedis.builder().port(port).start();

            await().atMost(PATIENCE)
                    .until(() -> other.forgets()
                                    .get("/shards/api/overview")
                                    .at("/live/present")
                                    .asInt()
                            == 3);
        } finally {
            third.close();
        }
    }

    @Test
    void aShardFullOfHostileDataHidesNone() {
        inB.opsForValue().set("queue:broken", "text");
        inB.opsForSet().add("queues", "broken", "<b>&", "x".repeat(300));
        inB.opsForZSet().add("dead", "{not json", Double.POSITIVE_INFINITY);
        inB.opsForZSet().add("dead", "\u0000", Double.NEGATIVE_INFINITY);
        inB.opsForSet().add("processes", "no:such:process", "???");
        inHome().opsForZSet().add("dead", Payloads.failed("d", "Shop.order", "E"), 3e9);

        for (String call : List.of(
                "overview",
                "queues",
                "queues?sort=latency",
                "busy",
                "jobs?place=dead",
                "jobs?place=retries",
                "find?jid=d")) {
            Reply reply = dashboard.get("/shards/api/" + call);
            assertThat(reply.status()).as(call + reply.text()).isEqualTo(200);
        }
        assertThat(dashboard.get("/shards/api/jobs?place=dead").at("/items")).hasSize(3);
        inB.opsForValue().set("dead", "text");
        Reply without = dashboard.get("/shards/api/jobs?place=dead");
        assertThat(texts(without.at("/missing"), "/code")).containsExactly("redis-type");
        assertThat(without.at("/items")).hasSize(1);
    }
}
