package dev.jobs.spring.autoconfigure.discovery;

import dev.jobs.Job;
import dev.jobs.JobContext;
import dev.jobs.JobRules;
import dev.jobs.OverriddenMethods;
import dev.jobs.iterations.Iteration;
import java.lang.annotation.Annotation;
import java.lang.annotation.Repeatable;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.generate.GeneratedFiles;
import org.springframework.aot.generate.GeneratedFiles.Kind;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.util.ClassUtils;

/**
 * Registers for a native image what jobs need: their methods, the types of their arguments and results, references
 * to their methods, and the Redis scripts.
 */
final class JobsAotProcessor implements BeanFactoryInitializationAotProcessor {

    @Override
    public @Nullable BeanFactoryInitializationAotContribution processAheadOfTime(
            ConfigurableListableBeanFactory beanFactory) {
        if (beanFactory.getBeanNamesForType(JobDiscovery.class, true, false).length == 0) {
            return null;
        }
        List<JobDiscovery.Found> jobs = new JobDiscovery(beanFactory).methods();
        List<MethodReferences.Found> references = references(beanFactory);
        return (generation, code) -> {
            registerResources(generation.getRuntimeHints());
            registerAnnotations(generation.getRuntimeHints());
            registerMethods(generation.getRuntimeHints(), jobs);
            references.forEach(each -> addMetadata(generation.getGeneratedFiles(), each));
        };
    }

    private static void registerResources(RuntimeHints hints) {
        hints.resources().registerPattern("dev/jobs/*/*.lua");
        hints.resources().registerPattern("dev/jobs/redis/*.txt");
    }

    /** Spring reads them: that of jobs, and those of features. */
    private static void registerAnnotations(RuntimeHints hints) {
        register(hints, Job.class);
        JobRules.all().stream()
                .flatMap(rule -> Stream.of(rule.annotations(), rule.companions()))
                .flatMap(List::stream)
                .forEach(each -> register(hints, each));
    }

    private static void register(RuntimeHints hints, Class<? extends Annotation> annotation) {
        hints.reflection().registerType(annotation, MemberCategory.INVOKE_DECLARED_METHODS);
        hints.proxies().registerJdkProxy(annotation);
        Repeatable repeatable = annotation.getAnnotation(Repeatable.class);
        if (repeatable != null) {
            hints.reflection().registerType(repeatable.value(), MemberCategory.INVOKE_DECLARED_METHODS);
        }
    }

    private static void registerMethods(RuntimeHints hints, List<JobDiscovery.Found> jobs) {
        BindingReflectionHintsRegistrar types = new BindingReflectionHintsRegistrar();
        for (JobDiscovery.Found job : jobs) {
            job.methods().forEach(each -> registerMethod(hints, job.type(), each));
            for (Type parameter : job.types()) {
                if (parameter != JobContext.class) {
                    types.registerReflectionHints(hints.reflection(), parameter);
                }
            }
            Method method = job.method();
            if (!Iteration.class.isAssignableFrom(method.getReturnType())) {
                types.registerReflectionHints(hints.reflection(), method.getGenericReturnType()); // a batch may keep it
            }
        }
    }

    /**
     * With what it overrides: parameters may have annotations there, and the bean may become a proxy that has the methods
     * of its interfaces only.
     */
    private static void registerMethod(RuntimeHints hints, Class<?> type, Method method) {
        OverriddenMethods.of(type, method)
                .forEach(each -> hints.reflection().registerMethod(each, ExecutableMode.INVOKE));
    }

    /**
     * Those in the packages of the application and below, and in the packages of its beans, wherever they come from.
     * Beans of Spring enqueue nothing.
     */
    private static List<MethodReferences.Found> references(ConfigurableListableBeanFactory beanFactory) {
        Set<String> patterns = new LinkedHashSet<>();
        if (AutoConfigurationPackages.has(beanFactory)) {
            AutoConfigurationPackages.get(beanFactory).forEach(each -> patterns.add(folder(each) + "**/*.class"));
        }
        new JobDiscovery(beanFactory).types().forEach(each -> patterns.add(folder(each.getPackageName()) + "*.class"));
        ClassLoader classLoader = beanFactory.getBeanClassLoader();
        MethodReferences references =
                new MethodReferences(classLoader == null ? JobsAotProcessor.class.getClassLoader() : classLoader);
        Set<MethodReferences.Found> found = new LinkedHashSet<>();
        patterns.forEach(each -> found.addAll(references.in(each)));
        return new ArrayList<>(found);
    }

    private static String folder(String packageName) {
        return packageName.isEmpty() ? "" : ClassUtils.convertClassNameToResourcePath(packageName) + "/";
    }

    /** Several contexts, as those of tests, may find the same class; its file is the same for all of them. */
    private static void addMetadata(GeneratedFiles files, MethodReferences.Found references) {
        String path = "META-INF/native-image/dev.jobs/" + references.type() + "/reachability-metadata.json";
        files.handleFile(Kind.RESOURCE, path, file -> file.override(new ByteArrayResource(references.metadata())));
    }
}
