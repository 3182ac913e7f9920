package dev.jobs.dashboard.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.dashboard.Kind;
import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.dashboard.TestApplication;
import dev.jobs.dashboard.WebTest;
import dev.jobs.embeddedredis.EmbeddedRedis;
import java.io.IOException;
import java.net.InetAddress;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The host names under which the dashboard answers. */
@WebTest
@ParameterizedClass
@MethodSource("dashboards")
class HostsIT {

    @AutoClose
    static final EmbeddedRedis server = EmbeddedRedis.start();

    private final RunningDashboard dashboard;

    HostsIT(RunningDashboard dashboard) {
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
                        "jobs.dashboard.access=anyone",
                        "jobs.dashboard.hosts=Shop.example.org,my-shop,[::1]"));
    }

    private static String status(RunningDashboard dashboard, String... headers) throws IOException {
        return LocalIT.status(dashboard, InetAddress.getLoopbackAddress(), "HTTP/1.1", headers);
    }

    @ParameterizedTest
    @CsvSource({
        "shop.example.org, 200",
        "SHOP.example.org:8080, 200",
        "my-shop:8080, 200",
        "[::1]:8080, 200",
        "evil.example.org, 403",
        "shop.example.org.evil.example, 403",
        "localhost, 403",
    })
    void servesOnlyTheNamesThatItWasGiven(String host, String status) throws IOException {
        assertThat(status(dashboard, "Host: " + host)).isEqualTo(status);
    }

    @ParameterizedTest
    @CsvSource({"shop.example.org, 200", "'my-shop, shop.example.org', 200", "'shop.example.org, evil.example', 403"})
    void checksTheNameThatAProxyWasAskedForToo(String host, String status) throws IOException {
        assertThat(status(dashboard, "Host: my-shop", "X-Forwarded-Host: " + host))
                .isEqualTo(status);
    }

    @Test
    void servesAnyNameIfItWasGivenNone() throws IOException {
        try (RunningDashboard open = RunningDashboard.start(
                dashboard.kind(),
                server,
                "/jobs",
                TestApplication.class,
                "jobs.worker.enabled=false",
                "jobs.dashboard.access=anyone")) {
            assertThat(status(open, "Host: evil.example.org")).isEqualTo("200");
        }
    }

    @Test
    void hostsAreCheckedWithLocalAccessToo() throws IOException {
        try (RunningDashboard local = RunningDashboard.start(
                dashboard.kind(),
                server,
                "/jobs",
                TestApplication.class,
                "jobs.worker.enabled=false",
                "jobs.dashboard.access=local",
                "jobs.dashboard.hosts=localhost")) {
            assertThat(status(local, "Host: localhost")).isEqualTo("200");
            assertThat(status(local, "Host: 127.0.0.1")).isEqualTo("403");
        }
    }
}
