package dev.jobs.dashboard;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Pattern;
import java.util.Set;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * The properties of the dashboard.
 *
 * @param enabled Whether the dashboard is served.
 * @param path Path of its pages, below the context path and the servlet path. Segments of letters, digits and the characters _ . ~ -, each behind a slash.
 * @param access Who may see it. By default those with one of the authorities below where Spring Security is, and only this machine where it is not.
 * @param hosts Names that browsers may use for this application in an address, without ports, such as "jobs.example.org". Empty for any. Without them nothing keeps the owner of another name from letting it point here, which matters where "access" is "anyone".
 * @param viewers Authorities of Spring Security that may look, such as "ROLE_JOBS_VIEWER".
 * @param operators Authorities of Spring Security that may also act.
 * @param readOnly Whether nobody may act, whatever their authorities.
 * @param maxViewers Number of pages that get live numbers at once, 1 to 1000. Others ask for them now and then.
 */
@Validated
@ConfigurationProperties("jobs.dashboard")
public record DashboardProperties(
        @DefaultValue("true") boolean enabled,

        @DefaultValue("/jobs")
        @Pattern(
                regexp = "(/[A-Za-z0-9_.~-]*[A-Za-z0-9_~-])+",
                message = "must be segments of letters, digits and _ . ~ -, each behind a slash, as in /jobs")
        String path,

        @DefaultValue("auto") Access access,
        @DefaultValue Set<String> hosts,
        @DefaultValue("ROLE_JOBS_VIEWER") Set<String> viewers,
        @DefaultValue("ROLE_JOBS_OPERATOR") Set<String> operators,
        @DefaultValue("false") boolean readOnly,
        @DefaultValue("50") @Min(1) @Max(1_000) int maxViewers) {

    /** Who may see the dashboard. */
    public enum Access {
        /** {@link #AUTHORITIES} where Spring Security is on the class path, {@link #LOCAL} where it is not. */
        AUTO,
        /** Who is authenticated by Spring Security and has one of the authorities. */
        AUTHORITIES,
        /** Everybody on this machine, nobody else, and nobody through a proxy. */
        LOCAL,
        /** Everybody who can reach it: for closed networks, or behind something that knows who may. */
        ANYONE
    }
}
