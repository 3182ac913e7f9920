package dev.jobs.spring.autoconfigure.discovery;

import dev.jobs.Job;
import dev.jobs.JobDefinitionException;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;

/** Checks that a method can be called on a bean and that its work is over when it returns. */
final class JobMethodRules {

    private JobMethodRules() {}

    /**
     * @param kind the annotation for which the method is called
     * @throws JobDefinitionException if it can't be, regardless of its bean
     */
    static void check(Class<? extends Annotation> kind, Class<?> type, Method method) {
        String unseen = kind == Job.class
                ? ", so its job would count as done before the work is over, and a crash would lose it"
                : ", so its work would go on when it has returned, and nobody would hear of an error";
        if (Modifier.isPrivate(method.getModifiers())) {
            throw wrong(
                    kind,
                    type,
                    method,
                    "it is private, so transactions and other advice on its bean would bypass it",
                    "Make it package-private or public.");
        }
        if (Modifier.isStatic(method.getModifiers())) {
            throw wrong(kind, type, method, "it is static, but a job runs on a bean", "Remove the word static.");
        }
        Class<?> returned = method.getReturnType();
        if (Future.class.isAssignableFrom(returned)
                || CompletionStage.class.isAssignableFrom(returned)
                || returned != void.class // a look loads the reactive types
                        && ReactiveAdapterRegistry.getSharedInstance().getAdapter(returned) != null) {
            throw wrong(
                    kind,
                    type,
                    method,
                    "it returns a " + returned.getSimpleName() + unseen,
                    "Wait for the result in the method, and return void.");
        }
        if (AnnotatedElementUtils.hasAnnotation(method, Async.class)
                || AnnotatedElementUtils.hasAnnotation(type, Async.class)) {
            throw wrong(
                    kind, type, method, "it is @Async" + unseen, "Remove @Async: jobs run on threads of their own.");
        }
    }

    /**
     * @param kind the annotation for which the method is called
     * @param exposed the class that the bean exposes, possibly a proxy
     * @throws JobDefinitionException if the method can't be called on it
     */
    static void checkCallable(Class<? extends Annotation> kind, Class<?> type, Method method, Class<?> exposed) {
        try {
            AopUtils.selectInvocableMethod(method, exposed);
        } catch (IllegalStateException e) {
            throw wrong(
                    kind,
                    type,
                    method,
                    "its bean is a JDK proxy, which has the methods of its interfaces only",
                    "Declare the method in an interface of the class, or proxy the bean by its class, with "
                            + "proxyTargetClass=true where proxying is enabled.");
        }
        boolean byClass = SpringProxy.class.isAssignableFrom(exposed)
                && method.getDeclaringClass().isAssignableFrom(exposed);
        if (byClass && Modifier.isFinal(method.getModifiers())) {
            throw wrong(
                    kind,
                    type,
                    method,
                    "it is final, so the proxy of its bean can't forward the call",
                    "Remove the word final.");
        }
        if (byClass && !isSeen(method, exposed)) {
            throw wrong(
                    kind,
                    type,
                    method,
                    "it is package-private in another package, so the proxy of its bean can't forward the call",
                    "Make it public or protected.");
        }
    }

    private static boolean isSeen(Method method, Class<?> subclass) {
        Class<?> declaring = method.getDeclaringClass();
        return Modifier.isPublic(method.getModifiers())
                || Modifier.isProtected(method.getModifiers())
                || declaring.getPackageName().equals(subclass.getPackageName())
                        && declaring.getClassLoader() == subclass.getClassLoader();
    }

    /** Whether both are the same method to a caller: one may override the other or bind its type variables. */
    static boolean isSame(Method one, Method other) {
        return one.getName().equals(other.getName()) && one.getParameterCount() == other.getParameterCount();
    }

    static JobDefinitionException hidden(
            Class<? extends Annotation> kind, Class<?> type, Method method, String beanName) {
        return wrong(
                kind,
                type,
                method,
                "the definition of its bean " + beanName
                        + " does not say that the bean has this method, so it was not found",
                "Let the @Bean method declare the return type " + type.getSimpleName()
                        + ", or an interface that has the method.");
    }

    private static JobDefinitionException wrong(
            Class<? extends Annotation> kind, Class<?> type, Method method, String what, String action) {
        return new JobDefinitionException(
                "The @" + kind.getSimpleName() + " method " + type.getName() + "." + method.getName()
                        + " can't be used: " + what,
                action);
    }
}
