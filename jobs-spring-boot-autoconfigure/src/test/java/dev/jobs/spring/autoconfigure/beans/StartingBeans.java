package dev.jobs.spring.autoconfigure.beans;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;

/** Beans during the start of an application, while one thread creates a bean and another one looks one up. */
@SuppressWarnings("serial") // nobody serializes it
public final class StartingBeans extends DefaultListableBeanFactory {

    private static final String CREATED = "created";

    private final CountDownLatch lookingUp = new CountDownLatch(1);
    private final CountDownLatch creating = new CountDownLatch(1);

    /**
     * Calls from two threads what looks up a bean: from one that creates a bean, once the other one is in its lookup.
     *
     * @throws java.util.concurrent.TimeoutException if they wait for each other
     */
    public void askFromTwoThreads(Runnable ask) throws Exception {
        registerBeanDefinition(CREATED, new RootBeanDefinition(Object.class, () -> {
            creating.countDown();
            await(lookingUp);
            ask.run();
            return new Object();
        }));
        FutureTask<?> creator = start(() -> getBean(CREATED));
        FutureTask<?> other = start(ask);
        creator.get(20, TimeUnit.SECONDS);
        other.get(20, TimeUnit.SECONDS);
    }

    private static FutureTask<?> start(Runnable work) {
        FutureTask<?> task = new FutureTask<>(work, null);
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    @Override
    protected <T> T doGetBean(
            String name, @Nullable Class<T> type, Object @Nullable [] arguments, boolean typeCheckOnly) {
        if (!name.equals(CREATED)) {
            lookingUp.countDown();
            await(creating);
        }
        return super.doGetBean(name, type, arguments, typeCheckOnly);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
