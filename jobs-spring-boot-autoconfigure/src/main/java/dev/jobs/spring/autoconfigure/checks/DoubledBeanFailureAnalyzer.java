package dev.jobs.spring.autoconfigure.checks;

import java.util.Collection;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.analyzer.AbstractInjectionFailureAnalyzer;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Explains that there are several beans of a type of ours, of which something needs one. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class DoubledBeanFailureAnalyzer extends AbstractInjectionFailureAnalyzer<NoUniqueBeanDefinitionException> {

    private final @Nullable ConfigurableListableBeanFactory beans;

    DoubledBeanFailureAnalyzer(@Nullable BeanFactory beans) {
        this.beans = beans instanceof ConfigurableListableBeanFactory found ? found : null;
    }

    @Override
    protected @Nullable FailureAnalysis analyze(
            Throwable rootFailure, NoUniqueBeanDefinitionException cause, @Nullable String description) {
        Class<?> type = cause.getBeanType();
        Collection<String> names = cause.getBeanNamesFound();
        if (beans == null || type == null || !type.getName().startsWith(PropertyCheck.OURS) || names == null) {
            return null;
        }
        boolean ofOurs = names.stream().anyMatch(this::isOurs);
        return new FailureAnalysis(
                "%s needs one bean of type %s, and there are %d:%n%n%s"
                        .formatted(
                                description == null ? "Something" : description,
                                type.getName(),
                                names.size(),
                                names.stream()
                                        .map(name -> "    - " + describe(name))
                                        .collect(Collectors.joining("%n".formatted()))),
                (ofOurs
                                ? "Remove the application's bean, if that of Jobs is enough. Otherwise mark"
                                : "Keep one of them: Jobs itself defines none of this type where there is another. Or mark")
                        + " the one that Jobs is to use with @Primary, or declare the others with "
                        + "@Bean(defaultCandidate = false) and inject them with @Qualifier.",
                cause);
    }

    private boolean isOurs(String name) {
        BeanDefinition definition = definition(name);
        return definition != null && BeanOrigin.isOurs(name, definition);
    }

    private String describe(String name) {
        BeanDefinition definition = definition(name);
        return definition == null
                ? name
                : name + ": " + (BeanOrigin.isOurs(name, definition) ? "of Jobs, " : "") + BeanOrigin.of(definition);
    }

    private @Nullable BeanDefinition definition(String name) {
        return beans != null && beans.containsBeanDefinition(name) ? beans.getMergedBeanDefinition(name) : null;
    }
}
