package dev.jobs.dashboard;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Collection;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.security.access.hierarchicalroles.RoleHierarchy;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.context.SecurityContextHolder;

/**
 * Admits users authenticated by Spring Security, by their authorities. The application's rules decide which requests
 * Spring Security checks.
 */
final class AuthorityAccess implements DashboardAccess {

    private final Set<String> viewers;
    private final Set<String> operators;
    private final @Nullable RoleHierarchy hierarchy;

    AuthorityAccess(Set<String> viewers, Set<String> operators, @Nullable RoleHierarchy hierarchy) {
        this.viewers = Set.copyOf(viewers);
        this.operators = Set.copyOf(operators);
        this.hierarchy = hierarchy;
    }

    @Override
    public DashboardRole roleOf(HttpServletRequest request) {
        Authentication sender = SecurityContextHolder.getContext().getAuthentication();
        if (sender == null || !sender.isAuthenticated()) {
            return DashboardRole.NONE;
        }
        Collection<? extends GrantedAuthority> granted = hierarchy == null
                ? sender.getAuthorities()
                : hierarchy.getReachableGrantedAuthorities(sender.getAuthorities());
        if (hasOne(granted, operators)) {
            return DashboardRole.OPERATOR;
        }
        return hasOne(granted, viewers) ? DashboardRole.VIEWER : DashboardRole.NONE;
    }

    private static boolean hasOne(Collection<? extends GrantedAuthority> granted, Set<String> wanted) {
        return granted.stream()
                .map(GrantedAuthority::getAuthority)
                .anyMatch(each -> each != null && wanted.contains(each));
    }
}
