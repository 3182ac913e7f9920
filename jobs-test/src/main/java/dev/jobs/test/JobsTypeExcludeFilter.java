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
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.boot.test.context.filter.annotation.StandardAnnotationCustomizableTypeExcludeFilter;
import org.springframework.core.type.ClassMetadata;
import org.springframework.core.type.classreading.MetadataReader;
import org.springframework.core.type.classreading.MetadataReaderFactory;
import org.springframework.util.ClassUtils;

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

    /** Of a library that an application need not have: how jobs take a value along that is no entry of the MDC. */
    private static final String ACCESSOR = "io.micrometer.context.ThreadLocalAccessor";

    private final Set<Class<?>> listed;

    JobsTypeExcludeFilter(Class<?> testClass) {
        super(testClass);
        this.listed = Set.of(getAnnotation().getValue("jobs", Class[].class).orElse(new Class<?>[0]));
    }

    @Override
    protected Set<Class<?>> getKnownIncludes() {
        ClassLoader loader = getClass().getClassLoader();
        return ClassUtils.isPresent(ACCESSOR, loader)
                ? Stream.concat(HOOKS.stream(), Stream.of(ClassUtils.resolveClassName(ACCESSOR, loader)))
                        .collect(Collectors.toUnmodifiableSet())
                : HOOKS;
    }

    @Override
    protected Set<Class<?>> getComponentIncludes() {
        return listed;
    }

    /** A component with jobs that is not listed stays out, even if it is middleware or a policy, too. */
    @Override
    protected boolean defaultInclude(MetadataReader type, MetadataReaderFactory types) throws IOException {
        if (!hasJobs(type, types)) {
            return super.defaultInclude(type, types);
        }
        for (Class<?> each : listed) {
            if (isTypeOrAnnotated(type, types, each)) {
                return true;
            }
        }
        return listed.isEmpty();
    }

    /** Whether the type has methods that are jobs, its own or inherited ones. */
    private static boolean hasJobs(MetadataReader type, MetadataReaderFactory types) throws IOException {
        if (type.getAnnotationMetadata().hasAnnotatedMethods(Job.class.getName())) {
            return true;
        }
        ClassMetadata each = type.getClassMetadata();
        String superclass = each.getSuperClassName();
        return superclass != null && inheritsJobs(superclass, types)
                || Arrays.stream(each.getInterfaceNames()).anyMatch(above -> inheritsJobs(above, types));
    }

    private static boolean inheritsJobs(String type, MetadataReaderFactory types) {
        try {
            return !type.startsWith("java.") && hasJobs(types.getMetadataReader(type), types);
        } catch (IOException e) {
            return false; // it is of a library that the application lacks, so the component is not used
        }
    }
}
