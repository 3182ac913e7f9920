package dev.jobs.spring.autoconfigure.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.jobs.JobClient;
import dev.jobs.JobStoreException;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.proof.LongTest;
import dev.jobs.spring.autoconfigure.JobsContext;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Calls of a client whose application is stopped, while Redis is well. */
class StoppedClientIT {

    @AutoClose
    static final EmbeddedRedis redis = EmbeddedRedis.start();

    private final ApplicationContextRunner runner =
            JobsContext.on(redis).withPropertyValues("jobs.worker.enabled=false");

    private static void assertThatNothingWasSent(JobStoreException failure) {
        assertThat(failure)
                .hasMessageContaining("are stopped")
                .hasMessageContaining("nothing was sent")
                .hasMessageContaining("not stored")
                .hasMessageNotContainingAny("can't be reached", "may have been stored");
        assertThat(failure.mayHaveRun()).isFalse();
    }

    @LongTest
    @Test
    void aStoppedClientSaysSoAndWorksAgainAfterItsStart() {
        runner.run(context -> {
            JobClient jobs = context.getBean(JobClient.class);
            context.stop();
            assertThatNothingWasSent(catchThrowableOfType(JobStoreException.class, () -> jobs.enqueue("Never")));
            assertThatNothingWasSent(catchThrowableOfType(
                    JobStoreException.class, () -> jobs.enqueueAll("Never", List.of(List.of(1), List.of(2)))));

            context.start();
            jobs.queue("again").enqueue("Again");
            StringRedisTemplate template = context.getBean(StringRedisTemplate.class);
            assertThat(template.opsForList().size("queue:again")).isEqualTo(1);
            assertThat(template.opsForList().size("queue:default")).isZero();
        });
    }

    record LastCall(JobClient jobs, AtomicReference<JobStoreException> failure) implements DisposableBean {

        @Override
        public void destroy() {
            failure.set(catchThrowableOfType(JobStoreException.class, () -> jobs.enqueue("TooLate")));
        }
    }

    @Test
    void aDestroyMethodCallsTooLate() {
        AtomicReference<JobStoreException> failure = new AtomicReference<>();
        runner.withInitializer(context -> context.getBeanFactory().registerSingleton("failure", failure))
                .withBean(LastCall.class)
                .run(context -> assertThat(context).hasSingleBean(LastCall.class));

        assertThatNothingWasSent(failure.get());
    }
}
