package dev.jobs.test;

import dev.jobs.ArgumentMask;
import dev.jobs.DeathHandler;
import dev.jobs.EnqueueMiddleware;
import dev.jobs.Job;
import dev.jobs.JobErrorHandler;
import dev.jobs.JobListener;
import dev.jobs.JobMiddleware;
import dev.jobs.RetryPolicy;
import java.io.IOException;
import java.util.Set;
import org.springframework.boot.test.context.filter.annotation.StandardAnnotationCustomizableTypeExcludeFilter;
import org.springframework.core.type.classreading.MetadataReader;
import org.springframework.core.type.classreading.MetadataReaderFactory;

/** Chooses the components of a {@link JobsTest}. */
final class JobsTypeExcludeFilter extends StandardAnnotationCustomizableTypeExcludeFilter<JobsTest> {

    private static final Set<Class<?>> HOOKS = Set.of(
            ArgumentMask.class,
            DeathHandler.class,
            EnqueueMiddleware.class,
            JobErrorHandler.class,
            JobListener.class,
            JobMiddleware.class,
            RetryPolicy.class);

    private final Set<Class<?>> listed;

    JobsTypeExcludeFilter(Class<?> testClass) {
        super(testClass);
        this.listed = Set.of(getAnnotation().getValue("jobs", Class[].class).orElse(new Class<?>[0]));
    }

    @Override
    protected Set<Class<?>> getKnownIncludes() {
        return HOOKS;
    }

    @Override
    protected Set<Class<?>> getComponentIncludes() {
        return listed;
    }

    /** A component with jobs that is not listed stays out, even if it is middleware or a policy, too. */
    @Override
    protected boolean defaultInclude(MetadataReader type, MetadataReaderFactory types) throws IOException {
        if (!type.getAnnotationMetadata().hasAnnotatedMethods(Job.class.getName())) {
            return super.defaultInclude(type, types);
        }
        for (Class<?> each : listed) {
            if (isTypeOrAnnotated(type, types, each)) {
                return true;
            }
        }
        return listed.isEmpty();
    }
}
