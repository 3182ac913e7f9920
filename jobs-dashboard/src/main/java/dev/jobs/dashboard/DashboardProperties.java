package dev.jobs.dashboard;

import dev.jobs.spring.autoconfigure.PropertyRules;
import java.util.Set;
import java.util.regex.Pattern;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties of the dashboard.
 *
 * @param enabled Whether the dashboard is served.
 * @param path Path of its pages, below the context path and the servlet path. Segments of letters, digits and the
 *     characters _ . ~ -, each preceded by a slash.
 * @param access Who may see it. By default users with one of the authorities below if Spring Security is present,
 *     otherwise only this machine.
 * @param hosts Host names, without ports, under which browsers may address this application, such as
 *     "jobs.example.org". Empty for any. If empty, the owner of another name can let it point here, which matters if
 *     "access" is "anyone".
 * @param viewers Spring Security authorities that may view, such as "ROLE_JOBS_VIEWER".
 * @param operators Spring Security authorities that may also act.
 * @param readOnly Whether all actions are forbidden, regardless of authorities.
 * @param maxViewers Number of pages that get live numbers at once, 1 to 1000. Further pages poll for them.
 */
@ConfigurationProperties("jobs.dashboard")
public record DashboardProperties(
        @DefaultValue("true") boolean enabled,

        @DefaultValue("/jobs") String path,
        @DefaultValue("auto") Access access,
        @DefaultValue Set<String> hosts,
        @DefaultValue("ROLE_JOBS_VIEWER") Set<String> viewers,
        @DefaultValue("ROLE_JOBS_OPERATOR") Set<String> operators,
        @DefaultValue("false") boolean readOnly,
        @DefaultValue("50") int maxViewers) {

    private static final Pattern PATH = Pattern.compile("(/[A-Za-z0-9_.~-]*[A-Za-z0-9_~-])+");

    /** @throws IllegalArgumentException if values can't be what they are; it names all of them */
    public DashboardProperties {
        PropertyRules.of("jobs.dashboard")
                .check(
                        "path",
                        path,
                        PATH.matcher(path).matches(),
                        "must be segments of letters, digits and _ . ~ -, each behind a slash, as in /jobs")
                .within("max-viewers", maxViewers, 1, 1_000)
                .enforce();
    }

    /** Who may see the dashboard. */
    public enum Access {
        /** {@link #AUTHORITIES} if Spring Security is on the class path, {@link #LOCAL} if it is not. */
        AUTO,
        /** Users authenticated by Spring Security who have one of the authorities. */
        AUTHORITIES,
        /** Only users on this machine, and none through a proxy. */
        LOCAL,
        /** Everyone who can reach it: for closed networks, or behind something that controls access. */
        ANYONE
    }
}
