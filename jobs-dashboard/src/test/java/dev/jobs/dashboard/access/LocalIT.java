package dev.jobs.dashboard.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.jobs.dashboard.Kind;
import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.dashboard.RunningDashboard.Reply;
import dev.jobs.dashboard.TestApplication;
import dev.jobs.dashboard.WebTest;
import dev.jobs.embeddedredis.EmbeddedRedis;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may do what without known users: users on this machine, through our own pages. */
@WebTest
@ParameterizedClass
@MethodSource("dashboards")
class LocalIT {

    @AutoClose
    static final EmbeddedRedis server = EmbeddedRedis.start();

    private final RunningDashboard dashboard;

    LocalIT(RunningDashboard dashboard) {
        this.dashboard = dashboard;
    }

    static Stream<RunningDashboard> dashboards() {
        return Kind.all()
                .map(kind -> RunningDashboard.start(
                        kind,
                        server,
                        "/jobs",
                        TestApplication.class,
                        "jobs.worker.enabled=false",
                        "jobs.dashboard.access=local"));
    }

    private HttpRequest.Builder pause() {
        return dashboard
                .request("/api/queue/pause")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{\"queue\":\"q\"}"));
    }

    /** A hand-written request: the JDK's client doesn't allow the header Host. */
    private String status(InetAddress address, String... headers) throws IOException {
        return status(dashboard, address, headers);
    }

    private static String status(RunningDashboard dashboard, InetAddress address, String... headers)
            throws IOException {
        return status(dashboard, address, "HTTP/1.1", headers);
    }

    static String status(RunningDashboard dashboard, InetAddress address, String protocol, String[] headers)
            throws IOException {
        try (Socket socket = new Socket(address, dashboard.port())) {
            OutputStream out = socket.getOutputStream();
            out.write(("GET /jobs/api/session " + protocol + "\r\nConnection: close\r\nJobs-Token: "
                            + RunningDashboard.TOKEN + "\r\n" + String.join("\r\n", headers)
                            + "\r\n\r\n")
                    .getBytes(StandardCharsets.ISO_8859_1));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return answer.split(" ")[1];
        }
    }

    private static InetAddress outside() throws IOException {
        InetAddress found = NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> address instanceof Inet4Address && !address.isLoopbackAddress())
                .findFirst()
                .orElse(null);
        assumeTrue(found != null, "this machine has no address but loopback");
        return found;
    }

    @Test
    void refusesARemoteAddress() throws IOException {
        assertThat(status(outside(), "Host: localhost")).isEqualTo("403");
        assertThat(status(InetAddress.getLoopbackAddress(), "Host: localhost")).isEqualTo("200");
    }

    @ParameterizedTest
    @ValueSource(strings = {"evil.example", "localhost.evil.example", "10.1.2.3", "127.0.0.1.evil.example", "[::1", ""})
    void refusesAForeignName(String host) throws IOException {
        assertThat(status(InetAddress.getLoopbackAddress(), "Host: " + host)).isIn("403", "400");
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "LOCALHOST:8080", "127.0.0.1:8080", "[::1]:8080", "shop.localhost"})
    void knowsItsOwnNames(String host) throws IOException {
        assertThat(status(InetAddress.getLoopbackAddress(), "Host: " + host)).isEqualTo("200");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "X-Forwarded-For: 127.0.0.1",
                "x-forwarded-anything: x",
                "Forwarded: for=127.0.0.1",
                "X-Real-IP: 127.0.0.1",
                "X-Original-Host: localhost",
                "X-Envoy-External-Address: 127.0.0.1",
                "Via: 1.1 p"
            })
    void refusesForwardedRequests(String header) throws IOException {
        assertThat(status(InetAddress.getLoopbackAddress(), "Host: localhost", header))
                .isEqualTo("403");
    }

    @Test
    void refusesProtocolsThatOnlyProxiesUse() throws IOException {
        InetAddress here = InetAddress.getLoopbackAddress();
        String[] host = {"Host: localhost"};

        assertThat(status(dashboard, here, "HTTP/1.0", host)).isEqualTo("403");
        assertThat(status(dashboard, here, "HTTP/1.1", host)).isEqualTo("200");
    }

    @ParameterizedTest
    @CsvSource({
        "http://localhost:1, 200",
        "http://127.0.0.1, 200",
        "http://[::1]:8080, 200",
        "https://jobs.example.org, 403",
        "http://localhost.example.org, 403",
        "null, 403",
        "'', 403"
    })
    void actsOnlyForPagesThatABrowserHasFromThisMachine(String origin, int status) {
        HttpRequest.Builder request = pause().header("Sec-Fetch-Site", "same-origin");

        assertThat(dashboard
                        .send(origin.isEmpty() ? request : request.header("Origin", origin))
                        .status())
                .isEqualTo(status);
    }

    @ParameterizedTest
    @ValueSource(strings = {"native", "framework"})
    void isNotFooledByAForwardedAddressThatTheApplicationBelieves(String strategy) throws IOException {
        try (RunningDashboard behindProxy = RunningDashboard.start(
                dashboard.kind(),
                server,
                "/jobs",
                TestApplication.class,
                "jobs.worker.enabled=false",
                "jobs.dashboard.access=local",
                "server.forward-headers-strategy=" + strategy)) {
            assertThat(status(behindProxy, outside(), "Host: localhost", "X-Forwarded-For: 127.0.0.1"))
                    .isEqualTo("403");
            assertThat(status(
                            behindProxy,
                            InetAddress.getLoopbackAddress(),
                            "Host: localhost",
                            "X-Forwarded-For: 203.0.113.9"))
                    .isEqualTo("403");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"cross-site", "same-site", "none"})
    void refusesActionsOfOtherSites(String origin) {
        Reply reply =
                dashboard.send(pause().header("Origin", dashboard.origin()).header("Sec-Fetch-Site", origin));

        assertThat(reply.status()).isEqualTo(403);
        assertThat(reply.at("/error/code").asString()).isEqualTo("cross-site");
    }

    @ParameterizedTest
    @CsvSource({"http://evil.example, 403", "null, 403", "https://localhost:1, 403", "same, 200", "none, 403"})
    void goesByTheOriginWhereABrowserDoesNotSayTheSite(String origin, int status) {
        HttpRequest.Builder request = pause();
        if (!origin.equals("none")) {
            request.header("Origin", origin.equals("same") ? "http://localhost:" + dashboard.port() : origin);
        }

        assertThat(dashboard.send(request).status()).isEqualTo(status);
    }

    @Test
    void refusesReadingByOtherSites() {
        assertThat(dashboard
                        .send(dashboard.request("/api/overview").header("Sec-Fetch-Site", "cross-site"))
                        .status())
                .isEqualTo(403);
        assertThat(dashboard.send(dashboard.request("/api/overview")).status()).isEqualTo(200);
    }

    @Test
    void refusesFormsAndReadingMethods() {
        assertThat(dashboard
                        .send(dashboard
                                .request("/api/queue/pause")
                                .header("Sec-Fetch-Site", "same-origin")
                                .header("Origin", dashboard.origin())
                                .header("Content-Type", "text/plain")
                                .POST(BodyPublishers.ofString("{\"queue\":\"q\"}")))
                        .status())
                .isEqualTo(415);
        assertThat(dashboard.get("/api/queue/pause").status()).isEqualTo(405);
        assertThat(dashboard
                        .send(dashboard.request("/").POST(BodyPublishers.noBody()))
                        .status())
                .isEqualTo(405);
    }
}
