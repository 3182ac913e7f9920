package dev.jobs.spring.autoconfigure.installations;

import dev.jobs.Internal;
import dev.jobs.JobDefinitionException;
import dev.jobs.assembly.JobEngine;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.recurring.LocalQueues;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** All jobs are on the application's Redis. */
@Internal
public final class SingleInstallation implements OwnInstallations {

    private static final String HOME = "home";

    /** What another module reads. */
    private static final List<String> OF_SEVERAL = List.of(
            "jobs.shards", "jobs.cluster-shards", "jobs.spread-queues", "jobs.moving-queues", "jobs.home-shard");

    private final BeanFactory beans;

    private static final Set<String> OF_SERVICES = Set.of("service", "port");

    /** @throws JobDefinitionException if properties say that jobs are elsewhere, too */
    public SingleInstallation(BeanFactory beans, Environment environment) {
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            for (String property : OF_SEVERAL) {
                if (isSet(ConfigurationPropertyName.of(property), source)) {
                    throw new JobDefinitionException(
                            property + " is set by " + nameOf(source) + ", and this application knows no shards",
                            "Add dev.jobs:jobs-shards to the class path, or remove the property.");
                }
            }
        }
        this.beans = beans;
    }

    private static boolean isSet(ConfigurationPropertyName name, ConfigurationPropertySource source) {
        if (source.getConfigurationProperty(name) != null) {
            return true;
        }
        return source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource
                        && source instanceof IterableConfigurationPropertySource variables
                ? variables.stream().anyMatch(each -> name.isAncestorOf(each) && !isOfService(each))
                : source.containsDescendantOf(name) == ConfigurationPropertyState.PRESENT;
    }

    private static String nameOf(ConfigurationPropertySource source) {
        return source.getUnderlyingSource() instanceof PropertySource<?> known
                ? "'" + known.getName() + "'"
                : "the configuration";
    }

    /** Kubernetes sets such a variable for each service, such as JOBS_SHARDS_SERVICE_HOST for jobs-shards. */
    private static boolean isOfService(ConfigurationPropertyName name) {
        for (int i = 0; i < name.getNumberOfElements(); i++) {
            if (OF_SERVICES.contains(name.getElement(i, Form.UNIFORM))) {
                return true;
            }
        }
        return false;
    }

    @Override
    public Map<String, JobsAdmin> admins() {
        return Map.of(HOME, beans.getBean(JobsAdmin.class));
    }

    @Override
    public String home() {
        return HOME;
    }

    @Override
    public Map<String, String> tags(String name) {
        return Map.of();
    }

    @Override
    public LocalQueues queuesOfHome() {
        return LocalQueues.ALL;
    }

    @Override
    public LocalQueues queuesOfHomeAndLeaving() {
        return LocalQueues.ALL;
    }

    @Override
    public Stream<RedisJobClient> clients() {
        return Stream.empty();
    }

    @Override
    public JobEngine engine(EngineParts parts) {
        return parts.engine();
    }

    @Override
    public OwnEngines engines(JobEngine first, EngineParts parts) {
        return new OwnEngines(Map.of(HOME, first));
    }
}
