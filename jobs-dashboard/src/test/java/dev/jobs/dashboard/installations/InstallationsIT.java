package dev.jobs.dashboard.installations;

import static dev.jobs.dashboard.RunningDashboard.encoded;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.DeathHandler;
import dev.jobs.EnqueueMiddleware;
import dev.jobs.Job;
import dev.jobs.dashboard.Kind;
import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.dashboard.RunningDashboard.Reply;
import dev.jobs.dashboard.TestApplication;
import dev.jobs.dashboard.WebTest;
import dev.jobs.dashboard.jobs.Payloads;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.proof.LongTest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.types.RedisClientInfo;

/** One dashboard that shows several installations: its own, one elsewhere, and one that is away. */
@ExtendWith(OutputCaptureExtension.class)
@WebTest
@ParameterizedClass
@MethodSource("dashboards")
class InstallationsIT {

    private static final String PASSWORD = "s3cret";
    private static final String CARD = "4111-1111-1111-1111";

    @AutoClose
    static final EmbeddedRedis server = EmbeddedRedis.start();

    @AutoClose
    static final EmbeddedRedis abroad = EmbeddedRedis.start("--requirepass", PASSWORD);

    @AutoClose("destroy")
    private static final LettuceConnectionFactory connections = connections(abroad);

    private static final StringRedisTemplate eu = new StringRedisTemplate(connections);

    private final RunningDashboard dashboard;

    InstallationsIT(RunningDashboard dashboard) {
        this.dashboard = dashboard;
    }

    static LettuceConnectionFactory connections(EmbeddedRedis redis) {
        LettuceConnectionFactory factory =
                new LettuceConnectionFactory(LettuceConnectionFactory.createRedisConfiguration(
                        "redis://:" + PASSWORD + "@" + redis.host() + ":" + redis.port()));
        factory.afterPropertiesSet();
        factory.start();
        return factory;
    }

    static Stream<RunningDashboard> dashboards() {
        return Kind.forAnswers().map(kind -> start(kind));
    }

    private static RunningDashboard start(Kind kind) {
        return RunningDashboard.start(
                kind,
                server,
                "/jobs",
                Watcher.class,
                "jobs.worker.enabled=false",
                "jobs.dashboard.access=local",
                "jobs.dashboard.system.environment=test",
                "jobs.dashboard.installations.eu.redis.url=redis://" + abroad.host() + ":" + abroad.port(),
                "jobs.dashboard.installations.eu.redis.password=" + PASSWORD,
                "jobs.dashboard.installations.eu.system.name=Shop EU",
                "jobs.dashboard.installations.eu.system.environment=production",
                "jobs.dashboard.installations.eu.system.colour=red",
                "jobs.dashboard.installations.away.redis.url=redis://:" + PASSWORD + "@localhost:1/3");
    }

    /** An application whose hooks write down what they are called for. */
    @Configuration(proxyBeanMethods = false)
    @Import(TestApplication.class)
    static class Watcher {

        final List<String> called = new CopyOnWriteArrayList<>();

        @Bean
        EnqueueMiddleware middleware() {
            return (payload, next) -> {
                called.add("middleware");
                return next.proceed(payload);
            };
        }

        @Bean
        DeathHandler deaths() {
            return (payload, failure) -> called.add("death");
        }
    }

    @BeforeEach
    void empty() {
        for (StringRedisTemplate each : List.of(dashboard.redis(), eu)) {
            each.delete(keys(each));
        }
        hooks().clear();
    }

    private static List<String> keys(StringRedisTemplate redis) {
        Set<String> keys = redis.keys("*");
        return keys == null ? List.of() : List.copyOf(keys);
    }

    private List<String> hooks() {
        return dashboard.bean(Watcher.class).called;
    }

    private static void enqueue(StringRedisTemplate redis, String queue, int jobs) {
        redis.opsForSet().add("queues", queue);
        for (int i = 0; i < jobs; i++) {
            redis.opsForList().leftPush("queue:" + queue, Payloads.failed("j" + i, "Eu.job", "E"));
        }
    }

