package dev.jobs.dashboard.access;

import dev.jobs.Internal;
import dev.jobs.dashboard.DashboardProperties;
import dev.jobs.dashboard.DashboardProperties.Access;
import dev.jobs.dashboard.DashboardRole;
import dev.jobs.dashboard.web.Arrival;
import java.security.SecureRandom;
import java.util.Set;
import java.util.function.Supplier;

/** Decides what the sender of a request may do, in every kind of application, as {@code jobs.dashboard.access} says. */
@Internal
public interface AccessRule {

    /** @param authorities those of the sender; none if the sender is not authenticated */
    DashboardRole roleOf(Arrival arrival, Supplier<Set<String>> authorities);

    /**
     * @param secured whether Spring Security is on the class path
     * @throws IllegalStateException if the property demands it and it is not
     */
    static AccessRule of(DashboardProperties properties, boolean secured) {
        Access access = properties.access();
        if (access == Access.AUTHORITIES && !secured) {
            throw new IllegalStateException(
                    "jobs.dashboard.access is 'authorities', but Spring Security is not on the class path: add "
                            + "spring-boot-starter-security, or set it to 'local' or 'anyone'");
        }
        return switch (access) {
            case AUTO, AUTHORITIES ->
                secured ? new AuthorityAccess(properties.viewers(), properties.operators()) : local(properties);
            case LOCAL -> local(properties);
            case ANYONE -> new AnyoneAccess();
        };
    }

    private static AccessRule local(DashboardProperties properties) {
        return new LocalAccess(new LinkToken(properties.token(), new SecureRandom()));
    }
}
