package dev.jobs.dashboard;

import dev.jobs.Internal;
import dev.jobs.spring.autoconfigure.checks.PropertyRules;
import dev.jobs.spring.autoconfigure.redis.InstallationRedis;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.ClassUtils;

/**
 * The properties of the dashboard.
 *
 * @param enabled Whether the dashboard is served.
 * @param path Path of its pages, below the context path and the servlet path, or the base path of WebFlux. Segments of
 *     letters, digits and the characters _ . ~ -, each preceded by a slash.
 * @param server Which server it is at: application, or management for that of the actuator, below
 *     "management.server.base-path". If "management.server.port" is not set, that is the application's own.
 * @param access Who may see it. By default users with one of the authorities below if Spring Security is present,
 *     otherwise only this machine.
 * @param token What users on this machine have to show, if "access" is local: 16 to 200 letters, digits and the
 *     characters _ . ~ -. By default a new one with each start, in the link in the log. Set one to keep pages open over
 *     restarts.
 * @param hosts Host names, without ports, under which browsers may address this application, such as
 *     "jobs.example.org". Empty for any. If empty, the owner of another name can let it point here, which matters if
 *     "access" is "anyone".
 * @param viewers Spring Security authorities that may view, such as "ROLE_JOBS_VIEWER".
 * @param operators Spring Security authorities that may also act.
 * @param readOnly Whether all actions are forbidden, regardless of authorities.
 * @param maxViewers Number of pages that get live numbers at once, 1 to 1000. Further pages poll for them.
 * @param system Which system it shows, for people who have several open.
 * @param installations Further installations that it shows, each with a Redis of its own, by name: the segment of their
 *     path below that of the dashboard.
 */
@ConfigurationProperties("jobs.dashboard")
@Internal
public record DashboardProperties(
        @DefaultValue("true") boolean enabled,

        @DefaultValue("/jobs") String path,
        @DefaultValue("application") Server server,
        @DefaultValue("auto") Access access,
        @DefaultValue("") String token,
        @DefaultValue Set<String> hosts,
        @DefaultValue("ROLE_JOBS_VIEWER") Set<String> viewers,
        @DefaultValue("ROLE_JOBS_OPERATOR") Set<String> operators,
        @DefaultValue("false") boolean readOnly,
        @DefaultValue("50") int maxViewers,
        @DefaultValue SystemName system,
        @DefaultValue Map<String, FurtherInstallation> installations) {

    private static final Pattern PATH = Pattern.compile("(/[A-Za-z0-9_.~-]*[A-Za-z0-9_~-])+");

    /** Of the actuator: without this class there is none. */
    public static final String MANAGEMENT_PORT =
            "org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType";

    /** Of what a link, a header and a cookie can carry as it is; long enough that nobody guesses it. */
    private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9_.~-]{16,200}");

    /** @throws IllegalArgumentException if values can't be what they are; it names all of them */
    public DashboardProperties {
        PropertyRules rules = PropertyRules.of("jobs.dashboard")
                .check(
                        "path",
                        path,
                        PATH.matcher(path).matches(),
                        "must be segments of letters, digits and _ . ~ -, each behind a slash, as in /jobs")
                .check(
                        "server",
                        server,
                        server == Server.APPLICATION || ClassUtils.isPresent(MANAGEMENT_PORT, null),
                        "must be application, or not be set, without spring-boot-starter-actuator")
                .checkSecret(
                        "token",
                        token.isEmpty() || TOKEN.matcher(token).matches(),
                        "must be 16 to 200 letters, digits and the characters _ . ~ -, or empty")
                .within("max-viewers", maxViewers, 1, 1_000);
        system.check("system.", rules);
        installations.forEach((name, each) -> each.check(name, rules));
        rules.enforce();
    }

    /**
     * Which system a dashboard shows.
     *
     * @param name Name of the system in the sidebar and in titles, at most 40 characters. Empty for
     *     spring.application.name.
     * @param environment Name of its environment, such as "production", at most 40 characters.
     * @param colour Colour of the environment's name.
     */
    public record SystemName(
            @DefaultValue("") String name,
            @DefaultValue("") String environment,
            @DefaultValue("grey") Colour colour) {

        private static final String FORM = "must be at most 40 characters, without control characters";
        private static final Pattern SHORT = Pattern.compile("\\P{Cntrl}{0,40}");

        private void check(String prefix, PropertyRules rules) {
            rules.check(prefix + "name", name, SHORT.matcher(name).matches(), FORM)
                    .check(
                            prefix + "environment",
                            environment,
                            SHORT.matcher(environment).matches(),
                            FORM);
        }
    }

    /**
     * Another installation than the application's own.
     *
     * @param system What it is called; its name in the properties by default.
     * @param redis Where its jobs are.
     */
    public record FurtherInstallation(
            @DefaultValue SystemName system,
            @DefaultValue @NestedConfigurationProperty InstallationRedis redis) {

        /** Of a name that can be a segment of a path. */
        public static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?");

        private void check(String name, PropertyRules rules) {
            if (!NAME.matcher(name).matches()) {
                rules.check(
                        "installations",
                        name,
                        false,
                        "must have names of 1 to 40 lower-case letters, digits and hyphens, as in eu-west");
                return;
            }
            String prefix = "installations." + name + ".";
            system.check(prefix + "system.", rules);
            redis.check(prefix + "redis.", rules);
        }
    }

    /** Colours that differ in light and dark, and for most people who see few. */
    public enum Colour {
        GREY,
        GREEN,
        BLUE,
        ORANGE,
        RED
    }

    /** The servers of an application. */
    public enum Server {
        APPLICATION,
        MANAGEMENT
    }

    /** Who may see the dashboard. */
    public enum Access {
        /** {@link #AUTHORITIES} if Spring Security is on the class path, {@link #LOCAL} if it is not. */
        AUTO,
        /** Users authenticated by Spring Security who have one of the authorities. */
        AUTHORITIES,
        /** Only users on this machine who have opened the link in the log, and none through a proxy. */
        LOCAL,
        /** Everyone who can reach it: for closed networks, or behind something that controls access. */
        ANYONE
    }
}