    private static List<String> clients(StringRedisTemplate redis) {
        List<RedisClientInfo> all = redis.execute((RedisCallback<List<RedisClientInfo>>)
                connection -> connection.serverCommands().getClientList());
        return all == null
                ? List.of()
                : all.stream()
                        .map(client -> String.valueOf(client.getName()))
                        .filter(name -> name.startsWith("jobs"))
                        .toList();
    }

    @Test
    void eachHasNumbersOfItsOwn() {
        enqueue(dashboard.redis(), "mail", 1);
        enqueue(eu, "mail", 2);
        enqueue(eu, "abroad", 3);

        await().untilAsserted(() -> {
            assertThat(dashboard
                            .forgets()
                            .get("/api/overview")
                            .at("/live/enqueued")
                            .asInt())
                    .isEqualTo(1);
            assertThat(dashboard.get("/eu/api/overview").at("/live/enqueued").asInt())
                    .isEqualTo(5);
        });
        assertThat(dashboard.get("/eu/api/queues").text()).contains("abroad");
        assertThat(dashboard.get("/api/queues").text()).doesNotContain("abroad");
    }

    @Test
    @Timeout(180)
    void liveNumbersAreThoseOfTheInstallation() throws Exception {
        enqueue(eu, "abroad", 4);

        try (BufferedReader lines = stream(dashboard, "/eu/api/live")) {
            String data = next(lines);
            while (!data.contains("\"enqueued\":4,")) {
                data = next(lines);
            }
            assertThat(data).contains("abroad");
        }
        try (BufferedReader lines = stream(dashboard, "/away/api/live")) {
            assertThat(next(lines)).contains("\"code\":\"redis\"");
        }
    }

    private static BufferedReader stream(RunningDashboard dashboard, String path) throws Exception {
        return new BufferedReader(new InputStreamReader(
                dashboard
                        .http()
                        .send(dashboard.request(path).build(), BodyHandlers.ofInputStream())
                        .body(),
                StandardCharsets.UTF_8));
    }

