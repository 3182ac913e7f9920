package dev.jobs.dashboard.reactive;

import dev.jobs.dashboard.web.WebRequest;
import java.security.Principal;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Knows what a reactive application knows of the sender of a request. This is one without Spring Security. */
class ReactiveSenders {

    /** The name of the user; nothing if there is none. */
    Mono<String> user(ServerWebExchange exchange) {
        return exchange.getPrincipal().mapNotNull(Principal::getName);
    }

    /** The token that every request that changes something needs; nothing if it needs none. */
    Mono<WebRequest.Token> token(ServerWebExchange exchange) {
        return Mono.empty();
    }
}
