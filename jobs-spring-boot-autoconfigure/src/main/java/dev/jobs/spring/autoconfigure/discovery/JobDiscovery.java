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
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationFilter;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the {@link Job} methods of all beans by the types that their definitions declare, those of parent contexts
 * included: of two beans of a class, the nearer one has the jobs. It creates no beans, so its results don't depend on
 * which beans already exist, and it also finds lazy beans and prototypes.
 */
@Internal
public final class JobDiscovery {

    private static final Logger log = LoggerFactory.getLogger(JobDiscovery.class);

    /** The annotations of Spring and of the JDK, which make no job. */
    private static final AnnotationFilter OF_OTHERS = AnnotationFilter.packages("java", "org.springframework");

    private final ConfigurableListableBeanFactory beanFactory;

    /** That of this context first, then those of its parents. */
    private final List<ConfigurableListableBeanFactory> contexts;

    /** Classes that need no second search. Confined to the thread that starts the application. */
    private final Set<Class<?>> withoutJobs = new HashSet<>();

    public JobDiscovery(ConfigurableListableBeanFactory beanFactory) {
        this(beanFactory, withParents(beanFactory));
    }

    private JobDiscovery(ConfigurableListableBeanFactory beanFactory, List<ConfigurableListableBeanFactory> contexts) {
        this.beanFactory = beanFactory;
        this.contexts = contexts;
    }

    private static List<ConfigurableListableBeanFactory> withParents(ConfigurableListableBeanFactory beanFactory) {
        List<ConfigurableListableBeanFactory> all = new ArrayList<>();
        BeanFactory each = beanFactory;
        while (each instanceof ConfigurableListableBeanFactory context) {
            all.add(context);
            each = context.getParentBeanFactory();
        }
        return all;
    }

    /** Beans of one class in one context. */
    private record Beans(ConfigurableListableBeanFactory context, List<String> names) {

        private String shown() {
            return String.join(", ", names);
        }
    }

    /**
     * A method to run as a job.
     *
     * @param types of its parameters, type variables resolved
     */
    record Found(
            BeanFactory context,
            String bean,
            Class<?> type,
            Method method,
            Job job,
            List<Type> types,
            Companion.Family family) {

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
        beansByType().forEach((type, beans) -> {
            Map<Method, Job> methods = jobMethods(type);
            if (!methods.isEmpty()) {
                String name = only(beans, type);
                methods.keySet().forEach(method -> JobMethodRules.check(Job.class, type, method));
                Companion.Family family = family(beans.context(), name, type, methods.keySet());
                methods.forEach((method, job) -> found.add(
                        new Found(beans.context(), name, type, method, job, parameterTypes(type, method), family)));
            }
        });
        return found;
    }

