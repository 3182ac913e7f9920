package dev.jobs.dashboard;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** Logs at start where the dashboard is, who may see it, and how to change that. */
final class StartLine implements SmartInitializingSingleton {

    private static final Logger log = LoggerFactory.getLogger(StartLine.class);

    private final DashboardProperties properties;
    private final @Nullable AccessRule access;

    /** @param access null if the application decides who may see it */
    StartLine(DashboardProperties properties, @Nullable AccessRule access) {
        this.properties = properties;
        this.access = access;
    }

    @Override
    public void afterSingletonsInstantiated() {
        String path = properties.path();
        if (access instanceof LocalAccess) {
            log.info(
                    "The dashboard is at {}, for browsers on this machine only. To open it, add Spring Security and give people the authority "
                            + "{} or {}, or see jobs.dashboard.access",
                    path,
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
