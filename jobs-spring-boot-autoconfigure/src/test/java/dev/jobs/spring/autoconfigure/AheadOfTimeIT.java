package dev.jobs.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobClient;
import dev.jobs.batches.Batches;
import dev.jobs.embeddedredis.EmbeddedRedis;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.TestCompiler;
import org.springframework.javapoet.ClassName;

/** A context that Spring prepared at build time, as with {@code -Dspring.aot.enabled=true}, runs jobs. */
class AheadOfTimeIT {

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DataRedisAutoConfiguration.class,
        LifecycleAutoConfiguration.class,
        JobsAutoConfiguration.class
    })
    static class App {

        @Bean
        Mails mails() {
            return new Mails();
        }
    }

    static class Mails {

        final List<String> sent = new CopyOnWriteArrayList<>();

        @Job("send")
        void send(String to, int copies) {
            sent.add(to + " " + copies);
        }
    }

    @Test
    @CompileWithForkedClassLoader
    void runsJobs() {
        try (EmbeddedRedis redis = EmbeddedRedis.start();
                AnnotationConfigApplicationContext source = new AnnotationConfigApplicationContext()) {
            setPort(source, redis);
            source.register(App.class);
            TestGenerationContext generation = new TestGenerationContext(App.class);
            ClassName prepared = new ApplicationContextAotGenerator().processAheadOfTime(source, generation);
            generation.writeGeneratedContent();
            TestCompiler.forSystem()
                    .with(generation)
                    .compile(compiled -> run(
                            compiled.getInstance(ApplicationContextInitializer.class, prepared.reflectionName()),
                            redis));
        }
    }

    @SuppressWarnings("unchecked")
    private static void run(ApplicationContextInitializer<?> prepared, EmbeddedRedis redis) {
        try (GenericApplicationContext context = new GenericApplicationContext()) {
            setPort(context, redis);
            ((ApplicationContextInitializer<GenericApplicationContext>) prepared).initialize(context);
            context.refresh();
            JobClient jobs = context.getBean(JobClient.class);
            jobs.enqueue(Mails::send, "bob", 1);
            jobs.enqueue("send", "eve", 2);
            context.getBean(Batches.class).create("all", batch -> batch.add(JobCall.of(Mails::send, "ada", 3)));
            Mails mails = context.getBean(Mails.class);
            await().atMost(Duration.ofSeconds(60)).until(() -> mails.sent.size() == 3);
            assertThat(mails.sent).containsExactlyInAnyOrder("bob 1", "eve 2", "ada 3");
        }
    }

    private static void setPort(GenericApplicationContext context, EmbeddedRedis redis) {
        context.getEnvironment()
                .getPropertySources()
                .addFirst(new MapPropertySource("test", Map.of("spring.data.redis.port", redis.port())));
    }
}
