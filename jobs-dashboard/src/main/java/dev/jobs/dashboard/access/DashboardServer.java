package dev.jobs.dashboard.access;

import dev.jobs.Internal;
import dev.jobs.dashboard.DashboardProperties;
import dev.jobs.dashboard.DashboardProperties.Server;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.ClassUtils;

/** The server that the dashboard is at: the application's own, or that of the actuator if it has one of its own. */
@Internal
public enum DashboardServer {
    APPLICATION,
    MANAGEMENT,
    /** That of the actuator, which is turned off. */
    NONE;

    /** Where this application's dashboard is. As with endpoints, that of the actuator is often the application's own. */
    static DashboardServer of(Environment environment) {
        Server wanted = Binder.get(environment)
                .bind("jobs.dashboard.server", Server.class)
                .orElse(Server.APPLICATION);
        if (wanted == Server.APPLICATION) {
            return APPLICATION;
        }
        return switch (ManagementPortType.get(environment)) {
            case SAME -> APPLICATION;
            case DIFFERENT -> MANAGEMENT;
            case DISABLED -> NONE;
        };
    }

    /**
     * The address of the pages for a browser on this machine. Without a server of the application's own, as in a war,
     * only the path is known.
     *
     * @param basePaths names of the properties with the paths in front of the application's own pages
     */
    String address(Environment environment, List<String> basePaths, String path) {
        boolean management = this == MANAGEMENT;
        String port = environment.getProperty(management ? "local.management.port" : "local.server.port", "");
        boolean encrypted = isEncrypted(environment, "server.ssl.", false);
        if (management) {
            encrypted = isEncrypted(environment, "management.server.ssl.", encrypted);
        }
        String front = (management ? List.of("management.server.base-path") : basePaths)
                .stream()
                        .map(each -> environment.getProperty(each, ""))
                        .filter(each -> !each.equals("/"))
                        .collect(Collectors.joining());
        String server = port.isEmpty() ? "" : (encrypted ? "https" : "http") + "://localhost:" + port;
        return server + front + path;
    }

    private static boolean isEncrypted(Environment environment, String prefix, boolean otherwise) {
        return environment.getProperty(prefix + "enabled", Boolean.class, true)
                && (otherwise
                        || Stream.of("bundle", "key-store", "certificate")
                                .anyMatch(each -> environment.containsProperty(prefix + each)));
    }

    /** Matches if the dashboard is at the application's own server. */
    @Internal
    public static final class OnApplication implements Condition {

        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            // without an actuator, the properties refuse the other one and say why
            return !ClassUtils.isPresent(DashboardProperties.MANAGEMENT_PORT, context.getClassLoader())
                    || of(context.getEnvironment()) == APPLICATION;
        }
    }
}
