package dev.jobs.dashboard.access;

import dev.jobs.dashboard.DashboardRole;
import dev.jobs.dashboard.web.Arrival;
import java.util.Set;
import java.util.function.Supplier;

/** Admits everyone. */
final class AnyoneAccess implements AccessRule {

    @Override
    public DashboardRole roleOf(Arrival arrival, Supplier<Set<String>> authorities) {
        return DashboardRole.OPERATOR;
    }
}
