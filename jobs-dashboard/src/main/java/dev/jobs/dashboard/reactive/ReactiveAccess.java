package dev.jobs.dashboard.reactive;

import dev.jobs.dashboard.DashboardRole;
import dev.jobs.dashboard.ReactiveDashboardAccess;
import dev.jobs.dashboard.access.AccessRule;
import dev.jobs.dashboard.access.SenderAuthorities;
import dev.jobs.dashboard.web.Arrival;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Decides by {@code jobs.dashboard.access} in a reactive application. */
final class ReactiveAccess implements ReactiveDashboardAccess {

    private final AccessRule rule;
    private final @Nullable SenderAuthorities authorities;
    private final Function<ServerWebExchange, Arrival> arrivals;

    ReactiveAccess(
            AccessRule rule, @Nullable SenderAuthorities authorities, Function<ServerWebExchange, Arrival> arrivals) {
        this.rule = rule;
        this.authorities = authorities;
        this.arrivals = arrivals;
    }

    AccessRule rule() {
        return rule;
    }

    @Override
    public Mono<DashboardRole> roleOf(ServerWebExchange exchange) {
        Mono<Set<String>> granted = authorities == null ? Mono.just(Set.of()) : authorities.ofSubscriber();
        return granted.map(known -> rule.roleOf(arrivals.apply(exchange), () -> known));
    }
}
