package dev.jobs.dashboard.servlet;

import dev.jobs.dashboard.DashboardAccess;
import dev.jobs.dashboard.DashboardRole;
import dev.jobs.dashboard.access.AccessRule;
import dev.jobs.dashboard.access.SenderAuthorities;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Decides by {@code jobs.dashboard.access} in a servlet application. */
final class ServletAccess implements DashboardAccess {

    private final AccessRule rule;
    private final @Nullable SenderAuthorities authorities;

    ServletAccess(AccessRule rule, @Nullable SenderAuthorities authorities) {
        this.rule = rule;
        this.authorities = authorities;
    }

    AccessRule rule() {
        return rule;
    }

    @Override
    public DashboardRole roleOf(HttpServletRequest request) {
        return rule.roleOf(new ServletArrival(request), () -> authorities == null ? Set.of() : authorities.ofThread());
    }
}
