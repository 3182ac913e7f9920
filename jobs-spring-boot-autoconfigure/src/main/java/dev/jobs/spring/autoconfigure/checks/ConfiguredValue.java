package dev.jobs.spring.autoconfigure.checks;

import dev.jobs.Internal;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.Environment;

/** Finds where a property is set. */
@Internal
public final class ConfiguredValue {

    private ConfiguredValue() {}

    /** The file and line, the variable or the source that sets a property, for messages. */
    public static String origin(String property, Environment environment) {
        return origin(ConfigurationPropertyName.of(property), ConfigurationPropertySources.get(environment));
    }

    static String origin(ConfigurationPropertyName name, Iterable<ConfigurationPropertySource> sources) {
        ConfigurationProperty found = find(name, sources);
        return found == null || found.getOrigin() == null
                ? "of unknown origin"
                : found.getOrigin().toString();
    }

    /** The first source wins. */
    static @Nullable ConfigurationProperty find(
            ConfigurationPropertyName name, Iterable<ConfigurationPropertySource> sources) {
        for (ConfigurationPropertySource source : sources) {
            ConfigurationProperty found = source.getConfigurationProperty(name);
            if (found != null) {
                return found;
            }
        }
        return null;
    }
}
