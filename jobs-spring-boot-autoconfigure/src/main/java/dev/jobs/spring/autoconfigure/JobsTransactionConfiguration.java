package dev.jobs.spring.autoconfigure;

import dev.jobs.client.Transactions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.ReactiveTransactionManager;

/** Lets jobs wait for the application's transactions. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnMissingBean(Transactions.class)
final class JobsTransactionConfiguration {

    private static final Logger log = LoggerFactory.getLogger(JobsTransactionConfiguration.class);

    @Bean
    @ConditionalOnProperty(name = "jobs.transactions", havingValue = "after-commit", matchIfMissing = true)
    Transactions jobTransactions(ObjectProvider<ReactiveTransactionManager> reactive) {
        if (reactive.stream().findAny().isPresent()) {
            log.info(
                    "Jobs that are enqueued in a reactive transaction do not wait for it: it is not bound to a thread");
        }
        return new SpringTransactions();
    }
}
