package dev.jobs.spring.autoconfigure.checks;

import dev.jobs.Internal;
import dev.jobs.spring.autoconfigure.checks.IneffectivePropertiesException.Ineffective;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Finds one value where Jobs has a group of properties, such as {@code jobs.timeout=30s}. It may be the application's
 * own, and is a warning then. Where only Jobs can be meant, it ends the start. Asked once, when it is known what jobs
 * there are, so that nothing is both left alone and refused.
 */
@Internal
public final class LoneValues {

    private static final Logger log = LoggerFactory.getLogger(LoneValues.class);

    private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of(PropertyNames.PREFIX);

    /**
     * Groups of modules that an application may lack. Not that of the embedded Redis, which is meant to be missing in
     * production; and without the module of shards, theirs end the start.
     */
    private static final Map<String, String> MODULES = Map.of(
            "dashboard", "dev.jobs:jobs-dashboard",
            "history", "dev.jobs:jobs-history-jdbc",
            "outbox", "dev.jobs:jobs-outbox-jdbc");

    private final ConfigurableListableBeanFactory beans;
    private final ConfigurableEnvironment environment;

    public LoneValues(ConfigurableListableBeanFactory beans, ConfigurableEnvironment environment) {
        this.beans = beans;
        this.environment = environment;
    }

    /**
     * @param known by the name of a map, entries of it that can only be meant for Jobs
     * @throws IneffectivePropertiesException if one of them has a value, which would not be in force
     */
    public void check(Map<String, ? extends Collection<String>> known) {
        List<ConfigurationPropertySource> sources = new ArrayList<>();
        ConfigurationPropertySources.get(environment).forEach(sources::add);
        Set<ConfigurationPropertyName> set =
                sources.stream().flatMap(LoneValues::names).collect(Collectors.toCollection(TreeSet::new));
        PropertyNames names = PropertyNames.of(beans);
        if (set.stream().anyMatch(name -> !names.knows(group(name)))) {
            names.addIdleModules(classes());
        }
        List<Ineffective> wrong = new ArrayList<>();
        Stream.concat(set.stream(), names.groups())
                .distinct()
                .sorted()
                .forEach(name -> check(name, names.branch(name), sources, known, wrong));
        if (!wrong.isEmpty()) {
            throw new IneffectivePropertiesException(wrong);
        }
        tellOfMissingModules(names, sources);
    }

    private static Stream<ConfigurationPropertyName> names(ConfigurationPropertySource source) {
        return source instanceof IterableConfigurationPropertySource all
                ? all.stream().filter(PREFIX::isAncestorOf)
                : Stream.empty();
    }

    private static String group(ConfigurationPropertyName name) {
        return name.getElement(1, Form.ORIGINAL);
    }

    private ClassLoader classes() {
        ClassLoader classes = beans.getBeanClassLoader();
        return classes == null ? LoneValues.class.getClassLoader() : classes;
    }

    private static void check(
            ConfigurationPropertyName name,
            PropertyNames.@Nullable Branch branch,
            List<ConfigurationPropertySource> sources,
            Map<String, ? extends Collection<String>> known,
            List<Ineffective> wrong) {
        ConfigurationProperty value = branch == null ? null : ConfiguredValue.find(name, sources);
        if (branch == null || value == null || "".equals(value.getValue())) { // as of a group in YAML without entries
            return;
        }
        String origin = ConfiguredValue.origin(name, sources);
        String properties = String.join(", ", branch.properties());
        if (isKnown(name, known)) {
            wrong.add(new Ineffective(
                    name.toString(), origin, "it has no value but properties below it; write one of " + properties));
            return;
        }
        log.warn(
                "{} ({}) is left alone: where it is, Jobs has no value but properties below it, such as {}. If Jobs is "
                        + "meant, set one of these; if it is the application's own, rename it to something that "
                        + "doesn't begin with '{}.'",
                name,
                origin,
                properties,
                PropertyNames.PREFIX);
    }

    private static boolean isKnown(ConfigurationPropertyName name, Map<String, ? extends Collection<String>> known) {
        String key = NearestName.letters(name.getLastElement(Form.ORIGINAL));
        return known.entrySet().stream()
                .filter(map -> ConfigurationPropertyName.of(map.getKey()).isParentOf(name))
                .flatMap(map -> map.getValue().stream())
                .anyMatch(each -> NearestName.letters(each).equals(key));
    }

    /** Not of variables: those of Kubernetes have the names of services, such as JOBS_DASHBOARD_PORT. */
    private static void tellOfMissingModules(PropertyNames names, List<ConfigurationPropertySource> sources) {
        Set<String> told = new HashSet<>();
        for (ConfigurationPropertySource source : sources) {
            if (source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource) {
                continue;
            }
            names(source).filter(name -> !names.knows(group(name))).forEach(name -> {
                String module = MODULES.get(group(name));
                if (module != null && told.add(module)) {
                    log.warn(
                            "{} ({}) has no effect: jobs.{} belongs to {}, which is not on the class path. Add it, or "
                                    + "remove the property",
                            name,
                            ConfiguredValue.origin(name, sources),
                            group(name),
                            module);
                }
            });
        }
    }
}
