package dev.jobs.spring.autoconfigure.encryption;

import dev.jobs.ArgumentSeal;
import dev.jobs.Internal;
import dev.jobs.JobDefinition;
import dev.jobs.JobRegistry;
import dev.jobs.encryption.EncryptionKeys;
import dev.jobs.encryption.JobEncryption;
import dev.jobs.spring.autoconfigure.beans.LateValue;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The seal of arguments, and whether each job that asks for it can have it. */
@Configuration(proxyBeanMethods = false)
@Internal
public class JobsEncryptionConfiguration {

    private static final Logger log = LoggerFactory.getLogger(JobsEncryptionConfiguration.class);

    @Bean
    @ConditionalOnMissingBean
    ArgumentSeal jobsArgumentSeal(ObjectProvider<EncryptionKeys> beans, EncryptionProperties properties) {
        EncryptionKeys keys = keys(beans, properties);
        return keys == null ? ArgumentSeal.NONE : new JobEncryption(keys);
    }

    /** For a registry that the application made itself. */
    @Bean
    static BeanPostProcessor jobsRegistrySeal(ObjectProvider<ArgumentSeal> seal) {
        return new BeanPostProcessor() {
            @Override
            public Object postProcessAfterInitialization(Object bean, String name) {
                if (bean instanceof JobRegistry jobs) {
                    jobs.sealIfOpen(new LateValue<>(() -> seal.getIfAvailable(() -> ArgumentSeal.NONE)));
                }
                return bean;
            }
        };
    }

    /** When all beans exist: the keys may need others. An application that is turned off may start without keys. */
    @Bean
    @ConditionalOnBooleanProperty(name = "jobs.enabled", matchIfMissing = true)
    static SmartInitializingSingleton jobsEncryptionCheck(
            JobRegistry jobs, ObjectProvider<EncryptionKeys> beans, EncryptionProperties properties) {
        return () -> {
            EncryptionKeys keys = keys(beans, properties);
            JobEncryption.check(jobs, keys);
            String guessable = JobEncryption.guessable(jobs, keys).stream()
                    .map(JobDefinition::name)
                    .collect(Collectors.joining(", "));
            if (!guessable.isEmpty()) {
                log.warn(
                        "The locks of {} are digests of @Masked arguments: who reads Redis can try out short ones. Set"
                                + " jobs.encryption.digest-key in every application that enqueues these jobs",
                        guessable);
            }
        };
    }

    private static @Nullable EncryptionKeys keys(
            ObjectProvider<EncryptionKeys> beans, EncryptionProperties properties) {
        EncryptionKeys own = beans.getIfAvailable();
        return own == null ? properties.keysOrNull() : own;
    }
}
