package dev.jobs.dashboard.reactive;

import dev.jobs.dashboard.access.UnknownArrival;
import dev.jobs.dashboard.web.Arrival;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.web.server.ServerWebExchange;

/** Finds what arrived below a request of a reactive application, beneath all that filters put around it. */
final class NativeRequests implements Function<ServerWebExchange, Arrival> {

    private final List<Arrivals> kinds;

    NativeRequests(List<Arrivals> kinds) {
        this.kinds = List.copyOf(kinds);
    }

    @Override
    public Arrival apply(ServerWebExchange exchange) {
        Object found;
        try {
            found = ServerHttpRequestDecorator.getNativeRequest(exchange.getRequest());
        } catch (IllegalArgumentException e) {
            return new UnknownArrival(); // a request of the application's own making
        }
        return kinds.stream()
                .map(kind -> kind.of(found))
                .filter(Objects::nonNull)
                .findFirst()
                .orElseGet(UnknownArrival::new);
    }
}
