package dev.jobs.spring.autoconfigure.health;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.health.actuate.endpoint.AdditionalHealthEndpointPath;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroup;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroups;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroupsPostProcessor;
import org.springframework.boot.health.actuate.endpoint.HttpCodeStatusMapper;
import org.springframework.boot.health.actuate.endpoint.StatusAggregator;

/**
 * Keeps the readiness of the worker out of the overall health. It belongs only to groups that name it; otherwise
 * quieting the worker would take a web application that also runs jobs out of its load balancer.
 */
final class ReadinessOnRequest implements HealthEndpointGroupsPostProcessor {

    static final String CONTRIBUTOR = "jobsReadiness";

    @Override
    public HealthEndpointGroups postProcessHealthEndpointGroups(HealthEndpointGroups groups) {
        Map<String, HealthEndpointGroup> others = new LinkedHashMap<>();
        for (String name : groups.getNames()) {
            HealthEndpointGroup group = groups.get(name);
            if (group != null) {
                others.put(name, group);
            }
        }
        return HealthEndpointGroups.of(new WithoutReadiness(groups.getPrimary()), others);
    }

    private record WithoutReadiness(HealthEndpointGroup group) implements HealthEndpointGroup {

        @Override
        public boolean isMember(String name) {
            return !name.equals(CONTRIBUTOR) && group.isMember(name);
        }

        @Override
        public boolean showComponents(SecurityContext securityContext) {
            return group.showComponents(securityContext);
        }

        @Override
        public boolean showDetails(SecurityContext securityContext) {
            return group.showDetails(securityContext);
        }

        @Override
        public StatusAggregator getStatusAggregator() {
            return group.getStatusAggregator();
        }

        @Override
        public HttpCodeStatusMapper getHttpCodeStatusMapper() {
            return group.getHttpCodeStatusMapper();
        }

        @Override
        public @Nullable AdditionalHealthEndpointPath getAdditionalPath() {
            return group.getAdditionalPath();
        }
    }
}
