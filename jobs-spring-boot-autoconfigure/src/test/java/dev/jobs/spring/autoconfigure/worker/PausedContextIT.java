package dev.jobs.spring.autoconfigure.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.admin.QueueInfo;
import dev.jobs.assembly.EngineHealth.State;
import dev.jobs.assembly.JobEngine;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.spring.autoconfigure.JobsContext;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Contexts that are paused and restarted, which Spring Framework 7 can: not on Boot 3. */
@ExtendWith(OutputCaptureExtension.class)
class PausedContextIT {

    private final EmbeddedRedis redis = EmbeddedRedis.start();
    private final ApplicationContextRunner runner = JobsContext.on(redis).withBean(Work.class);

    @AfterEach
    void stopRedis() {
        redis.close();
    }

    @Test
    void aPausedContextRunsJobsAgainAfterItsRestart(CapturedOutput output) {
        runner.run(context -> {
            Work work = context.getBean(Work.class);
            JobClient jobs = context.getBean(JobClient.class);
            JobsAdmin admin = context.getBean(JobsAdmin.class);
            jobs.enqueue(Work::once, "first");
            await().untilAsserted(() -> assertThat(work.events).containsExactly("first"));
            assertThat(admin.queues().all()).extracting(QueueInfo::name).containsExactly("default");
            ConfigurableApplicationContext own =
                    context.getSourceApplicationContext(ConfigurableApplicationContext.class);

            own.pause();
            assertThat(context.getBean(JobEngine.class).health().state()).isEqualTo(State.STOPPED);
            own.restart();

            jobs.enqueue(Work::once, "second");
            await().untilAsserted(() -> assertThat(work.events).containsExactly("first", "second"));
            assertThat(admin.queues().all()).extracting(QueueInfo::name).containsExactly("default");
        });
        assertThat(output)
                .doesNotContain("already closed")
                .doesNotContain("WARN")
                .doesNotContain("ERROR");
    }

    /** As after a checkpoint, from which several processes may be restored. */
    @Test
    void aRestartedContextHasIdsThatNoOtherProcessHas() {
        SecureRandom random = new SecureRandom();
        AtomicInteger seeds = new AtomicInteger();
        SecureRandom counted = new SecureRandom() {
            @Override
            public void setSeed(byte[] seed) {
                seeds.incrementAndGet();
                random.setSeed(seed);
            }
        };
        EngineEnvironment system = EngineEnvironment.system();
        EngineEnvironment environment = new EngineEnvironment(
                system.clock(), system.nanoTime(), counted, system.processorThreads(), system.outOfMemory());
        runner.withBean(EngineEnvironment.class, () -> environment).run(context -> {
            ConfigurableApplicationContext own =
                    context.getSourceApplicationContext(ConfigurableApplicationContext.class);
            StringRedisTemplate redis = context.getBean(StringRedisTemplate.class);
            context.getBean(JobClient.class).enqueue(Work::once, "first");
            String identity = context.getBean(JobEngine.class).health().identity();
            assertThat(seeds).hasValue(1);

            own.pause();
            own.restart();

            context.getBean(JobClient.class).enqueue(Work::once, "second");
            assertThat(redis.keys("jobs:pushes:*")).hasSize(2);
            assertThat(context.getBean(JobEngine.class).health().identity()).isNotEqualTo(identity);
            assertThat(seeds).hasValue(2);
        });
    }

    static class Work {

        final List<String> events = new CopyOnWriteArrayList<>();

        @Job
        void once(String event) {
            events.add(event);
        }
    }
}
