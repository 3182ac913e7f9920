package dev.jobs.spring.autoconfigure.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.spring.autoconfigure.JobsContext;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.observation.LettuceObservationAutoConfiguration;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Spring Boot 4 observes commands of Lettuce: not on Boot 3. */
class LettuceObservationsIT {

    private final ObservationRegistry observations = ObservationRegistry.create();
    private final Set<String> stopped = ConcurrentHashMap.newKeySet();

    @Test
    void commandsOfTheLibraryAreNotObservedThoughThoseOfTheApplicationAre() {
        observations.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public void onStop(Observation.Context context) {
                stopped.add(context.getName());
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            JobsContext.on(redis)
                    .withConfiguration(AutoConfigurations.of(
                            JobsObservationAutoConfiguration.class, LettuceObservationAutoConfiguration.class))
                    .withBean(ObservationRegistry.class, () -> observations)
                    .withBean(Shop.class)
                    .run(context -> {
                        context.getBean(JobClient.class).enqueue(Shop::sell, "book");
                        await().atMost(Duration.ofSeconds(60)).until(() -> stopped.contains("jobs.perform"));
                        assertThat(stopped).containsOnly("jobs.enqueue", "jobs.perform");

                        context.getBean(StringRedisTemplate.class).opsForValue().get("something");
                        assertThat(stopped).contains("lettuce");
                    });
        }
    }

    static class Shop {

        @Job
        void sell(String product) {}
    }
}
