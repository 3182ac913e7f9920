package dev.jobs.spring.autoconfigure.redis;

import dev.jobs.JobDefinitionException;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The connection factories of the application. The type of each is asked of the bean itself: before there is one,
 * Spring knows only the type that its method declares, which is often the interface.
 */
final class RedisFactories {

    /** The name of the factory that only jobs use. */
    static final String OWN = "jobsRedisConnectionFactory";

    private final ConfigurableListableBeanFactory beans;
    private final ObjectProvider<RedisConnectionFactory> injected;

    /** @param injected those that the application's beans may get */
    RedisFactories(ConfigurableListableBeanFactory beans, ObjectProvider<RedisConnectionFactory> injected) {
        this.beans = beans;
        this.injected = injected;
    }

    /**
     * The one for jobs alone; null if there is none.
     *
     * @throws JobDefinitionException if a bean of its name is something else
     */
    @Nullable LettuceConnectionFactory own() {
        if (!beans.containsBean(OWN)) {
            return null;
        }
        Object bean = beans.getBean(OWN);
        if (bean instanceof LettuceConnectionFactory factory) {
            return factory;
        }
        throw new JobDefinitionException(
                "The bean '" + OWN + "' is a " + bean.getClass().getName() + ", and Jobs reaches Redis through Lettuce",
                "Make it a LettuceConnectionFactory, or rename it.");
    }

    /**
     * The one that everything uses: the primary one, or the only one with Lettuce.
     *
     * @throws JobDefinitionException if there is none or several
     */
    LettuceConnectionFactory application() {
        if (chosen() instanceof LettuceConnectionFactory factory) {
            return factory;
        }
        List<LettuceConnectionFactory> candidates = injected.stream()
                .filter(LettuceConnectionFactory.class::isInstance)
                .map(LettuceConnectionFactory.class::cast)
                .toList();
        if (candidates.isEmpty()) {
            throw new JobDefinitionException(
                    "Jobs reaches Redis through Lettuce, and there is no LettuceConnectionFactory bean",
                    "Leave spring.data.redis.client-type at 'lettuce' and DataRedisAutoConfiguration active, define a "
                            + "LettuceConnectionFactory bean named '" + OWN
                            + "', or turn Jobs off with jobs.enabled=false.");
        }
        if (candidates.size() > 1) {
            throw new JobDefinitionException(
                    "There are several LettuceConnectionFactory beans, and none of them is marked as the one for jobs: "
                            + names(candidates),
                    "Mark one as @Primary, or give the one for jobs the name '" + OWN + "'.");
        }
        return candidates.get(0);
    }

    private @Nullable RedisConnectionFactory chosen() {
        try {
            return injected.getIfAvailable();
        } catch (NoUniqueBeanDefinitionException e) {
            return null;
        }
    }

    private List<String> names(List<LettuceConnectionFactory> factories) {
        return Stream.of(beans.getBeanNamesForType(LettuceConnectionFactory.class, true, false))
                .filter(name -> factories.contains(beans.getBean(name, LettuceConnectionFactory.class)))
                .toList();
    }
}
