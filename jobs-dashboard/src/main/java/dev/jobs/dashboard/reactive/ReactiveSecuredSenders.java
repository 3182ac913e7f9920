package dev.jobs.dashboard.reactive;

import dev.jobs.dashboard.web.WebRequest;
import java.security.Principal;
import org.springframework.security.authentication.AuthenticationTrustResolverImpl;
import org.springframework.security.core.Authentication;
import org.springframework.security.web.server.csrf.CsrfToken;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Knows what Spring Security knows. Loaded only if it is present. */
final class ReactiveSecuredSenders extends ReactiveSenders {

    private final AuthenticationTrustResolverImpl trust = new AuthenticationTrustResolverImpl();

    /** None for a sender who is not authenticated, as with servlets. */
    @Override
    Mono<String> user(ServerWebExchange exchange) {
        return exchange.getPrincipal().filter(this::isKnown).mapNotNull(Principal::getName);
    }

    private boolean isKnown(Principal principal) {
        return !(principal instanceof Authentication sender) || !trust.isAnonymous(sender);
    }

    @Override
    Mono<WebRequest.Token> token(ServerWebExchange exchange) {
        return exchange.getAttribute(CsrfToken.class.getName()) instanceof Mono<?> deferred
                ? deferred.ofType(CsrfToken.class)
                        .map(token -> new WebRequest.Token(token.getHeaderName(), token.getToken()))
                : Mono.empty();
    }
}
