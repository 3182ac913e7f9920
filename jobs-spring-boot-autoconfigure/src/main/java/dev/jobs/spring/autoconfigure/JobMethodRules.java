package dev.jobs.spring.autoconfigure;

import dev.jobs.JobDefinitionException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;

/** What a method must be like so that it can be called on a bean and is over when it returns. */
final class JobMethodRules {

    private JobMethodRules() {}

    /** @throws JobDefinitionException if the method can't be a job, whatever its bean turns out to be */
    static void check(Class<?> type, Method method) {
        if (Modifier.isPrivate(method.getModifiers())) {
            throw wrong(
                    type,
                    method,
                    "it is private, so that transactions and other advice on its bean would pass it by",
                    "Make it package-private or public.");
        }
        if (Modifier.isStatic(method.getModifiers())) {
            throw wrong(type, method, "it is static, but a job runs on a bean", "Remove the word static.");
        }
        Class<?> returned = method.getReturnType();
        if (Future.class.isAssignableFrom(returned)
                || CompletionStage.class.isAssignableFrom(returned)
                || ReactiveAdapterRegistry.getSharedInstance().getAdapter(returned) != null) {
            throw wrong(
                    type,
                    method,
                    "it returns a " + returned.getSimpleName()
                            + ", so that its job would count as done, and be lost in a crash, before the work is over",
                    "Wait for the result in the method, and return nothing.");
        }
        if (AnnotatedElementUtils.hasAnnotation(method, Async.class)
                || AnnotatedElementUtils.hasAnnotation(type, Async.class)) {
            throw wrong(
                    type,
                    method,
                    "it is @Async, so that its job would count as done, and be lost in a crash, before the work is over",
                    "Remove @Async: jobs run on threads of their own.");
        }
    }

    /**
     * @param exposed the class of the bean as others see it, a proxy perhaps
     * @throws JobDefinitionException if the method can't be called on it
     */
    static void checkCallable(Class<?> type, Method method, Class<?> exposed) {
        try {
            AopUtils.selectInvocableMethod(method, exposed);
        } catch (IllegalStateException e) {
            throw wrong(
                    type,
                    method,
                    "its bean is a JDK proxy, which has the methods of its interfaces only",
                    "Put the method into an interface of the class, or let the bean be proxied by its class, with "
                            + "proxyTargetClass=true where the proxy is turned on.");
        }
        if (SpringProxy.class.isAssignableFrom(exposed)
                && method.getDeclaringClass().isAssignableFrom(exposed)
                && Modifier.isFinal(method.getModifiers())) {
            throw wrong(
                    type,
                    method,
                    "it is final, so that the proxy of its bean can't hand the call on",
                    "Remove the word final.");
        }
    }

    /** Whether both are the same method to a caller: one may override the other or close its type variables. */
    static boolean isSame(Method one, Method other) {
        return one.getName().equals(other.getName()) && one.getParameterCount() == other.getParameterCount();
    }

    static JobDefinitionException hidden(Class<?> type, Method method, String beanName) {
        return wrong(
                type,
                method,
                "the definition of its bean " + beanName
                        + " does not say that the bean has this method, so it was not found",
                "Let the @Bean method declare the return type " + type.getSimpleName()
                        + ", or an interface that has the method.");
    }

    private static JobDefinitionException wrong(Class<?> type, Method method, String what, String action) {
        return new JobDefinitionException(
                "The @Job method " + type.getName() + "." + method.getName() + " can't be used: " + what, action);
    }
}