    private static String next(BufferedReader lines) throws IOException {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.startsWith("data:")) {
                return line;
            }
        }
        throw new IOException("the stream has ended");
    }

    @Test
    void anApplicationThatDoesNotDivideItsJobsHasNoDivisions() {
        assertThat(dashboard.get("/api/session").at("/divisions").isNull()).isTrue();
    }

    @Test
    void anActionHitsOnlyThatOneAndTheAuditNamesIt(CapturedOutput output) {
        enqueue(dashboard.redis(), "mail", 1);
        enqueue(eu, "mail", 1);

        assertThat(dashboard
                        .post("/eu/api/queue/pause", Map.of("queue", "mail"))
                        .at("/changed")
                        .asBoolean())
                .isTrue();

        assertThat(eu.opsForSet().members("paused")).containsExactly("mail");
        assertThat(dashboard.redis().opsForSet().members("paused")).isEmpty();
        assertThat(output).contains("127.0.0.1: pause queue mail [1] in eu");
        dashboard.post("/api/queue/pause", Map.of("queue", "mail"));
        assertThat(output).containsPattern("127.0.0.1: pause queue mail \\[1\\]\\R");
    }

    @Test
    void deletedJobsComeBack() {
        eu.opsForZSet().add("retry", Payloads.failed("a", "Eu.job", "E"), 3e9);
        dashboard.redis().opsForZSet().add("retry", Payloads.failed("a", "Eu.job", "E"), 3e9);
        String key =
                dashboard.get("/eu/api/jobs?place=retries").at("/items/0/key").asString();

        Reply deleted = dashboard.post("/eu/api/jobs/delete", Map.of("place", "retries", "keys", List.of(key)));
        assertThat(deleted.at("/done").asInt()).isEqualTo(1);
        assertThat(eu.opsForZSet().size("retry")).isZero();
        assertThat(dashboard.redis().opsForZSet().size("retry")).isEqualTo(1);
        dashboard.post("/eu/api/undo", Map.of("batch", deleted.at("/undo").asString()));

        assertThat(eu.opsForZSet().size("retry")).isEqualTo(1);
    }

    /** The hooks are for the application's own jobs, and how many dead ones are kept its workers decide. */
    @Test
    void jobsThatAreKilledAndRunConcernNoHook() {
        for (int i = 0; i < 3; i++) {
            eu.opsForZSet().add("dead", Payloads.failed("old" + i, "Eu.job", "E"), i);
        }
        eu.opsForZSet().add("retry", Payloads.failed("a", "Eu.job", "E"), 3e9);
        eu.opsForZSet().add("retry", Payloads.failed("b", "Eu.job", "E"), 3e9 + 1);
        String key =
                dashboard.get("/eu/api/jobs?place=retries").at("/items/0/key").asString();

        dashboard.post("/eu/api/jobs/kill", Map.of("place", "retries", "keys", List.of(key)));
        dashboard.post("/eu/api/jobs/run", Map.of("place", "retries", "matching", Map.of()));

        assertThat(eu.opsForZSet().size("dead")).as("none is too old").isEqualTo(4);
        assertThat(eu.opsForList().size("queue:low")).isEqualTo(1);
        assertThat(hooks()).isEmpty();
    }

    @Test
    void theSameArgumentsAreHidden() {
        eu.opsForZSet()
                .add(
                        "dead",
                        Payloads.failed("a", "Jobs.charge", "E").replace("[1]", "[\"ann\",\"" + CARD + "\"]"),
                        3e9);

        Reply jobs = dashboard.get("/eu/api/jobs?place=dead");
        String key = encoded(jobs.at("/items/0/key").asString());
        Reply job = dashboard.get("/eu/api/job?place=dead&key=" + key);

        assertThat(jobs.text()).contains("ann").doesNotContain(CARD);
        assertThat(job.text()).contains("ann").doesNotContain(CARD);
    }

    @Test
    void jobsAreEnqueuedThatItsWorkersKnow(CapturedOutput output) {
        try (RunningDashboard worker = worker()) {
            await().until(() ->
                    dashboard.get("/eu/api/known").at("/jobs").toString().contains("Abroad.greet"));
            assertThat(dashboard.get("/api/known").at("/jobs").toString()).doesNotContain("Abroad.greet");
            Reply known = dashboard.get("/eu/api/known/job?name=Abroad.greet");
            assertThat(known.at("/here").asBoolean()).isFalse();
            assertThat(worker.get("/api/known/job?name=Abroad.greet")
                            .at("/here")
                            .asBoolean())
                    .isTrue();
            assertThat(known.at("/arguments").asInt()).isEqualTo(1);
            Map<String, Object> job = Map.of("job", "Abroad.greet", "arguments", List.of("\"Ann\""), "to", "unserved");

            assertThat(dashboard.post("/api/enqueue", job).at("/error/code").asString())
                    .isEqualTo("unknown-job");
            Reply stored = dashboard.post("/eu/api/enqueue", job);

            assertThat(stored.status()).as(stored.text()).isEqualTo(200);
            assertThat(eu.opsForList().range("queue:unserved", 0, -1).toString())
                    .contains("Abroad.greet", "Ann");
            assertThat(output).contains("enqueue Abroad.greet in queue unserved [1] in eu");
            assertThat(hooks()).isEmpty();
            Reply undone = dashboard.post(
                    "/eu/api/enqueue/undo",
                    Map.of("jid", stored.at("/jid").asString(), "place", "queue", "queue", "unserved"));
            assertThat(undone.at("/done").asInt()).isEqualTo(1);
        }
    }

    /** A worker of Ruby doesn't say what it knows, and that of this application is elsewhere. */
    @Test
    void nothingIsEnqueuedThatNoWorkerThereIsKnownToKnow() {
        eu.opsForSet().add("processes", "ruby:1:a");
        eu.opsForHash()
                .putAll(
                        "ruby:1:a",
                        Map.of(
                                "info",
                                "{\"hostname\":\"ruby\",\"pid\":1,\"tag\":\"\",\"concurrency\":5,\"queues\":[\"default\"],"
                                        + "\"labels\":[],\"identity\":\"ruby:1:a\"}",
                                "busy",
                                "0",
                                "beat",
                                String.valueOf(System.currentTimeMillis() / 1000),
                                "quiet",
                                "false"));

        assertThat(dashboard.get("/eu/api/known").at("/jobs")).isEmpty();
        Reply refused = dashboard.post("/eu/api/enqueue", Map.of("job", "Jobs.sell", "arguments", List.of("\"b\"")));

        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.at("/error/code").asString()).isEqualTo("unknown-job");
        assertThat(refused.at("/error/message").asString()).contains("No live worker knows this job");
    }

    @Test
    void recurringJobsAreThoseOfTheInstallation() {
        try (RunningDashboard worker = worker()) {
            await().untilAsserted(() -> assertThat(dashboard
                            .get("/eu/api/recurring")
                            .at("/items/0/known")
                            .asBoolean())
                    .isTrue());
            Reply list = dashboard.get("/eu/api/recurring");
            assertThat(list.at("/items/0/job").asString()).isEqualTo("Abroad.report");
            assertThat(dashboard.get("/api/recurring").at("/items")).isEmpty();
            String name = list.at("/items/0/name").asString();

            assertThat(dashboard
                            .post("/eu/api/recurring/pause", Map.of("name", name))
                            .at("/changed")
                            .asBoolean())
                    .isTrue();
            assertThat(worker.get("/api/recurring").at("/items/0/paused").asBoolean())
                    .isTrue();
            Reply run = dashboard.post("/eu/api/recurring/run", Map.of("name", name));

            assertThat(run.at("/changed").asBoolean()).as(run.text()).isTrue();
            assertThat(hooks()).isEmpty();
        }
    }

    private static RunningDashboard worker() {
        return RunningDashboard.start(
                abroad,
                "/jobs",
                Abroad.class,
                "spring.data.redis.url=redis://:" + PASSWORD + "@" + abroad.host() + ":" + abroad.port(),
                "jobs.dashboard.access=local");
    }

    /** An application that runs its jobs elsewhere. */
    @Configuration(proxyBeanMethods = false)
    @Import(TestApplication.class)
    static class Abroad {

        @Bean
        AbroadJobs abroadJobs() {
            return new AbroadJobs();
        }
    }

    static class AbroadJobs {

        @Job("Abroad.greet")
        void greet(String name) {}

        @Job(value = "Abroad.report", cron = "0 0 1 1 *")
        void report() {}
    }

    @Test
    void oneThatIsAwayDisturbsNoOther() {
        Reply away = dashboard.get("/away/api/overview");

        assertThat(away.status()).isEqualTo(503);
        assertThat(away.at("/error/code").asString()).isEqualTo("redis");
        assertThat(away.text())
                .contains("localhost:1, database 3", "jobs.dashboard.installations.away.redis.url")
                .doesNotContain(PASSWORD);
        assertThat(dashboard.post("/away/api/queue/pause", Map.of("queue", "q")).status())
                .isEqualTo(503);
        assertThat(dashboard.get("/api/overview").status()).isEqualTo(200);
        assertThat(dashboard.get("/eu/api/overview").status()).isEqualTo(200);
        assertThat(dashboard.get("/away/queues").status()).isEqualTo(200);
    }

    @Test
    void oneThatStopsDisturbsNoOther() {
        EmbeddedRedis other = EmbeddedRedis.start();
        try (RunningDashboard two = RunningDashboard.start(
                dashboard.kind(),
                server,
                "/jobs",
                TestApplication.class,
                "jobs.worker.enabled=false",
                "jobs.dashboard.access=local",
                "jobs.dashboard.installations.other.redis.url=" + other.uri())) {
            assertThat(two.get("/other/api/queues").status()).isEqualTo(200);

            other.close();

            assertThat(two.get("/other/api/queues").status()).isEqualTo(503);
            assertThat(two.get("/api/queues").status()).isEqualTo(200);
        }
    }

    /** Its calls wait for Redis, and so do its live numbers. */
    @Test
    @LongTest
    @Timeout(180)
    void oneThatDoesNotAnswerHoldsUpNoOther() throws Exception {
        EmbeddedRedis silent = EmbeddedRedis.start();
        try (RunningDashboard two = RunningDashboard.start(
                        dashboard.kind(),
                        server,
                        "/jobs",
                        TestApplication.class,
                        "jobs.worker.enabled=false",
                        "jobs.dashboard.access=local",
                        "jobs.dashboard.installations.silent.redis.url=" + silent.uri() + "?timeout=55s");
                BufferedReader its = stream(two, "/silent/api/live");
                BufferedReader own = stream(two, "/api/live")) {
            next(its);
            // A call that comes when the others have waited for eight seconds would replace their connection, so these
            // find threads and connections to the server.
            assertThat(twentyCalls(two))
                    .allSatisfy(each -> assertThat(each.get().statusCode()).isEqualTo(200));
            signal(silent, "-STOP");

            List<CompletableFuture<HttpResponse<String>>> waiting = twentyCalls(two);
            await().until(() -> callsThatWaitForRedis() >= (two.kind() == Kind.SERVLET ? 20 : 16));
            assertThat(two.get("/api/queues").status()).isEqualTo(200);
            for (int i = 0; i < 3; i++) {
                next(own);
            }

            assertThat(waiting).noneMatch(CompletableFuture::isDone);
            signal(silent, "-CONT");
            for (CompletableFuture<HttpResponse<String>> each : waiting) {
                assertThat(each.get().statusCode()).isEqualTo(200);
            }
        } finally {
            signal(silent, "-CONT");
            silent.close();
        }
    }

    private static void signal(EmbeddedRedis redis, String signal) throws IOException, InterruptedException {
        new ProcessBuilder("sh", "-c", "kill " + signal + " " + redis.pid())
                .start()
                .waitFor();
    }

    private static List<CompletableFuture<HttpResponse<String>>> twentyCalls(RunningDashboard two) {
        return Stream.generate(() ->
                        two.http().sendAsync(two.request("/silent/api/queues").build(), BodyHandlers.ofString()))
                .limit(20)
                .toList();
    }

    private static long callsThatWaitForRedis() {
        return Thread.getAllStackTraces().values().stream()
                .map(Arrays::asList)
                .filter(stack -> calls(stack, "RedisConnection", "await") && calls(stack, "DashboardHandler", "answer"))
                .count();
    }

    private static boolean calls(List<StackTraceElement> stack, String type, String method) {
        return stack.stream()
                .anyMatch(each -> each.getClassName().endsWith("." + type)
                        && each.getMethodName().equals(method));
    }

    @Test
    @Timeout(180)
    void allTogetherHaveSoManyViewers() throws Exception {
        try (RunningDashboard two = RunningDashboard.start(
                        dashboard.kind(),
                        server,
                        "/jobs",
                        TestApplication.class,
                        "jobs.worker.enabled=false",
                        "jobs.dashboard.access=local",
                        "jobs.dashboard.max-viewers=1",
                        "jobs.dashboard.installations.away.redis.url=redis://localhost:1");
                BufferedReader own = stream(two, "/api/live")) {
            next(own);

            assertThat(two.get("/away/api/live").at("/error/code").asString()).isEqualTo("busy");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/nowhere",
                "/nowhere/",
                "/nowhere/queues",
                "/nowhere/api/session",
                "/nowhere/api/live",
                "/EU/",
                "/eu/nothing",
                "/eu/eu/",
                "/eu/api/nothing",
                "/eu/queues/",
                "/eu/assets/app.js",
                "/eu/api/history/tasks"
            })
    void whatIsNotThereIsNotFound(String path) {
        assertThat(dashboard.get(path).status()).isEqualTo(404);
    }

    @Test
    void anActionOnAnUnknownOneIsNotFoundEither() {
        assertThat(dashboard
                        .post("/nowhere/api/queue/pause", Map.of("queue", "mail"))
                        .status())
                .isEqualTo(404);
        assertThat(keys(dashboard.redis())).doesNotContain("paused");
    }

    @Test
    void itsPagesAreOneLevelDeeperAndShareTheFiles() {
        Reply redirect = dashboard.get("/eu");
        assertThat(redirect.status()).isEqualTo(302);
        assertThat(redirect.header("Location")).isEqualTo("./eu/");
        Reply page = dashboard.get("/eu/queue?name=mail");
        assertThat(page.text()).isEqualTo(dashboard.get("/eu/").text()).doesNotContain("\"assets/", "\"v-");
        Matcher script = Pattern.compile("src=\"([^\"]+)\"").matcher(page.text());
        assertThat(script.find()).isTrue();

        String file = dashboard.uri("/eu/").resolve(script.group(1)).getPath().substring("/jobs".length());

        assertThat(dashboard.get(file).header("Cache-Control")).contains("immutable");
    }

    @Test
    void theSessionSaysWhichOneItIsAndWhichOthersThereAre() {
        Reply own = dashboard.get("/api/session");
        Reply other = dashboard.get("/eu/api/session");

        assertThat(own.at("/at").asString()).isEmpty();
        assertThat(own.at("/system/name").asString()).isEqualTo("shop");
        assertThat(other.at("/at").asString()).isEqualTo("eu");
        assertThat(other.at("/system").toString())
                .isEqualTo("{\"name\":\"Shop EU\",\"environment\":\"production\",\"colour\":\"red\"}");
        assertThat(other.at("/features/recurring").asBoolean()).isTrue();
        assertThat(own.at("/installations").toString())
                .isEqualTo(other.at("/installations").toString())
                .isEqualTo(
                        "[{\"at\":\"\",\"system\":{\"name\":\"shop\",\"environment\":\"test\",\"colour\":\"grey\"}},{\"at\":\"eu\",\"system\":{\"name\":\"Shop"
                                + " EU\",\"environment\":\"production\",\"colour\":\"red\"}},"
                                + "{\"at\":\"away\",\"system\":{\"name\":\"away\",\"environment\":\"\",\"colour\":\"grey\"}}]");
        assertThat(own.text() + other.text()).doesNotContain(PASSWORD, "redis:");
    }

    @Test
    void theSameRulesApply() {
        Reply crossSite = dashboard.send(dashboard
                .request("/eu/api/queue/pause")
                .header("Sec-Fetch-Site", "cross-site")
                .header("Origin", "http://evil.example.com")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{\"queue\":\"mail\"}")));
        Reply forwarded = dashboard.send(dashboard.request("/eu/api/overview").header("X-Forwarded-For", "10.0.0.1"));

        assertThat(crossSite.status()).isEqualTo(403);
        assertThat(forwarded.status()).isEqualTo(403);
        assertThat(dashboard.get("/eu/api/queue/pause").status()).isEqualTo(405);
        assertThat(keys(eu)).doesNotContain("paused");
    }

    @Test
    @LongTest
    @Timeout(180)
    void connectionsBeginWithTheFirstLookAndEndWithTheApplication() throws Exception {
        EmbeddedRedis other = EmbeddedRedis.start("--requirepass", PASSWORD);
        LettuceConnectionFactory factory = connections(other);
        StringRedisTemplate looking = new StringRedisTemplate(factory);
        try (RunningDashboard two = RunningDashboard.start(
                dashboard.kind(),
                server,
                "/jobs",
                Beans.class,
                "jobs.worker.enabled=false",
                "jobs.dashboard.access=local",
                "jobs.dashboard.installations.other.redis.connection-factory=otherRedis",
                "other.port=" + other.port())) {
            try (BufferedReader lines = stream(two, "/api/live")) {
                for (int i = 0; i < 3; i++) {
                    next(lines);
                }
            }
            assertThat(clients(looking)).as("nobody has looked").isEmpty();

            assertThat(two.get("/other/api/overview").status()).isEqualTo(200);
            assertThat(clients(looking)).containsExactly("jobs-admin");

            two.bean(OtherInstallations.class).stop();
            await().until(() -> clients(looking).isEmpty());
            assertThat(two.get("/other/api/queues").status()).isEqualTo(200);
            assertThat(clients(looking)).containsExactly("jobs-admin");
        }
        await().until(() -> clients(looking).isEmpty());
        factory.destroy();
        other.close();
    }

    /** An application with a bean for the connection to another installation. */
    @Configuration(proxyBeanMethods = false)
    @Import(TestApplication.class)
    static class Beans {

        @Bean(autowireCandidate = false)
        LettuceConnectionFactory otherRedis(@Value("${other.port}") int port) {
            RedisStandaloneConfiguration address = new RedisStandaloneConfiguration("127.0.0.1", port);
            address.setPassword(PASSWORD);
            return new LettuceConnectionFactory(address);
        }
    }
}
