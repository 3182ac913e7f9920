package dev.jobs.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.engine.JobEngine;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** An application that ends while Redis is away, as it is when both are taken down together. */
@ExtendWith(OutputCaptureExtension.class)
class StopWithoutRedisIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @RepeatedTest(2)
    void leavesNoErrorInTheLogWhenRedisIsGone(CapturedOutput output) {
        EmbeddedRedis redis = EmbeddedRedis.start();
        on(redis).run(context -> {
            JobEngine engine = context.getBean(JobEngine.class);
            await().atMost(PATIENCE).until(() -> engine.health().alive());
            redis.close();
            await().atMost(PATIENCE).until(() -> engine.health().redisError() != null);
        });
        assertThat(output).doesNotContain("ERROR").doesNotContain("\tat ");
    }

    @RepeatedTest(2)
    void leavesNoErrorInTheLogWhenRedisGivesNoAnswer(CapturedOutput output) {
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            try {
                on(redis).run(context -> {
                    JobEngine engine = context.getBean(JobEngine.class);
                    await().atMost(PATIENCE).until(() -> engine.health().alive());
                    signal(redis, "STOP");
                    await().atMost(PATIENCE).until(() -> engine.health().redisError() != null);
                });
            } finally {
                signal(redis, "CONT");
            }
        }
        assertThat(output).doesNotContain("ERROR").doesNotContain("\tat ");
    }

    private static ApplicationContextRunner on(EmbeddedRedis redis) {
        return JobsContext.on(redis).withPropertyValues("spring.data.redis.timeout=20s");
    }

    private static void signal(EmbeddedRedis redis, String signal) {
        try {
            new ProcessBuilder("kill", "-" + signal, Long.toString(redis.pid()))
                    .start()
                    .waitFor();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
