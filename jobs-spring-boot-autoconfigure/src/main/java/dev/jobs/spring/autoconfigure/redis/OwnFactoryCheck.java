package dev.jobs.spring.autoconfigure.redis;

import dev.jobs.JobDefinitionException;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Refuses a connection factory for jobs that is the only one which the application's own beans get. Spring Boot then
 * creates none from {@code spring.data.redis}, so the templates of the application would use the Redis of the jobs.
 */
final class OwnFactoryCheck {

    private final ConfigurableListableBeanFactory beanFactory;

    OwnFactoryCheck(ConfigurableListableBeanFactory beanFactory) {
        this.beanFactory = beanFactory;
    }

    /** @throws JobDefinitionException if it is */
    void run() {
        List<String> injected = Stream.of(beanFactory.getBeanNamesForType(RedisConnectionFactory.class, true, false))
                .filter(this::isInjectedByType)
                .toList();
        if (injected.equals(List.of(RedisFactories.OWN))) {
            throw new JobDefinitionException(
                    "The bean '" + RedisFactories.OWN
                            + "' is not only for jobs: since there is no other RedisConnectionFactory, the application's own RedisTemplate "
                            + "beans use it too, and the address in spring.data.redis is ignored",
                    "Declare it with @Bean(defaultCandidate = false): then only jobs use it, and Spring Boot creates another one from "
                            + "spring.data.redis. If everything is to use the same Redis, rename the bean, for example to "
                            + "'redisConnectionFactory'.");
        }
    }

    private boolean isInjectedByType(String name) {
        if (!beanFactory.containsBeanDefinition(name)) {
            return true;
        }
        BeanDefinition definition = beanFactory.getMergedBeanDefinition(name);
        return definition.isAutowireCandidate()
                && !(definition instanceof AbstractBeanDefinition bean && !bean.isDefaultCandidate());
    }
}
