package dev.jobs.spring.autoconfigure.transactions;

import dev.jobs.Internal;
import dev.jobs.spring.autoconfigure.properties.JobsProperties;
import dev.jobs.spring.autoconfigure.properties.JobsProperties.TransactionMode;
import dev.jobs.transactions.Transactions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.util.ClassUtils;

/** Lets jobs wait for the application's transactions. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnMissingBean(Transactions.class)
@Internal
public final class JobsTransactionConfiguration {

    private static final Logger log = LoggerFactory.getLogger(JobsTransactionConfiguration.class);

    /** Makes jobs listen to every transaction manager. */
    static final class Listening implements BeanPostProcessor {

        private final SpringTransactions transactions = new SpringTransactions(check());

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            if (bean instanceof ConfigurableTransactionManager manager) {
                manager.addListener(transactions);
            }
            return bean;
        }
    }

    /** Static, since it is made before other beans. */
    @Bean
    @ConditionalOnProperty(name = "jobs.transactions", havingValue = "outbox")
    static Listening jobsTransactionListening() {
        return new Listening();
    }

    @Bean
    Transactions jobsTransactions(
            JobsProperties properties,
            ObjectProvider<Listening> listening,
            ObjectProvider<ReactiveTransactionManager> reactive) {
        if (properties.transactions() == TransactionMode.OFF) {
            Runnable check = check();
            return () -> {
                check.run();
                return null;
            };
        }
        if (reactive.stream().findAny().isPresent()) {
            log.info(
                    "Jobs that JobClient enqueues in a reactive transaction do not wait for it, which is not bound to a "
                            + "thread. Those of ReactiveJobClient do");
        }
        Listening listener = listening.getIfAvailable();
        return listener == null ? new SpringTransactions(check()) : listener.transactions;
    }

    private static Runnable check() {
        return ClassUtils.isPresent(
                        "reactor.core.scheduler.Schedulers", JobsTransactionConfiguration.class.getClassLoader())
                ? new EventLoopWarning()
                : () -> {};
    }
}
