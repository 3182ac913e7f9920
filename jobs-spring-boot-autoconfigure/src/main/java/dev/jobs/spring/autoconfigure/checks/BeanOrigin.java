package dev.jobs.spring.autoconfigure.checks;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.core.type.MethodMetadata;

/** Says where a bean comes from. */
final class BeanOrigin {

    private static final String NAMES = "jobs";

    private BeanOrigin() {}

    /** Whether a bean is one of our auto-configurations'. */
    static boolean isOurs(String name, BeanDefinition definition) {
        MethodMetadata method = method(definition);
        return name.startsWith(NAMES)
                && method != null
                && method.getDeclaringClassName().startsWith(PropertyCheck.OURS);
    }

    /** The end of a sentence about it. */
    static String of(BeanDefinition definition) {
        MethodMetadata method = method(definition);
        if (method != null) {
            return "defined by method '" + method.getMethodName() + "' in " + method.getDeclaringClassName();
        }
        String resource = definition.getResourceDescription();
        return resource != null ? "defined in " + resource : "of class " + definition.getBeanClassName();
    }

    static @Nullable MethodMetadata method(BeanDefinition definition) {
        return definition instanceof AnnotatedBeanDefinition annotated ? annotated.getFactoryMethodMetadata() : null;
    }
}
