package dev.jobs.spring.web;

import dev.jobs.batches.BatchJob;
import dev.jobs.batches.BatchPage;
import dev.jobs.batches.BatchStatus;
import dev.jobs.batches.Batches;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.spring.BatchView;
import dev.jobs.spring.autoconfigure.JobsAutoConfiguration;
import dev.jobs.spring.autoconfigure.properties.JobsProperties;
import java.time.Duration;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/** Auto-configuration of the answers about batches in Spring MVC applications. */
@AutoConfiguration(after = JobsAutoConfiguration.class)
@ConditionalOnClass(SseEmitter.class)
@ConditionalOnWebApplication(type = Type.SERVLET)
@ConditionalOnBean(Batches.class)
@RegisterReflectionForBinding({BatchView.class, BatchStatus.class, BatchPage.class, BatchJob.class})
public final class BatchProgressAutoConfiguration {

    private static final Duration PAUSE = Duration.ofMillis(500);

    @Bean
    @ConditionalOnMissingBean
    BatchStreams jobsBatchStreams(Batches batches, JobsProperties properties) {
        CustomizableThreadFactory threads = new CustomizableThreadFactory("jobs-batch-progress-");
        threads.setDaemon(true);
        return new BatchStreams(batches, properties.batches().maxStreams(), PAUSE, threads);
    }

    @Bean
    @ConditionalOnMissingBean
    BatchProgress jobsBatchProgress(Batches batches, BatchStreams streams, EngineEnvironment environment) {
        return new BatchProgress(batches, streams, environment.clock());
    }
}
