package dev.jobs.dashboard.access;

import static java.util.stream.Collectors.toSet;

import dev.jobs.Internal;
import java.util.Collection;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.security.access.hierarchicalroles.RoleHierarchy;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.context.ReactiveSecurityContextHolder;
import org.springframework.security.core.context.SecurityContextHolder;
import reactor.core.publisher.Mono;

/** The authorities that Spring Security knows. Loaded only if it is present. */
@Internal
public final class SecurityContexts implements SenderAuthorities {

    private final @Nullable RoleHierarchy hierarchy;

    public SecurityContexts(@Nullable RoleHierarchy hierarchy) {
        this.hierarchy = hierarchy;
    }

    @Override
    public Set<String> ofThread() {
        return of(SecurityContextHolder.getContext().getAuthentication());
    }

    @Override
    public Mono<Set<String>> ofSubscriber() {
        return ReactiveSecurityContextHolder.getContext()
                .map(context -> of(context.getAuthentication()))
                .defaultIfEmpty(Set.of());
    }

    private Set<String> of(@Nullable Authentication sender) {
        if (sender == null || !sender.isAuthenticated()) {
            return Set.of();
        }
        Collection<? extends GrantedAuthority> granted = hierarchy == null
                ? sender.getAuthorities()
                : hierarchy.getReachableGrantedAuthorities(sender.getAuthorities());
        return granted.stream()
                .map(GrantedAuthority::getAuthority)
                .filter(Objects::nonNull)
                .collect(toSet());
    }
}
