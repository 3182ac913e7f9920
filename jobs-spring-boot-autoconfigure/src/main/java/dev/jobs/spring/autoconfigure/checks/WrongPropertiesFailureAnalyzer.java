package dev.jobs.spring.autoconfigure.checks;

import dev.jobs.spring.autoconfigure.checks.WrongPropertiesException.Wrong;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * Shows all wrong values of properties, with the source that sets each, as Boot shows violations of Bean Validation.
 * Comes before Boot's analyzer of failed bindings, which knows no sources here.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class WrongPropertiesFailureAnalyzer extends AbstractFailureAnalyzer<WrongPropertiesException> {

    private final @Nullable Environment environment;

    WrongPropertiesFailureAnalyzer(@Nullable Environment environment) {
        this.environment = environment;
    }

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, WrongPropertiesException cause) {
        StringBuilder description = new StringBuilder("Properties have values that they can't have:");
        for (Wrong each : cause.all()) {
            ConfigurationProperty set = find(each.property());
            description.append("%n%n    Property: %s".formatted(each.property()));
            if (each.value() != null) {
                description.append("%n    Value: \"%s\"".formatted(set == null ? each.value() : set.getValue()));
            }
            if (set != null && set.getOrigin() != null) {
                description.append("%n    Origin: %s".formatted(set.getOrigin()));
            }
            description.append("%n    Reason: %s".formatted(each.rule()));
        }
        return new FailureAnalysis(description.toString(), "Update your application's configuration", cause);
    }

    private @Nullable ConfigurationProperty find(String property) {
        if (environment == null) {
            return null;
        }
        Iterable<ConfigurationPropertySource> sources = ConfigurationPropertySources.get(environment);
        ConfigurationPropertyName name = ConfigurationPropertyName.of(property);
        ConfigurationProperty found = ConfiguredValue.find(name, sources);
        // An element of a list may be part of a text with commas.
        return found == null && name.isLastElementIndexed() ? ConfiguredValue.find(name.getParent(), sources) : found;
    }
}
