package dev.jobs.dashboard.access;

import dev.jobs.Internal;
import dev.jobs.dashboard.DashboardProperties;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.core.env.Environment;

/** Logs at start, once the server listens, where the dashboard is, who may see it, and how to change that. */
@Internal
public final class StartLine implements ApplicationListener<ContextRefreshedEvent> {

    private static final Logger log = LoggerFactory.getLogger(StartLine.class);

    private final DashboardProperties properties;
    private final @Nullable AccessRule access;
    private final ApplicationContext application;
    private final List<String> basePaths;

    /**
     * @param access null if the application decides who may see it
     * @param basePaths names of the properties with the paths in front of ours
     */
    public StartLine(
            DashboardProperties properties,
            @Nullable AccessRule access,
            ApplicationContext application,
            List<String> basePaths) {
        this.properties = properties;
        this.access = access;
        this.application = application;
        this.basePaths = basePaths;
    }

    /** Also told of contexts below that of the application, such as that of an actuator with a port of its own. */
    @Override
    public void onApplicationEvent(ContextRefreshedEvent event) {
        if (event.getApplicationContext() == application) {
            log();
        }
    }

    private void log() {
        Environment environment = application.getEnvironment();
        DashboardServer server = DashboardServer.of(environment);
        if (server == DashboardServer.NONE) {
            log.warn(
                    "The dashboard is not served: jobs.dashboard.server is 'management', and management.server.port is -1");
            return;
        }
        String path = server == DashboardServer.MANAGEMENT
                ? server.address(environment, basePaths, properties.path())
                : properties.path();
        if (access instanceof LocalAccess local) {
            // the link has a blank behind it, so that a terminal knows where it ends
            log.info(
                    "The dashboard is at {} for browsers on this machine that open this link. To open it to others, add Spring Security and "
                            + "give people the authority {} or {}, or see jobs.dashboard.access",
                    server.address(
                            environment,
                            basePaths,
                            properties.path() + "/" + local.token().query()),
                    properties.viewers(),
                    properties.operators());
        } else if (access instanceof AnyoneAccess) {
            log.warn(
                    "The dashboard is at {}, and everybody who can reach it may {}, since jobs.dashboard.access is 'anyone'{}",
                    path,
                    properties.readOnly() ? "look" : "act",
                    properties.hosts().isEmpty()
                            ? ". List its host names in jobs.dashboard.hosts, or a page of any site may reach it through a "
                                    + "browser that can"
                            : "");
        } else {
            log.info(
                    "The dashboard is at {}; {} may look, {} may act",
                    path,
                    access instanceof AuthorityAccess ? properties.viewers() : "the application says who",
                    access instanceof AuthorityAccess ? properties.operators() : "and who");
        }
    }
}
