package dev.jobs.dashboard.access;

import dev.jobs.dashboard.DashboardRole;
import dev.jobs.dashboard.web.Arrival;
import java.util.Collections;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Admits users authenticated by Spring Security, by their authorities. The application's rules decide which requests
 * Spring Security checks.
 */
final class AuthorityAccess implements AccessRule {

    private final Set<String> viewers;
    private final Set<String> operators;

    AuthorityAccess(Set<String> viewers, Set<String> operators) {
        this.viewers = Set.copyOf(viewers);
        this.operators = Set.copyOf(operators);
    }

    @Override
    public DashboardRole roleOf(Arrival arrival, Supplier<Set<String>> authorities) {
        Set<String> granted = authorities.get();
        if (!Collections.disjoint(granted, operators)) {
            return DashboardRole.OPERATOR;
        }
        return Collections.disjoint(granted, viewers) ? DashboardRole.NONE : DashboardRole.VIEWER;
    }
}
