package dev.jobs.dashboard.access;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.dashboard.Kind;
import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.dashboard.TestApplication;
import dev.jobs.dashboard.WebTest;
import dev.jobs.embeddedredis.EmbeddedRedis;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Proxies on this machine that connect from loopback, speak HTTP/1.1, and add no header that tells of them: the
 * caller that they let through chooses all other headers. The bytes are those that nginx 1.22 (with {@code proxy_http_version 1.1},
 * which newer ones have by default) and HAProxy 2.6 sent.
 */
@WebTest
@ParameterizedClass
@MethodSource("dashboards")
class HostileProxyIT {

    private static final String ARGUMENT = "argument-of-a-customer";

    @AutoClose
    static final EmbeddedRedis server = EmbeddedRedis.start();

    private final RunningDashboard dashboard;

    HostileProxyIT(RunningDashboard dashboard) {
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

    /** How a request of somebody elsewhere arrives here. */
    enum Proxy {
        /** {@code proxy_pass http://localhost:8080}. */
        NGINX {
            @Override
            String request(String line, int port, String headers) {
                return line + "\r\nHost: localhost:" + port + "\r\nUser-Agent: curl/7.88.1\r\nAccept: */*\r\n" + headers
                        + "\r\n";
            }
        },
        /** With the name that the visitor asked for: {@code proxy_set_header Host $host}. */
        NGINX_WITH_HOST {
            @Override
            String request(String line, int port, String headers) {
                return line + "\r\nHost: localhost\r\nUser-Agent: curl/7.88.1\r\nAccept: */*\r\n" + headers + "\r\n";
            }
        },
        /** Without {@code option forwardfor}: what the visitor sent, with names in lower case. */
        HAPROXY {
            @Override
            String request(String line, int port, String headers) {
                return (line + "\r\nhost: 127.0.0.1\r\nuser-agent: curl/7.88.1\r\naccept: */*\r\n"
                        + headers.lines()
                                .map(header ->
                                        header.replaceFirst("^[^:]*", header.split(":", 2)[0].toLowerCase(Locale.ROOT)))
                                .map(header -> header + "\r\n")
                                .reduce("", String::concat)
                        + "\r\n");
            }
        };

        /** @param headers that the visitor sends, each with its line break */
        abstract String request(String line, int port, String headers);
    }

    /** What a visitor who knows the dashboard sends to be taken for its own page. */
    private static final String AS_A_PAGE = "Origin: http://localhost\r\nSec-Fetch-Site: same-origin\r\n";

    @BeforeEach
    void aJobWithAnArgument() {
        dashboard.redis().delete(List.of("dead", "paused"));
        dashboard
                .redis()
                .opsForZSet()
                .add("dead", "{\"class\":\"sell\",\"jid\":\"1\",\"queue\":\"q\",\"args\":[\"" + ARGUMENT + "\"]}", 1);
    }

    private Answers send(String... requests) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), dashboard.port())) {
            socket.setSoTimeout(30_000);
            InputStream in = new BufferedInputStream(socket.getInputStream());
            StringBuilder statuses = new StringBuilder();
            StringBuilder all = new StringBuilder();
            for (String request : requests) { // on one connection, as proxies keep them
                socket.getOutputStream().write(request.getBytes(ISO_8859_1));
                String head = head(in);
                statuses.append(head.split(" ")[1]).append(' ');
                if (head.contains("event-stream")) {
                    break; // it doesn't end
                }
                all.append(head).append(body(in, head));
            }
            return new Answers(statuses.toString().strip(), all.toString());
        }
    }

    /** @param statuses with spaces between them */
    private record Answers(String statuses, String text) {}

    private static String head(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("The connection ended after: " + head);
            }
            head.append((char) next);
        }
        return head.toString();
    }

    /** Of a stream only the first line. */
    private static String body(InputStream in, String head) throws IOException {
        String length = head.toLowerCase(Locale.ROOT).replaceFirst("(?s).*content-length: ([0-9]+).*", "$1");
        if (length.matches("[0-9]+")) {
            return new String(in.readNBytes(Integer.parseInt(length)), ISO_8859_1);
        }
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
            line.append((char) next);
        }
        return line.toString();
    }

    private void isRefused(Answers answers) {
        assertThat(answers.statuses()).matches("403( 403)*");
        assertThat(answers.text()).doesNotContain(ARGUMENT, "operator", "data:", "Set-Cookie", "<script");
        assertThat(dashboard.redis().opsForSet().members("paused")).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void nobodyElsewhereSeesAnything(Proxy proxy) throws IOException {
        isRefused(send(
                Stream.of("/jobs/", "/jobs/api/session", "/jobs/api/jobs?place=dead", "/jobs/api/live", "/jobs/queues")
                        .map(path -> proxy.request("GET " + path + " HTTP/1.1", dashboard.port(), AS_A_PAGE))
                        .toArray(String[]::new)));
        isRefused(send(proxy.request("GET /jobs/api/jobs?place=dead HTTP/1.1", dashboard.port(), "")));
    }

    @ParameterizedTest
    @EnumSource
    void nobodyElsewhereActs(Proxy proxy) throws IOException {
        String body = "{\"queue\":\"q\"}";
        String headers = AS_A_PAGE + "Content-Type: application/json\r\nContent-Length: " + body.length() + "\r\n";

        isRefused(send(proxy.request("POST /jobs/api/queue/pause HTTP/1.1", dashboard.port(), headers) + body));
    }

    @ParameterizedTest
    @EnumSource
    void nobodyElsewhereOpensAStreamOrASocket(Proxy proxy) throws IOException {
        String stream = AS_A_PAGE + "Accept: text/event-stream\r\n";
        String upgrade = AS_A_PAGE + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

        isRefused(send(proxy.request("GET /jobs/api/live HTTP/1.1", dashboard.port(), stream)));
        isRefused(send(proxy.request("GET /jobs/api/live HTTP/1.1", dashboard.port(), upgrade)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Jobs-Token: ",
                "Jobs-Token: token-of-this",
                "Jobs-Token: TOKEN-OF-THIS-TEST",
                "Jobs-Token: token-of-this-test-",
                "Jobs-Token: null",
                "Jobs-Token: token=token-of-this-test",
                "Authorization: Bearer token-of-this-test",
                "Cookie: jobs-token=",
                "Cookie: jobs-token=token-of-this-tes",
                "Cookie: jobs-token-1=token-of-this-test",
                "Cookie: token=token-of-this-test; Jobs-Token=token-of-this-test"
            })
    void nothingButTheTokenInItsPlaceIsTaken(String header) throws IOException {
        isRefused(send(
                Proxy.NGINX_WITH_HOST.request("GET /jobs/ HTTP/1.1", dashboard.port(), header + "\r\n"),
                Proxy.NGINX_WITH_HOST.request("GET /jobs/api/session HTTP/1.1", dashboard.port(), header + "\r\n")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "token",
                "token=",
                "token=token-of-this",
                "token=%74oken-of-this-test",
                "Token=token-of-this-test"
            })
    void noLinkButTheRightOneGivesACookie(String query) throws IOException {
        isRefused(send(Proxy.NGINX.request("GET /jobs/?" + query + " HTTP/1.1", dashboard.port(), "")));
    }

    /** A proxy sends requests of many visitors over one connection. */
    @Test
    void aConnectionIsNotTrustedForWhatItCarriedBefore() throws IOException {
        String line = "GET /jobs/api/session HTTP/1.1";
        String mine = Proxy.NGINX.request(line, dashboard.port(), "Jobs-Token: " + RunningDashboard.TOKEN + "\r\n");
        String another = Proxy.NGINX.request(line, dashboard.port(), AS_A_PAGE);

        assertThat(statuses(mine, another, mine, another)).isEqualTo("200 403 200 403");
    }

    private String statuses(String... requests) throws IOException {
        return send(requests).statuses();
    }
}
