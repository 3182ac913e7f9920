package dev.jobs.dashboard.live;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.dashboard.TestApplication;
import dev.jobs.embeddedredis.EmbeddedRedis;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.filter.ShallowEtagHeaderFilter;
import org.springframework.web.util.ContentCachingResponseWrapper;

/** Filters that keep answers until they are complete, which the stream of live numbers never is. */
@ParameterizedClass
@MethodSource("dashboards")
class CachingFilterIT {

    @AutoClose
    static final EmbeddedRedis server = EmbeddedRedis.start();

    private final RunningDashboard dashboard;

    CachingFilterIT(RunningDashboard dashboard) {
        this.dashboard = dashboard;
    }

    static Stream<RunningDashboard> dashboards() {
        return Stream.of(WithEtags.class, WithLog.class, WithBoth.class)
                .map(application -> RunningDashboard.start(
                        server, "/jobs", application, "jobs.worker.enabled=false", "jobs.dashboard.access=local"));
    }

    @Configuration(proxyBeanMethods = false)
    @Import(TestApplication.class)
    static class WithEtags {

        @Bean
        FilterRegistrationBean<ShallowEtagHeaderFilter> etags() {
            return new FilterRegistrationBean<>(new ShallowEtagHeaderFilter());
        }
    }

    /** As many applications log what they answer. */
    @Configuration(proxyBeanMethods = false)
    @Import(TestApplication.class)
    static class WithLog {

        @Bean
        FilterRegistrationBean<Filter> log() {
            return new FilterRegistrationBean<>((request, response, chain) -> {
                ContentCachingResponseWrapper caching =
                        new ContentCachingResponseWrapper((HttpServletResponse) response);
                chain.doFilter(request, caching);
                caching.copyBodyToResponse();
            });
        }
    }

    /** And another wrapper between. */
    @Configuration(proxyBeanMethods = false)
    @Import({WithEtags.class, WithLog.class})
    static class WithBoth {

        @Bean
        FilterRegistrationBean<Filter> between() {
            FilterRegistrationBean<Filter> filter = new FilterRegistrationBean<>((request, response, chain) ->
                    chain.doFilter(request, new HttpServletResponseWrapper((HttpServletResponse) response)));
            filter.setOrder(5);
            return filter;
        }
    }

    @Test
    void theStreamIsNotKeptBack() throws Exception {
        CompletableFuture<HttpResponse<InputStream>> opening = dashboard
                .http()
                .sendAsync(
                        dashboard
                                .request("/api/live")
                                .timeout(Duration.ofSeconds(30))
                                .build(),
                        BodyHandlers.ofInputStream());
        HttpResponse<InputStream> opened = opening.get(30, TimeUnit.SECONDS);

        assertThat(opened.headers().firstValue("Content-Type")).hasValue("text/event-stream;charset=UTF-8");
        assertThat(opened.headers().firstValue("ETag")).isEmpty();
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(opened.body(), UTF_8))) {
            assertThat(lines.readLine()).startsWith("retry:");
            assertThat(lines.readLine()).isEqualTo("event: live");
            assertThat(lines.readLine()).startsWith("data:");
            assertThat(lines.readLine()).isEmpty();
            assertThat(lines.readLine()).isEqualTo("event: live"); // the next one
        }
    }

    @Test
    void aStreamThatCannotBeginIsRefusedAsEver() {
        LiveStream stream = dashboard.bean(LiveStream.class);
        stream.stop();
        RunningDashboard.Reply refused = dashboard.get("/api/live");
        stream.start();

        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.header("Content-Type")).startsWith("application/json");
        assertThat(refused.at("/error/code").asString()).isEqualTo("busy");
    }

    @Test
    void otherAnswersAreAsBefore() {
        assertThat(dashboard.get("/api/overview").at("/live/processed").isNumber())
                .isTrue();
        assertThat(dashboard.get("/").text()).contains("<html");
    }
}
