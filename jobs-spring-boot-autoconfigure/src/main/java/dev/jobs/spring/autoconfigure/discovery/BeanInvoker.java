package dev.jobs.spring.autoconfigure.discovery;

import dev.jobs.JobDefinition;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.ReflectionUtils;

/**
 * Calls a method on a bean: always on the same one if it is a singleton, which the first call creates if it is lazy;
 * otherwise on one obtained for each call.
 */
final class BeanInvoker implements JobDefinition.Invoker {

    private final BeanFactory beanFactory;
    private final String beanName;
    private final Method method;

    private volatile @Nullable Target singleton;

    BeanInvoker(BeanFactory beanFactory, String beanName, Method method) {
        this.beanFactory = beanFactory;
        this.beanName = beanName;
        this.method = method;
    }

    @Override
    public @Nullable Object invoke(@Nullable Object[] arguments) throws Throwable {
        Target target = singleton;
        if (target == null) {
            target = target(beanFactory.getBean(beanName));
            if (beanFactory.isSingleton(beanName)) {
                singleton = target;
            }
        }
        try {
            return target.method().invoke(target.bean(), arguments);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }

    private Target target(Object bean) {
        Method callable = AopUtils.selectInvocableMethod(method, bean.getClass());
        ReflectionUtils.makeAccessible(callable);
        return new Target(bean, callable);
    }

    private record Target(Object bean, Method method) {}
}
