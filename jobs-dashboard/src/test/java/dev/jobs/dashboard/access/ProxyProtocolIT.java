package dev.jobs.dashboard.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.dashboard.Kind;
import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.dashboard.TestApplication;
import dev.jobs.embeddedredis.EmbeddedRedis;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.reactor.netty.NettyServerCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import reactor.netty.http.server.ProxyProtocolSupportType;

/** A proxy on this machine that says in front of each connection for whom it is, and adds no header. */
class ProxyProtocolIT {

    @AutoClose
    static final EmbeddedRedis server = EmbeddedRedis.start();

    @AutoClose
    static final RunningDashboard always = start(Always.class);

    @AutoClose
    static final RunningDashboard sometimes = start(Sometimes.class);

    @Configuration(proxyBeanMethods = false)
    @Import(TestApplication.class)
    static class Always {

        @Bean
        NettyServerCustomizer behindAProxy() {
            return server -> server.proxyProtocol(ProxyProtocolSupportType.ON);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(TestApplication.class)
    static class Sometimes {

        @Bean
        NettyServerCustomizer besideAProxy() {
            return server -> server.proxyProtocol(ProxyProtocolSupportType.AUTO);
        }
    }

    private static RunningDashboard start(Class<?> application) {
        return RunningDashboard.start(
                Kind.REACTIVE,
                server,
                "/jobs",
                application,
                "jobs.worker.enabled=false",
                "jobs.dashboard.access=local");
    }

    /** @param before what comes in front of the request */
    private static String status(RunningDashboard dashboard, String before) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), dashboard.port())) {
            String request = before + "GET /jobs/api/session HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                    + "Jobs-Token: " + RunningDashboard.TOKEN + "\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return answer.split(" ")[1];
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "PROXY TCP4 203.0.113.9 127.0.0.1 40000 80\r\n",
                "PROXY TCP6 2001:db8::9 ::1 40000 80\r\n",
                "PROXY TCP4 127.0.0.1 127.0.0.1 40000 80\r\n"
            })
    void whoComesThroughTheProxyIsNotOnThisMachine(String line) throws IOException {
        assertThat(status(always, line)).isEqualTo("403");
        assertThat(status(sometimes, line)).isEqualTo("403");
    }

    @Test
    void whoComesPastTheProxyIs() throws IOException {
        assertThat(status(sometimes, "")).isEqualTo("200");
    }
}
