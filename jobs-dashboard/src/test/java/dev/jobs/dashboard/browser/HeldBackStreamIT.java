package dev.jobs.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Publisher;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import org.springframework.web.filter.ShallowEtagHeaderFilter;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Pages behind something that keeps an answer until it is complete, which the stream of live numbers never is. */
@BrowserTest
class HeldBackStreamIT {

    private final Browser browser;

    HeldBackStreamIT(Browser browser) {
        this.browser = browser;
    }

    enum Keeper {
        /** A filter that the dashboard doesn't know. */
        SERVLET(WebApplicationType.SERVLET, KeepingFilter.class),
        /** The same with WebFlux. */
        REACTIVE(WebApplicationType.REACTIVE, KeepingWebFilter.class);

        private final WebApplicationType type;
        private final Class<?> application;

        Keeper(WebApplicationType type, Class<?> application) {
            this.type = type;
            this.application = application;
        }

        TestShop start() {
            return shop(type, application);
        }
    }

    private static TestShop shop(WebApplicationType type, Class<?> application) {
        return new TestShop(type, "--spring.main.sources=" + application.getName());
    }

    @ParameterizedTest
    @EnumSource
    void aPageThatHearsNothingSaysSoAndPolls(Keeper keeper) {
        try (TestShop shop = keeper.start()) {
            browser.traffic();
            browser.open(shop.link());
            browser.see(".connection", "Not live: new numbers every 10 seconds");
            browser.picture("held-back-" + keeper);
            shop.enqueue(shop.payload("Mails.welcome", "mail", 1));
            browser.see("[data-tile=enqueued]", "1");
            browser.see(".connection", "Not live");
            assertThat(streams()).isEqualTo(1);
            browser.open("about:blank"); // or the shop waits for the stream
        }
    }

    @ParameterizedTest
    @EnumSource(names = "SERVLET")
    void aPageBehindSpringsFilterForEtagsIsLive(Keeper keeper) {
        try (TestShop shop = shop(keeper.type, Etags.class)) {
            browser.open(shop.link());
            browser.see(".connection", "Live");
            browser.open("about:blank");
        }
    }

    /** How many were asked for. */
    private long streams() {
        return Stream.of(browser.traffic().urls().toArray(String[]::new))
                .filter(url -> url.endsWith("/api/live"))
                .count();
    }

    @Configuration(proxyBeanMethods = false)
    static class Etags {

        @Bean
        FilterRegistrationBean<ShallowEtagHeaderFilter> etags() {
            return new FilterRegistrationBean<>(new ShallowEtagHeaderFilter());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class KeepingFilter {

        @Bean
        FilterRegistrationBean<Filter> keeping() {
            return new FilterRegistrationBean<>(KeepingFilter::keep);
        }

        private static void keep(ServletRequest request, ServletResponse response, FilterChain chain)
                throws IOException, ServletException {
            Kept kept = new Kept((HttpServletResponse) response);
            chain.doFilter(request, kept);
            if (!request.isAsyncStarted()) {
                response.getOutputStream().write(kept.bytes.toByteArray());
            }
        }
    }

    private static final class Kept extends HttpServletResponseWrapper {

        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        Kept(HttpServletResponse response) {
            super(response);
        }

        @Override
        public ServletOutputStream getOutputStream() {
            return new ServletOutputStream() {

                @Override
                public void write(int each) {
                    bytes.write(each);
                }

                @Override
                public boolean isReady() {
                    return true;
                }

                @Override
                public void setWriteListener(WriteListener listener) {
                    throw new UnsupportedOperationException();
                }
            };
        }

        @Override
        public void flushBuffer() {
            // once it is complete
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class KeepingWebFilter {

        @Bean
        WebFilter keeping() {
            return (exchange, chain) -> chain.filter(exchange.mutate()
                    .response(new ServerHttpResponseDecorator(exchange.getResponse()) {

                        @Override
                        public Mono<Void> writeAndFlushWith(Publisher<? extends Publisher<? extends DataBuffer>> body) {
                            return writeWith(
                                    DataBufferUtils.join(Flux.from(body).flatMapSequential(Function.identity())));
                        }
                    })
                    .build());
        }
    }
}