    private static Companion.Family family(BeanFactory context, String bean, Class<?> type, Set<Method> jobs) {
        List<Companion> companions = new ArrayList<>();
        companions(type).forEach((method, kind) -> {
            JobMethodRules.check(kind, type, method);
            companions.add(new Companion(method, parameterTypes(type, method), new BeanInvoker(context, bean, method)));
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
        return beansByType().keySet();
    }

    /**
     * Compares the discovered jobs with the beans that exist by now: a method hidden by a declared type would never run,
     * and a method that a proxy doesn't forward would fail each time.
     *
     * @throws JobDefinitionException if a job could not run as written
     */
    public void check(JobRegistry registry) {
        beansByType().forEach((type, beans) -> {
            List<JobDefinition> known = registry.definitions().stream()
                    .filter(each -> each.type().isAssignableFrom(type))
                    .toList();
            Set<Method> jobs = jobMethods(type).keySet();
            jobs.forEach(method -> {
                if (known.stream().noneMatch(each -> JobMethodRules.isSame(each.method(), method))) {
                    throw JobMethodRules.hidden(Job.class, type, method, beans.shown());
                }
                checkCallable(Job.class, beans, type, method);
            });
            if (!jobs.isEmpty()) {
                companions(type).forEach((method, kind) -> {
                    if (known.stream().noneMatch(each -> companions(each.type()).keySet().stream()
                            .anyMatch(other -> JobMethodRules.isSame(other, method)))) {
                        throw JobMethodRules.hidden(kind, type, method, beans.shown());
                    }
                    checkCallable(kind, beans, type, method);
                });
            }
        });
        withoutJobs.clear();
    }

    private static void checkCallable(Class<? extends Annotation> kind, Beans beans, Class<?> type, Method method) {
        for (String name : beans.names()) {
            Class<?> exposed = beans.context().getType(name, false);
            if (exposed != null) {
                JobMethodRules.checkCallable(kind, type, method, exposed);
            }
        }
    }

    /**
     * Looks at the beans of a child of this context. It started when the jobs of this one were known already, so its own
     * are not among them.
     *
     * @throws JobDefinitionException if it has jobs, which would never run
     */
    void checkChild(ConfigurableListableBeanFactory child, JobRegistry registry) {
        JobDiscovery beans = new JobDiscovery(child, List.of(child));
        beans.beansByType().forEach((type, those) -> beans.jobMethods(type).keySet().stream()
                .filter(method -> registry.definitions().stream()
                        .noneMatch(each ->
                                each.type().isAssignableFrom(type) && JobMethodRules.isSame(each.method(), method)))
                .findFirst()
                .ifPresent(method -> {
                    throw new JobDefinitionException(
                            "The bean '" + those.shown() + "' of " + type.getName() + " has the @Job method "
                                    + method.getName()
                                    + ", and is in a child of the context that has the jobs: it started later, so the job is "
                                    + "unknown there and would never run",
                            "Move the bean to the context that has the jobs, or have that in the child alone, by excluding "
                                    + "JobsAutoConfiguration from the parent: it finds the jobs of its parents.");
                }));
    }

    private Map<Class<?>, Beans> beansByType() {
        Map<Class<?>, Beans> found = new LinkedHashMap<>();
        for (ConfigurableListableBeanFactory context : contexts) {
            for (String each : context.getBeanNamesForType(Object.class, true, false)) {
                // A factory bean not asked yet is listed under its own name; its product counts.
                String name = BeanFactoryUtils.transformedBeanName(each);
                Class<?> type = ScopedProxyUtils.isScopedTarget(name) ? null : userType(context, name);
                if (type != null && !withoutJobs.contains(type) && mayHaveJobs(type)) {
                    Beans beans = found.computeIfAbsent(type, first -> new Beans(context, new ArrayList<>()));
                    if (beans.context() == context) {
                        beans.names().add(name);
                    }
                }
            }
        }
        return found;
    }

    /** The application's own class, behind any proxy. */
    private static @Nullable Class<?> userType(ConfigurableListableBeanFactory context, String proxyName) {
        String targetName = ScopedProxyUtils.getTargetBeanName(proxyName);
        String name = context.containsBeanDefinition(targetName) ? targetName : proxyName;
        try {
            if (context.containsBeanDefinition(name)) {
                Object target = context.getMergedBeanDefinition(name)
                        .getAttribute(AutoProxyUtils.ORIGINAL_TARGET_CLASS_ATTRIBUTE);
                if (target instanceof Class<?> known) {
                    return ClassUtils.getUserClass(known);
                }
            }
            Class<?> type = context.getType(name, false);
            return type == null ? null : ClassUtils.getUserClass(type);
        } catch (BeansException | LinkageError e) {
            log.debug("The type of the bean '{}' is unknown, so it is not searched for jobs", name, e);
            return null;
        }
    }

    private boolean mayHaveJobs(Class<?> type) {
        return AnnotationUtils.isCandidateClass(type, Job.class)
                && (!type.getName().startsWith("org.springframework.") || isOfApplication(type));
    }

    /** Applications may have packages below those of Spring, as its samples do. */
    private boolean isOfApplication(Class<?> type) {
        return AutoConfigurationPackages.has(beanFactory)
                && AutoConfigurationPackages.get(beanFactory).stream()
                        .anyMatch(each -> type.getName().startsWith(each + "."));
    }

    /** The type's own and inherited job methods, including those of interfaces. */
    private Map<Method, Job> jobMethods(Class<?> type) {
        try {
            if (!hasMarkedMethod(type)) {
                withoutJobs.add(type);
                return Map.of();
            }
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

    /** A quick look at all its methods, since few beans have jobs: to find out what overrides what takes much longer. */
    private boolean hasMarkedMethod(@Nullable Class<?> type) {
        return type != null
                && type != Object.class
                && (declaresMarkedMethod(type)
                        || hasMarkedMethod(type.getSuperclass())
                        || Arrays.stream(type.getInterfaces()).anyMatch(this::hasMarkedMethod));
    }

    private boolean declaresMarkedMethod(Class<?> type) {
        for (Method method : ReflectionUtils.getDeclaredMethods(type)) {
            for (Annotation each : method.getDeclaredAnnotations()) {
                if (!OF_OTHERS.matches(each) || isOfApplication(each.annotationType())) {
                    return true;
                }
            }
        }
        return false;
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

    private static String only(Beans beans, Class<?> type) {
        List<String> names = beans.names();
        if (names.size() == 1) {
            return names.get(0);
        }
        List<String> primary =
                names.stream().filter(name -> isPrimary(beans.context(), name)).toList();
        if (primary.size() == 1) {
            return primary.get(0);
        }
        throw new JobDefinitionException(
                "The @Job methods of " + type.getName() + " can't be used: it is the class of the beans "
                        + beans.shown() + ", and none of them is marked to run the jobs",
                "Mark one of these beans as @Primary, or move the @Job methods to a class with one bean.");
    }

    private static boolean isPrimary(ConfigurableListableBeanFactory context, String name) {
        return context.containsBeanDefinition(name)
                && context.getMergedBeanDefinition(name).isPrimary();
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
                new BeanInvoker(found.context(), found.bean(), method));
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
