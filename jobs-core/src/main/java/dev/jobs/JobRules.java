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

    /** @throws JobDefinitionException if a method that is no job has an annotation of a feature */
    public static void checkIsJob(Method method) {
        if (method.getAnnotations().length == 0) {
            return;
        }
        for (JobRule rule : all()) {
            for (Class<? extends Annotation> each : rule.annotations()) {
                if (!JobAnnotations.Search.PLAIN.of(method, each).isEmpty()) {
                    String name = "@" + each.getSimpleName();
                    throw new JobDefinitionException(
                            name + " on " + method.getDeclaringClass().getName() + "." + method.getName()
                                    + " has no effect: the method is not a @Job",
                            "Add @Job, or remove " + name + ".");
                }
            }
        }
    }
}
