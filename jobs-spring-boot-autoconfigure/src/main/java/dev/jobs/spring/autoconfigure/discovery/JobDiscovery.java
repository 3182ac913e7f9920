package dev.jobs.spring.autoconfigure.discovery;

import dev.jobs.Companion;
import dev.jobs.Internal;
import dev.jobs.Job;
import dev.jobs.JobAnnotations;
import dev.jobs.JobDefinition;
import dev.jobs.JobDefinitionException;
import dev.jobs.JobRegistry;
import dev.jobs.JobRules;
import dev.jobs.codec.ArgumentCodec;
import java.lang.annotation.Annotation;
import java.lang.annotation.Repeatable;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/**
 * Finds the {@link Job} methods of all beans by the types that their definitions declare. It creates no beans, so its
 * results don't depend on which beans already exist, and it also finds lazy beans and prototypes.
 */
@Internal
public final class JobDiscovery {

    private static final Logger log = LoggerFactory.getLogger(JobDiscovery.class);

    private final ConfigurableListableBeanFactory beanFactory;

    /** Classes that need no second search. Confined to the thread that starts the application. */
    private final Set<Class<?>> withoutJobs = new HashSet<>();

    public JobDiscovery(ConfigurableListableBeanFactory beanFactory) {
        this.beanFactory = beanFactory;
    }

    /**
     * A method to run as a job.
     *
     * @param types of its parameters, type variables resolved
     */
    record Found(String bean, Class<?> type, Method method, Job job, List<Type> types, Companion.Family family) {

        /** The method, and what else is called on the bean. */
        Stream<Method> methods() {
            return Stream.concat(Stream.of(method), family.companions().stream().map(Companion::method));
        }

        private String methodName() {
            return type.getName() + "." + method.getName();
        }
    }

    /**
     * @param codec writes and reads arguments and results
     * @throws JobDefinitionException if a method can't work as a job, or if the bean to run it on is ambiguous
     */
    public List<JobDefinition> find(ArgumentCodec codec) {
        return methods().stream().map(each -> define(each, codec)).toList();
    }

    /**
     * The same before the application has its configuration, which the texts of annotations may refer to.
     *
     * @throws JobDefinitionException if a method can't be called as a job, or if the bean to run it on is ambiguous
     */
    List<Found> methods() {
        List<Found> found = new ArrayList<>();
        beanNamesByType().forEach((type, names) -> {
            Map<Method, Job> methods = jobMethods(type);
            if (!methods.isEmpty()) {
                String name = only(names, type);
                methods.keySet().forEach(method -> JobMethodRules.check(Job.class, type, method));
                Companion.Family family = family(name, type, methods.keySet());
                methods.forEach((method, job) ->
                        found.add(new Found(name, type, method, job, parameterTypes(type, method), family)));
            }
        });
        return found;
    }

    private Companion.Family family(String bean, Class<?> type, Set<Method> jobs) {
        List<Companion> companions = new ArrayList<>();
        companions(type).forEach((method, kind) -> {
            JobMethodRules.check(kind, type, method);
            companions.add(
                    new Companion(method, parameterTypes(type, method), new BeanInvoker(beanFactory, bean, method)));
        });
        return new Companion.Family(List.copyOf(jobs), companions);
    }

    /** The companions in a class with jobs, with the annotations that make them so. */
    private static Map<Method, Class<? extends Annotation>> companions(Class<?> type) {
        return MethodIntrospector.selectMethods(type, (Method method) -> JobRules.companions().stream()
                .filter(each -> AnnotatedElementUtils.hasAnnotation(method, each))
                .findFirst()
                .orElse(null));
    }

    private static List<Type> parameterTypes(Class<?> type, Method method) {
        return Arrays.stream(method.getGenericParameterTypes())
                .map(parameter -> GenericTypeResolver.resolveType(parameter, type))
                .toList();
    }

    /** The classes of all beans that may have jobs: not those of Spring and of the JDK. */
    Set<Class<?>> types() {
        return beanNamesByType().keySet();
    }

    /**
     * Compares the discovered jobs with the beans that exist by now: a method hidden by a declared type would never run,
     * and a method that a proxy doesn't forward would fail each time.
     *
     * @throws JobDefinitionException if a job could not run as written
     */
    public void check(JobRegistry registry) {
        beanNamesByType().forEach((type, names) -> {
            List<JobDefinition> known = registry.definitions().stream()
                    .filter(each -> each.type().isAssignableFrom(type))
                    .toList();
            Set<Method> jobs = jobMethods(type).keySet();
            jobs.forEach(method -> {
                if (known.stream().noneMatch(each -> JobMethodRules.isSame(each.method(), method))) {
                    throw JobMethodRules.hidden(Job.class, type, method, String.join(", ", names));
                }
                names.forEach(name -> checkCallable(Job.class, name, type, method));
            });
            if (!jobs.isEmpty()) {
                companions(type).forEach((method, kind) -> {
                    if (known.stream().noneMatch(each -> companions(each.type()).keySet().stream()
                            .anyMatch(other -> JobMethodRules.isSame(other, method)))) {
                        throw JobMethodRules.hidden(kind, type, method, String.join(", ", names));
                    }
                    names.forEach(name -> checkCallable(kind, name, type, method));
                });
            }
        });
        withoutJobs.clear();
    }

