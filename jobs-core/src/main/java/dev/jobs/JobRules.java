package dev.jobs;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/** The rules of the features in one jar, which names its list in {@code META-INF/services}. */
@Internal
public abstract class JobRules {

    private static final class Known {

        static final List<JobRule> ALL = load();

        private static List<JobRule> load() {
            List<JobRule> all = new ArrayList<>();
            ServiceLoader.load(JobRules.class, JobRules.class.getClassLoader())
                    .forEach(each -> all.addAll(each.list()));
            if (all.isEmpty()) { // or @Unique and the like would have no effect
                throw new JobDefinitionException(
                        "There is no file META-INF/services/" + JobRules.class.getName() + " on the class path",
                        "Keep the files in META-INF/services when you put an application into one jar.");
            }
            return List.copyOf(all);
        }
    }

    /** The rules in the order in which they are asked. */
    protected abstract List<JobRule> list();

    /** The rules of all jars. */
    public static List<JobRule> all() {
        return Known.ALL;
    }

    /** Those of a kind. */
    public static <R extends JobRule> List<R> all(Class<R> kind) {
        return Known.ALL.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    /** The annotations by which features know {@linkplain Companion companions} of jobs. */
    public static List<Class<? extends Annotation>> companions() {
        return all().stream().flatMap(each -> each.companions().stream()).toList();
    }

    /** Whether a method of a class with jobs is their companion. */
    public static boolean isCompanion(Method method) {
        return method.getAnnotations().length > 0
                && companions().stream()
                        .anyMatch(each ->
                                !JobAnnotations.Search.PLAIN.of(method, each).isEmpty());
    }

    /** @throws JobDefinitionException if a class without jobs has methods that are companions of jobs */
    public static void checkHasJobs(List<Method> companions) {
        for (Method method : companions) {
            for (Class<? extends Annotation> each : companions()) {
                if (!JobAnnotations.Search.PLAIN.of(method, each).isEmpty()) {
                    throw withoutEffect(
                            method,
                            each,
                            "no method of the class is a @Job",
                            "Add @Job to the method that it belongs to");
                }
            }
        }
    }

    /** @throws JobDefinitionException if a method that is no job has an annotation of a feature */
    public static void checkIsJob(Method method) {
        if (method.getAnnotations().length == 0) {
            return;
        }
        for (JobRule rule : all()) {
            for (Class<? extends Annotation> each : rule.annotations()) {
                if (!JobAnnotations.Search.PLAIN.of(method, each).isEmpty()) {
                    throw withoutEffect(method, each, "the method is not a @Job", "Add @Job");
                }
            }
        }
    }

    private static JobDefinitionException withoutEffect(
            Method method, Class<? extends Annotation> annotation, String why, String action) {
        String name = "@" + annotation.getSimpleName();
        return new JobDefinitionException(
                name + " on " + method.getDeclaringClass().getName() + "." + method.getName() + " has no effect: "
                        + why,
                action + ", or remove " + name + ".");
    }
}
