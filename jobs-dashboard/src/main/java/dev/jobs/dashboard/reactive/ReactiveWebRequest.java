package dev.jobs.dashboard.reactive;

import dev.jobs.dashboard.web.WebRequest;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebSession;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/** A request of a reactive application. */
final class ReactiveWebRequest implements WebRequest {

    private final ServerWebExchange exchange;
    private final ServerHttpRequest request;
    private final @Nullable String user;
    private final ReactiveSenders senders;
    private final ContextView context;

    /** @param context that of the request's subscriber */
    ReactiveWebRequest(
            ServerWebExchange exchange, @Nullable String user, ReactiveSenders senders, ContextView context) {
        this.exchange = exchange;
        this.request = exchange.getRequest();
        this.user = user;
        this.senders = senders;
        this.context = context;
    }

    @Override
    public String method() {
        return request.getMethod().name();
    }

    @Override
    public String path() {
        Object path = exchange.getAttribute(HandlerMapping.PATH_WITHIN_HANDLER_MAPPING_ATTRIBUTE);
        return path instanceof PathContainer container ? container.value() : "";
    }

    @Override
    public String uri() {
        return request.getURI().getRawPath();
    }

    @Override
    public @Nullable String query() {
        return request.getURI().getRawQuery();
    }

    @Override
    public @Nullable String header(String name) {
        return request.getHeaders().getFirst(name);
    }

    @Override
    public @Nullable String user() {
        return user;
    }

    @Override
    public @Nullable String person() {
        return null; // a DashboardUsers needs a servlet request
    }

    @Override
    public String address() {
        InetSocketAddress remote = request.getRemoteAddress();
        if (remote == null) {
            return "unknown";
        }
        // one that a proxy named isn't resolved
        return remote.getAddress() == null
                ? remote.getHostString()
                : remote.getAddress().getHostAddress();
    }

    @Override
    public String language() {
        try {
            List<Locale> accepted = request.getHeaders().getAcceptLanguageAsLocales();
            return (accepted.isEmpty() ? Locale.getDefault() : accepted.get(0)).getLanguage();
        } catch (IllegalArgumentException e) {
            return Locale.getDefault().getLanguage();
        }
    }

    @Override
    public Session session() {
        Token token = result(senders.token(exchange)); // may begin a session
        WebSession session = result(exchange.getSession());
        Duration idle =
                session != null && session.isStarted() && user != null ? session.getMaxIdleTime() : Duration.ZERO;
        return new Session(token, idle.toSeconds() > 0 ? (int) Math.min(idle.toSeconds(), Integer.MAX_VALUE) : null);
    }

    /** Waits, which only the threads for calls of the API may. */
    private <T> @Nullable T result(Mono<T> awaited) {
        return awaited.contextWrite(context).block();
    }
}
