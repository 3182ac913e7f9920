package dev.jobs.spring.autoconfigure.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.DeathHandler;
import dev.jobs.JobHooks;
import dev.jobs.JobListener;
import dev.jobs.Payload;
import dev.jobs.spring.autoconfigure.beans.StartingBeans;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.support.RootBeanDefinition;

class LateHooksTests {

    private static final Map<Class<?>, Object> ZEROS = Map.of(int.class, 0, boolean.class, false);

    private final List<String> told = new ArrayList<>();

    private final JobListener listener = (JobListener) Proxy.newProxyInstance(
            JobListener.class.getClassLoader(), new Class<?>[] {JobListener.class}, (proxy, event, arguments) -> {
                told.add(event.getName());
                return null;
            });

    static Stream<Method> events() {
        return Arrays.stream(JobListener.class.getMethods());
    }

    @ParameterizedTest
    @MethodSource("events")
    void listenersHearOfEveryEvent(Method event) {
        JobHooks late = LateHooks.of(() -> JobHooks.none().with(JobListener.class, listener));
        Object[] arguments =
                Arrays.stream(event.getParameterTypes()).map(ZEROS::get).toArray();

        late.tell(each -> {
            try {
                event.invoke(each, arguments);
            } catch (ReflectiveOperationException e) {
                throw new AssertionError(e);
            }
        });

        assertThat(told).containsExactly(event.getName());
    }

    @Test
    void hooksAreLookedUpWhenTheyAreUsedAndSayForThemselvesWhetherTheyListen() {
        AtomicInteger lookups = new AtomicInteger();
        DeathHandler deaf = new DeathHandler() {
            @Override
            public boolean isListening() {
                return false;
            }

            @Override
            public void died(Payload payload, Throwable failure) {}
        };
        JobHooks hooks = JobHooks.none().with(DeathHandler.class, deaf);

        JobHooks late = LateHooks.of(() -> {
            lookups.incrementAndGet();
            return hooks;
        });

        assertThat(lookups).hasValue(0);
        assertThat(late.hearsOfDeaths()).isFalse();
        assertThat(lookups).hasPositiveValue();
    }

    @Test
    void aThreadThatCreatesABeanDoesNotWaitForOneThatLooksUpTheHooks() throws Exception {
        StartingBeans beans = new StartingBeans();
        beans.registerBeanDefinition("hooks", new RootBeanDefinition(JobHooks.class, JobHooks::none));

        beans.askFromTwoThreads(LateHooks.of(beans.getBeanProvider(JobHooks.class))::hearsOfDeaths);
    }
}
