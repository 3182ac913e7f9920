package dev.jobs.spring.autoconfigure.installations;

import dev.jobs.Internal;
import dev.jobs.JobDefinitionException;
import dev.jobs.assembly.JobEngine;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.batches.Batches;
import dev.jobs.recurring.LocalQueues;
import dev.jobs.recurring.RecurringJobs;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.core.env.Environment;

/** All jobs are on the application's Redis. */
@Internal
public final class SingleInstallation implements OwnInstallations {

    private static final String HOME = "home";

    /** What another module reads. */
    private static final List<String> OF_SEVERAL = List.of(
            "jobs.shards", "jobs.cluster-shards", "jobs.spread-queues", "jobs.moving-queues", "jobs.home-shard");

    private final Home home;

    /** @throws JobDefinitionException if properties say that jobs are elsewhere, too */
    public SingleInstallation(BeanFactory beans, Environment environment) {
        for (String property : OF_SEVERAL) {
            if (isSet(ConfigurationPropertyName.of(property), environment)) {
                throw new JobDefinitionException(
                        property + " is set, and this application knows no shards",
                        "Add dev.jobs:jobs-shards to the class path, or remove the property.");
            }
        }
        this.home = new Home(beans);
    }

    private static boolean isSet(ConfigurationPropertyName name, Environment environment) {
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source.getConfigurationProperty(name) != null
                    || source.containsDescendantOf(name) == ConfigurationPropertyState.PRESENT) {
                return true;
            }
        }
        return false;
    }

    private record Home(BeanFactory beans) implements Installation {

        @Override
        public String name() {
            return HOME;
        }

        @Override
        public String address() {
            return "the application's Redis";
        }

        @Override
        public @Nullable String node() {
            return null;
        }

        @Override
        public JobsAdmin admin() {
            return beans.getBean(JobsAdmin.class);
        }

        @Override
        public RecurringJobs recurring() {
            return beans.getBean(RecurringJobs.class);
        }

        @Override
        public Batches batches() {
            return beans.getBean(Batches.class);
        }
    }

    @Override
    public List<Installation> all() {
        return List.of(home);
    }

    @Override
    public List<String> served(String name, List<String> queues) {
        return queues;
    }

    @Override
    public List<String> having(String queue) {
        return List.of(HOME);
    }

    @Override
    public <S, T> Map<String, T> ask(
            Map<String, ? extends S> asked,
            Function<? super S, ? extends T> question,
            BiFunction<String, Duration, T> late) {
        Map<String, T> answers = new LinkedHashMap<>();
        asked.forEach((name, each) -> answers.put(name, question.apply(each)));
        return answers;
    }

    @Override
    public <S, T> Map<String, T> askForHealth(
            Map<String, ? extends S> asked,
            Function<? super S, ? extends T> question,
            BiFunction<String, Duration, T> late) {
        return ask(asked, question, late);
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
