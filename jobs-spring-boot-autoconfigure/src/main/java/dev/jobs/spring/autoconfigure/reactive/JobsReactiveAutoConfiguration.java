package dev.jobs.spring.autoconfigure.reactive;

import dev.jobs.JobClient;
import dev.jobs.spring.ReactiveJobClient;
import dev.jobs.spring.autoconfigure.JobsAutoConfiguration;
import dev.jobs.spring.autoconfigure.properties.JobsProperties;
import dev.jobs.spring.autoconfigure.properties.JobsProperties.TransactionMode;
import dev.jobs.spring.autoconfigure.transactions.ReactiveTransactions;
import dev.jobs.transactions.Transactions;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import reactor.core.publisher.Mono;

/** Auto-configuration of the client for reactive code. */
@AutoConfiguration(after = JobsAutoConfiguration.class)
@ConditionalOnClass(Mono.class)
@ConditionalOnBean(JobClient.class)
public final class JobsReactiveAutoConfiguration {

    /** Has a thread as soon as it exists. */
    @Bean
    @Lazy
    ReactiveTransactions jobsReactiveTransactions(Transactions transactions, JobsProperties properties) {
        return new ReactiveTransactions(transactions, properties.transactions() == TransactionMode.OUTBOX);
    }

    @Bean
    @Lazy
    @ConditionalOnMissingBean
    ReactiveJobClient jobsReactiveClient(JobClient client, ReactiveTransactions transactions) {
        return new ReactiveJobClient() {
            @Override
            public <T> Mono<T> call(Function<? super JobClient, ? extends @Nullable T> call) {
                return transactions.call(() -> call.apply(client));
            }
        };
    }
}
