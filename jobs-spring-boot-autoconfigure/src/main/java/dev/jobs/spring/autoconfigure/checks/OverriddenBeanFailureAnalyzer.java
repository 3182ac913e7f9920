package dev.jobs.spring.autoconfigure.checks;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionOverrideException;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.type.MethodMetadata;

/**
 * Explains that an application has a bean with the name of one of ours. Boot's analyzer would propose to allow that one
 * replaces the other, whatever it is.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class OverriddenBeanFailureAnalyzer extends AbstractFailureAnalyzer<BeanDefinitionOverrideException> {

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, BeanDefinitionOverrideException cause) {
        String name = cause.getBeanName();
        BeanDefinition second = cause.getBeanDefinition();
        BeanDefinition first = cause.getExistingDefinition();
        boolean comesLast = BeanOrigin.isOurs(name, second); // as auto-configurations do
        if (!comesLast && !BeanOrigin.isOurs(name, first)) {
            return null;
        }
        BeanDefinition ours = comesLast ? second : first;
        return new FailureAnalysis(
                "The bean '%s' of Jobs, %s, has the name of another bean, %s."
                        .formatted(name, BeanOrigin.of(ours), BeanOrigin.of(comesLast ? first : second)),
                "Rename the other bean: names that begin with 'jobs' may be those of Jobs." + replacement(ours),
                cause);
    }

    private static String replacement(BeanDefinition ours) {
        MethodMetadata method = BeanOrigin.method(ours);
        Map<String, @Nullable Object> condition =
                method == null ? null : method.getAnnotationAttributes(ConditionalOnMissingBean.class.getName(), true);
        if (method == null || condition == null) {
            return "";
        }
        String[] types = (String[]) condition.get("value");
        return " If it is to replace that of Jobs, it needs another name and the right type: Jobs has no bean of type "
                + (types == null || types.length == 0 ? method.getReturnTypeName() : types[0])
                + " where the application defines one.";
    }
}
