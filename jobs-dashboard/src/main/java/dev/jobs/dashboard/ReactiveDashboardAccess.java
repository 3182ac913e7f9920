package dev.jobs.dashboard;

import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Decides what the sender of a request to a reactive application may do, as {@link DashboardAccess} does in a servlet
 * application. A bean of this type replaces {@code jobs.dashboard.access}, for applications that don't know their users
 * through Spring Security. Called by many threads concurrently, once per request, and must not block.
 */
@FunctionalInterface
public interface ReactiveDashboardAccess {

    /** The role of the sender of a request; {@link DashboardRole#NONE}, or nothing, refuses it. */
    Mono<DashboardRole> roleOf(ServerWebExchange exchange);
}
