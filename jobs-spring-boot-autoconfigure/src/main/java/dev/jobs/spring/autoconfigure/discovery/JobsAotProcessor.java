package dev.jobs.spring.autoconfigure.discovery;

import dev.jobs.Job;
import dev.jobs.JobContext;
import dev.jobs.JobRules;
import dev.jobs.iterations.Iteration;
import dev.jobs.limits.Limit;
import java.lang.annotation.Annotation;
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

    /** Spring reads them. */
    private static void registerAnnotations(RuntimeHints hints) {
        hints.reflection().registerType(Limit.Several.class, MemberCategory.INVOKE_DECLARED_METHODS);
        Stream<Class<? extends Annotation>> ofFeatures =
                JobRules.all().stream().flatMap(rule -> rule.annotations().stream());
        Stream.concat(Stream.of(Job.class), ofFeatures).forEach(each -> {
            hints.reflection().registerType(each, MemberCategory.INVOKE_DECLARED_METHODS);
            hints.proxies().registerJdkProxy(each);
        });
    }

    private static void registerMethods(RuntimeHints hints, List<JobDiscovery.Found> jobs) {
        BindingReflectionHintsRegistrar types = new BindingReflectionHintsRegistrar();
        for (JobDiscovery.Found job : jobs) {
            Method method = job.method();
            hints.reflection().registerMethod(method, ExecutableMode.INVOKE);
            // The bean may become a proxy that has the methods of its interfaces only.
            for (Class<?> each : ClassUtils.getAllInterfacesForClass(job.type())) {
                Method inInterface =
                        ClassUtils.getMethodIfAvailable(each, method.getName(), method.getParameterTypes());
                if (inInterface != null) {
                    hints.reflection().registerMethod(inInterface, ExecutableMode.INVOKE);
                }
            }
            for (Type parameter : job.types()) {
                if (parameter != JobContext.class) {
                    types.registerReflectionHints(hints.reflection(), parameter);
                }
            }
            if (!Iteration.class.isAssignableFrom(method.getReturnType())) {
                types.registerReflectionHints(hints.reflection(), method.getGenericReturnType()); // a batch may keep it
            }
        }
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
