package dev.jobs.spring.autoconfigure;

import dev.jobs.client.Transactions;
import dev.jobs.spring.autoconfigure.JobsProperties.TransactionMode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.ReactiveTransactionManager;

/** Lets jobs wait for the application's transactions. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnMissingBean(Transactions.class)
final class JobsTransactionConfiguration {

    private static final Logger log = LoggerFactory.getLogger(JobsTransactionConfiguration.class);

    @Bean
    Transactions jobTransactions(JobsProperties properties, ObjectProvider<ReactiveTransactionManager> reactive) {
        if (properties.transactions() == TransactionMode.OFF) {
            return Transactions.NONE;
        }
        if (reactive.stream().findAny().isPresent()) {
            log.info(
                    "Jobs that are enqueued in a reactive transaction do not wait for it: it is not bound to a thread");
        }
        return new SpringTransactions();
    }
}
