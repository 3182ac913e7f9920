package dev.jobs.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.CookieManager;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The shop in its own JVM, on a free port, used over HTTP and ended by signals. */
final class ShopProcess implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofMinutes(3);

    /** How long Kubernetes waits before it kills. */
    private static final Duration TERMINATION = Duration.ofSeconds(30);

    private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");
    private static final Pattern STARTED = Pattern.compile("Started \\w+ in [\\d.,]+ seconds");
    private static final Pattern DASHBOARD = Pattern.compile("The dashboard is at (http://\\S+)");
    private static final Pattern REDIS = Pattern.compile(
            "Started an embedded Redis .*redis://([\\d.:]+), process (\\d+)," + ".* its password in (\\S+\\.conf)");

    private final HttpClient http = HttpClient.newBuilder()
            .connectTimeout(Duration.ofSeconds(5))
            .cookieHandler(new CookieManager())
            .build();
    private final JsonMapper json = new JsonMapper();
    private final Process jvm;
    private final Path log;

    // Written once, before this object is shared.
    private int port;

    private ShopProcess(Process jvm, Path log) {
        this.jvm = jvm;
        this.log = log;
    }

    /**
     * Starts the shop and waits until it serves requests.
     *
     * @param log where its log goes
     */
    static ShopProcess start(Path log, Class<?> main, String... arguments) throws IOException {
        return start(log, java(System.getProperty("java.class.path")), main, arguments);
    }

    /** A command that starts a JVM. */
    static List<String> java(String classPath, String... options) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xshare:auto",
                "-classpath",
                classPath));
        command.addAll(List.of(options));
        return command;
    }

    /** As above, in a JVM of the caller's choice. */
    static ShopProcess start(Path log, List<String> java, Class<?> main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(java);
        command.addAll(List.of(main.getName(), "--server.port=0", "--spring.main.banner-mode=off"));
        command.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        // The environment of the tests may set the address of Redis; here each test sets it.
        builder.environment().remove("REDIS_URL");
        ShopProcess shop = new ShopProcess(builder.start(), log);
        try {
            shop.awaitStart();
            return shop;
        } catch (Throwable e) {
            shop.close();
            throw e;
        }
    }

    private void awaitStart() {
        await("the start of the shop")
                .atMost(PATIENCE)
                .until(() -> find(STARTED).isPresent() || !jvm.isAlive());
        port = Integer.parseInt(get(PORT).group(1));
    }

    /** Opens the link in the log, after which the dashboard answers. */
    void openDashboard() {
        await("the link to the dashboard").atMost(PATIENCE).until(() -> find(DASHBOARD)
                .isPresent());
        send(HttpRequest.newBuilder(URI.create(get(DASHBOARD).group(1))).GET(), 302);
    }

    /** The Redis server that the shop started. */
    ProcessHandle embeddedRedis() {
        return ProcessHandle.of(Long.parseLong(get(REDIS).group(2))).orElseThrow();
    }

    /** The address of that server, with the password from where the log says that it is. */
    String embeddedRedisUri() throws IOException {
        MatchResult redis = get(REDIS);
        String password = Files.readString(Path.of(redis.group(3)))
                .replace("requirepass", "")
                .strip();
        return "redis://:" + password + "@" + redis.group(1);
    }

    private MatchResult get(Pattern pattern) {
        return find(pattern)
                .orElseThrow(() -> new AssertionError("No line like '" + pattern + "' in the log:\n" + log()));
    }

    private Optional<MatchResult> find(Pattern pattern) {
        return pattern.matcher(log()).results().findFirst();
    }

    String log() {
        try {
            byte[] written = Files.readAllBytes(log); // its last character may be half written
            return new String(written, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // no text contains nothing wrong
        }
    }

    String get(String path) {
        return send(HttpRequest.newBuilder(uri(path)).GET(), 200);
    }

    /** Sends a request with one header more. Returns whatever the answer is. */
    HttpResponse<String> get(String path, String header, String value) {
        return exchange(HttpRequest.newBuilder(uri(path)).header(header, value));
    }

    /** Sends the beginning of an upload and breaks off. */
    void breakOff(String path, String contentType, String beginning, int length) throws IOException {
        try (Socket socket = new Socket("localhost", port)) {
            String head = "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n"
                    .formatted(path, contentType, length);
            socket.getOutputStream().write((head + beginning).getBytes(StandardCharsets.UTF_8));
        }
    }

    JsonNode getJson(String path) {
        return json.readTree(get(path));
    }

    /** Posts a request that is accepted for later processing. */
    JsonNode post(String path, String contentType, String body) {
        return json.readTree(send(
                HttpRequest.newBuilder(uri(path))
                        .header("Content-Type", contentType)
                        .POST(BodyPublishers.ofString(body)),
                202));
    }

    void delete(String path) {
        send(HttpRequest.newBuilder(uri(path)).DELETE(), 204);
    }

    /** Orders two cups. Returns the number of the order. */
    long order(String customer, Order.Card card) {
        String order = """
                {"customer": "%s", "items": [{"sku": "CUP-01", "quantity": 2}], "card": "%s"}""";
        return post("/orders", "application/json", order.formatted(customer, card))
                .get("id")
                .asLong();
    }

    /** The timeline of an order. */
    List<String> timeline(long order) {
        List<String> steps = new ArrayList<>();
        getJson("/orders/" + order)
                .get("timeline")
                .forEach(step -> steps.add(step.get("what").asString()));
        return steps;
    }

    /** Posts what is answered by an error. Returns its status. */
    int postInError(String path, String contentType, String body) {
        return exchange(HttpRequest.newBuilder(uri(path))
                        .header("Content-Type", contentType)
                        .POST(BodyPublishers.ofString(body)))
                .statusCode();
    }

    private URI uri(String path) {
        return URI.create("http://localhost:" + port + path);
    }

    private String send(HttpRequest.Builder request, int expected) {
        HttpResponse<String> response = exchange(request);
        assertThat(response.statusCode())
                .as("%s: %s", response.uri(), response.body())
                .isEqualTo(expected);
        return response.body();
    }

    private HttpResponse<String> exchange(HttpRequest.Builder request) {
        try {
            return http.send(request.timeout(Duration.ofSeconds(30)).build(), BodyHandlers.ofString());
        } catch (IOException e) {
            throw new AssertionError("The shop does not answer. Its log:\n" + log(), e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Ends it as a supervisor or Kubernetes does. Returns the exit code. */
    int terminate() throws InterruptedException {
        jvm.toHandle().destroy();
        return awaitExit();
    }

    /** Ends it as the kernel does when memory is short. Returns the exit code. */
    int kill() throws InterruptedException {
        jvm.toHandle().destroyForcibly();
        return awaitExit();
    }

    private int awaitExit() throws InterruptedException {
        assertThat(jvm.waitFor(TERMINATION.toSeconds(), TimeUnit.SECONDS))
                .as("whether the shop has ended; its log is\n%s", log())
                .isTrue();
        return jvm.exitValue();
    }

    /** Leaves nothing behind when a test fails. */
    @Override
    public void close() {
        jvm.destroyForcibly().onExit().join();
    }
}
