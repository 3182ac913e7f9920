package dev.jobs.spring.autoconfigure.discovery;

import dev.jobs.JobDefinitionException;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.annotation.AnnotationUtils;

/** The texts of annotations, with the placeholders that the application resolves, such as {@code ${reports.cron}}. */
final class AnnotationTexts {

    private static final String PLACEHOLDER = "${";

    private final ConfigurableBeanFactory beans;

    AnnotationTexts(ConfigurableBeanFactory beans) {
        this.beans = beans;
    }

    /**
     * The annotation with the placeholders in all its texts resolved.
     *
     * @param methodName of the annotated method, for messages
     * @throws JobDefinitionException if one can't be resolved
     */
    <A extends Annotation> A resolved(A annotation, Class<A> kind, Method method, String methodName) {
        Map<String, @Nullable Object> attributes = AnnotationUtils.getAnnotationAttributes(annotation);
        boolean changed = false;
        for (Map.Entry<String, @Nullable Object> attribute : attributes.entrySet()) {
            UnaryOperator<String> texts = of("@" + kind.getSimpleName() + "(" + attribute.getKey() + ")", methodName);
            if (attribute.getValue() instanceof String text && text.contains(PLACEHOLDER)) {
                attribute.setValue(texts.apply(text));
                changed = true;
            } else if (attribute.getValue() instanceof String[] all
                    && Arrays.stream(all).anyMatch(each -> each.contains(PLACEHOLDER))) {
                attribute.setValue(Arrays.stream(all).map(texts).toArray(String[]::new));
                changed = true;
            }
        }
        return changed ? AnnotationUtils.synthesizeAnnotation(attributes, kind, method) : annotation;
    }

    /**
     * Resolves the placeholders of one text.
     *
     * @param attribute the name of what has the text
     */
    UnaryOperator<String> of(String attribute, String methodName) {
        return text -> {
            if (!text.contains(PLACEHOLDER)) {
                return text;
            }
            String resolved;
            try {
                resolved = beans.resolveEmbeddedValue(text);
            } catch (IllegalArgumentException e) {
                throw unresolved(attribute, methodName, text, e);
            }
            if (text.equals(resolved)) { // by a resolver that ignores what it doesn't know
                throw unresolved(attribute, methodName, text, null);
            }
            return resolved == null ? "" : resolved;
        };
    }

    private static JobDefinitionException unresolved(
            String attribute, String methodName, String text, @Nullable IllegalArgumentException cause) {
        JobDefinitionException unresolved = new JobDefinitionException(
                "The @Job method " + methodName + " can't be used: the placeholder in its " + attribute + ", '" + text
                        + "', can't be resolved",
                "Set the property, or give it a default after a colon, as in ${reports.cron:0 2 * * *}; ${reports.cron:-} is "
                        + "off by default.");
        if (cause != null) {
            unresolved.initCause(cause);
        }
        return unresolved;
    }
}
