package dev.jobs.dashboard;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.engine.EngineEnvironment;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** An application with a dashboard on a Redis, and a client that talks to it like a browser. */
public final class RunningDashboard implements AutoCloseable {

    /** An answer. */
    public record Reply(int status, JsonNode json, String text, HttpResponse<byte[]> raw) {

        public JsonNode at(String pointer) {
            return json.at(pointer);
        }

        public String header(String name) {
            return raw.headers().firstValue(name).orElse("");
        }
    }

    /** Sent with each request. */
    public static final String TOKEN = "token-of-this-test";

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final HttpClient http = HttpClient.newHttpClient();
    private final ConfigurableApplicationContext context;
    private final Kind kind;
    /** Milliseconds by which the application's clock is ahead of the system's. */
    private final AtomicLong ahead;

    private final String base;
    private String credentials = "";

    private RunningDashboard(ConfigurableApplicationContext context, Kind kind, AtomicLong ahead, String base) {
        this.context = context;
        this.kind = kind;
        this.ahead = ahead;
        this.base = base;
    }

    /** @param base the path between the port and the pages, as in {@code /jobs} */
    public static RunningDashboard start(EmbeddedRedis redis, String base, Class<?> application, String... properties) {
        return start(redis, base, List.of(application), properties);
    }

    public static RunningDashboard start(
            EmbeddedRedis redis, String base, List<Class<?>> application, String... properties) {
        return start(Kind.SERVLET, redis, base, application, properties);
    }

    /** In an application of the given kind. */
    public static RunningDashboard start(
            Kind kind, EmbeddedRedis redis, String base, Class<?> application, String... properties) {
        return start(kind, redis, base, List.of(application), properties);
    }

    public static RunningDashboard start(
            Kind kind, EmbeddedRedis redis, String base, List<Class<?>> application, String... properties) {
        List<String> all = new ArrayList<>(List.of(
                kind.property(),
                "spring.data.redis.url=redis://" + redis.host() + ":" + redis.port(),
                "server.port=0",
                "spring.main.banner-mode=off",
                "spring.application.name=shop",
                "jobs.history.enabled=false",
                "jobs.dashboard.token=" + TOKEN,
                "logging.level.dev.jobs=INFO"));
        all.addAll(List.of(properties));
        AtomicLong ahead = new AtomicLong();
        Clock clock = SettableClock.of(() -> System.currentTimeMillis() + ahead.get());
        ConfigurableApplicationContext context = new SpringApplicationBuilder(application.toArray(Class<?>[]::new))
                .web(kind.type())
                .initializers(kind, started -> ((GenericApplicationContext) started)
                        .registerBean(EngineEnvironment.class, () -> environment(clock)))
                .properties(all.toArray(String[]::new))
                .run();
        return new RunningDashboard(context, kind, ahead, base);
    }

    /** Of the kinds {@link Kind#forAnswers}, none with a worker that would take prepared jobs. */
    public static Stream<RunningDashboard> forAnswers(EmbeddedRedis redis) {
        return Kind.forAnswers()
                .map(kind -> start(
                        kind,
                        redis,
                        "/jobs",
                        TestApplication.class,
                        "jobs.worker.enabled=false",
                        "jobs.dashboard.access=local"));
    }

    private static EngineEnvironment environment(Clock clock) {
        EngineEnvironment system = EngineEnvironment.system();
        return new EngineEnvironment(
                clock, system.nanoTime(), system.random(), system.processorThreads(), system.outOfMemory());
    }

    /**
     * Makes everything old that the application has read by now: it keeps nothing longer than for ten seconds. From
     * then on its clock is ahead of that of Redis, which is a finding.
     */
    public RunningDashboard forgets() {
        return passes(Duration.ofSeconds(11));
    }

    /** Moves the application's clock on. */
    public RunningDashboard passes(Duration time) {
        ahead.addAndGet(time.toMillis());
        return this;
    }

    public RunningDashboard as(String user, String password) {
        credentials = java.util.Base64.getEncoder().encodeToString((user + ":" + password).getBytes(UTF_8));
        return this;
    }

    public <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    public StringRedisTemplate redis() {
        return context.getBean(StringRedisTemplate.class);
    }

    /** Removes everything from its Redis. */
    public void empty() {
        redis().execute((RedisCallback<Void>) connection -> {
            connection.serverCommands().flushAll();
            return null;
        });
    }

    /** Puts jobs into a queue, the first one to be taken first. */
    public void enqueue(String queue, String... jobs) {
        redis().opsForSet().add("queues", queue);
        redis().opsForList().leftPushAll("queue:" + queue, jobs);
    }

    /** Takes back an action, however many requests that takes. Returns how many jobs are back. */
    public int undo(String batch) {
        int back = 0;
        String cursor = null;
        do {
            Map<String, Object> body = new HashMap<>(Map.of("batch", batch));
            body.put("cursor", cursor);
            Reply undone = post("/api/undo", body);
            assertThat(undone.status()).isEqualTo(200);
            back += undone.at("/done").asInt();
            cursor = undone.at("/cursor").isNull() ? null : undone.at("/cursor").asString();
        } while (cursor != null);
        return back;
    }

    /** What one member says in each element of an array. */
    public static List<String> all(JsonNode array, String member) {
        List<String> values = new ArrayList<>();
        array.forEach(each -> values.add(each.path(member).asString()));
        return values;
    }

    public int port() {
        return Integer.parseInt(context.getEnvironment().getRequiredProperty("local.server.port"));
    }

    public URI uri(String path) {
        return URI.create("http://localhost:" + port() + base + path);
    }

    public String origin() {
        return "http://localhost:" + port();
    }

    public static String encoded(String text) {
        return URLEncoder.encode(text, UTF_8);
    }

    /** Sends a request as our own page does. */
    public Reply get(String path) {
        return send(request(path).header("Sec-Fetch-Site", "same-origin").GET());
    }

    /** Sends an action as our own page does. */
    public Reply post(String path, Map<String, ?> body) {
        return send(request(path)
                .header("Sec-Fetch-Site", "same-origin")
                .header("Origin", origin())
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(JSON.writeValueAsString(body))));
    }

    public HttpRequest.Builder request(String path) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(uri(path)).timeout(Duration.ofMinutes(4)).header("Jobs-Token", TOKEN);
        if (!credentials.isEmpty()) {
            request.header("Authorization", "Basic " + credentials);
        }
        return request;
    }

    public HttpClient http() {
        return http;
    }

    public Reply send(HttpRequest.Builder request) {
        try {
            HttpResponse<byte[]> response = http.send(request.build(), BodyHandlers.ofByteArray());
            String type = response.headers().firstValue("Content-Type").orElse("");
            boolean plain = response.headers().firstValue("Content-Encoding").isEmpty();
            JsonNode json =
                    plain && type.startsWith("application/json") ? JSON.readTree(response.body()) : JSON.nullNode();
            return new Reply(response.statusCode(), json, new String(response.body(), UTF_8), response);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public Kind kind() {
        return kind;
    }

    @Override
    public void close() {
        context.close();
    }

    @Override
    public String toString() {
        return kind.toString();
    }
}