    private void checkCallable(Class<? extends Annotation> kind, String name, Class<?> type, Method method) {
        Class<?> exposed = beanFactory.getType(name, false);
        if (exposed != null) {
            JobMethodRules.checkCallable(kind, type, method, exposed);
        }
    }

    private Map<Class<?>, List<String>> beanNamesByType() {
        Map<Class<?>, List<String>> names = new LinkedHashMap<>();
        for (String each : beanFactory.getBeanNamesForType(Object.class, true, false)) {
            // A factory bean not asked yet is listed under its own name; its product counts.
            String name = BeanFactoryUtils.transformedBeanName(each);
            Class<?> type = ScopedProxyUtils.isScopedTarget(name) ? null : userType(name);
            if (type != null && !withoutJobs.contains(type) && mayHaveJobs(type)) {
                names.computeIfAbsent(type, first -> new ArrayList<>()).add(name);
            }
        }
        return names;
    }

    /** The application's own class, behind any proxy. */
    private @Nullable Class<?> userType(String proxyName) {
        String targetName = ScopedProxyUtils.getTargetBeanName(proxyName);
        String name = beanFactory.containsBeanDefinition(targetName) ? targetName : proxyName;
        try {
            if (beanFactory.containsBeanDefinition(name)) {
                Object target = beanFactory
                        .getMergedBeanDefinition(name)
                        .getAttribute(AutoProxyUtils.ORIGINAL_TARGET_CLASS_ATTRIBUTE);
                if (target instanceof Class<?> known) {
                    return ClassUtils.getUserClass(known);
                }
            }
            Class<?> type = beanFactory.getType(name, false);
            return type == null ? null : ClassUtils.getUserClass(type);
        } catch (BeansException | LinkageError e) {
            log.debug("The type of the bean '{}' is unknown, so it is not searched for jobs", name, e);
            return null;
        }
    }

    private static boolean mayHaveJobs(Class<?> type) {
        return AnnotationUtils.isCandidateClass(type, Job.class)
                && !type.getName().startsWith("org.springframework.");
    }

    /** The type's own and inherited job methods, including those of interfaces. */
    private Map<Method, Job> jobMethods(Class<?> type) {
        try {
            List<Method> companions = new ArrayList<>();
            Map<Method, Job> methods =
                    MethodIntrospector.selectMethods(type, (Method method) -> annotation(method, companions));
            if (methods.isEmpty()) {
                JobRules.checkHasJobs(companions);
                withoutJobs.add(type);
            }
            return methods;
        } catch (IllegalStateException | LinkageError e) {
            log.debug("{} can't be loaded completely, so it is not searched for jobs", type, e);
            return Map.of();
        }
    }

    /** @param companions where to put a method that is no job, but the companion of one */
    private static @Nullable Job annotation(Method method, List<Method> companions) {
        Job job = AnnotatedElementUtils.findMergedAnnotation(method, Job.class);
        if (job == null) {
            JobRules.checkIsJob(method);
            if (JobRules.isCompanion(method)) {
                companions.add(method);
            }
        }
        return job;
    }

    private String only(List<String> names, Class<?> type) {
        if (names.size() == 1) {
            return names.get(0);
        }
        List<String> primary = names.stream().filter(this::isPrimary).toList();
        if (primary.size() == 1) {
            return primary.get(0);
        }
        throw new JobDefinitionException(
                "The @Job methods of " + type.getName() + " can't be used: it is the class of the beans "
                        + String.join(", ", names) + ", and none of them is marked to run the jobs",
                "Mark one of these beans as @Primary, or move the @Job methods to a class with one bean.");
    }

    private boolean isPrimary(String name) {
        return beanFactory.containsBeanDefinition(name)
                && beanFactory.getMergedBeanDefinition(name).isPrimary();
    }

    private JobDefinition define(Found found, ArgumentCodec codec) {
        Method method = found.method();
        AnnotationTexts texts = new AnnotationTexts(beanFactory);
        return JobDefinition.of(
                texts.resolved(found.job(), Job.class, method, found.methodName()),
                new Search(texts, found.methodName(), found.family()),
                codec,
                found.type(),
                method,
                found.types(),
                new BeanInvoker(beanFactory, found.bean(), method));
    }

    /** Finds annotations as Spring does, with the placeholders in their texts resolved. */
    private record Search(AnnotationTexts texts, String methodName, Companion.Family family)
            implements JobAnnotations.Search {

        @Override
        public <A extends Annotation> List<A> of(Method method, Class<A> type) {
            return found(method, type).stream()
                    .map(each -> texts.resolved(each, type, method, methodName))
                    .toList();
        }

        private static <A extends Annotation> Collection<A> found(Method method, Class<A> type) {
            if (type.isAnnotationPresent(Repeatable.class)) {
                return AnnotatedElementUtils.findMergedRepeatableAnnotations(method, type);
            }
            A only = AnnotatedElementUtils.findMergedAnnotation(method, type);
            return only == null ? List.of() : List.of(only);
        }

        @Override
        public String text(String text) {
            return texts.of("@JobParam(defaultValue)", methodName).apply(text);
        }
    }
}
