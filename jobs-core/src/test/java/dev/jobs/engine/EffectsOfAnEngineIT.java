package dev.jobs.engine;

import static dev.jobs.assembly.EngineTestBed.payload;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobDefinition;
import dev.jobs.RetryPolicy;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.proof.LongTest;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.Effect;
import dev.jobs.store.EffectSource;
import dev.jobs.testing.RedisFixture;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An engine applies the effects of each job that ran, is recovered or is cleared there, once. */
class EffectsOfAnEngineIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final byte[] HAPPENED = "happened".getBytes(UTF_8);

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    @AutoClose
    private final EngineTestBed bed = new EngineTestBed(redis);

    @BeforeEach
    void begin() {
        bed.effects = stored -> Stream.of("done", "retried", "dead", "deleted", "recovered")
                .map(outcome -> new Effect("count", HAPPENED, outcome, List.of(outcome.getBytes(UTF_8))))
                .toList();
    }

    private static Map<String, String> happened() {
        return redis.texts().hgetall("happened");
    }

    static final class Jobs {

        @Job("Ends")
        void ends() {}

        @Job("Fails")
        void fails() {
            throw new IllegalStateException("as it was told");
        }
    }

    @Test
    void withTheirSettlements() {
        bed.policies.add((job, count, failure) -> RetryPolicy.Decision.retryIn(Duration.ofHours(1)));
        for (int i = 0; i < 50; i++) {
            bed.push("default", payload("Ends", "e" + i, "[]"));
        }
        bed.push("default", payload("Fails", "f1", "[]"));
        bed.push("default", payload("Fails", "f2", "[]", "\"retry\":0"));

        bed.start(new Jobs());

        bed.awaitDrained("default");
        assertThat(happened()).isEqualTo(Map.of("done", "50", "retried", "1", "dead", "1"));
    }

    @Test
    void alsoThoseOfFeaturesThatItsConfigurationAdds() {
        record Entered() {}
        bed.effects = EffectSource.NONE;
        bed.config = bed.config.with(values -> values.features = List.of(new EngineFeature() {
            @Override
            public List<JobPart> parts(RedisConnection chores, RedisKeys keys) {
                return List.of(new JobPart.Around() {
                    @Override
                    public Outcome enter(ClaimedJob job, JobDefinition definition) {
                        job.attach(new Entered());
                        return null;
                    }
                });
            }

            @Override
            public List<JobEffects.Part> effects(RedisKeys keys) {
                return List.of((all, job, outcome) -> {
                    if (job.part(Entered.class) != null) {
                        all.add(new Effect(
                                "count",
                                keys.key("happened"),
                                "",
                                List.of(job.name().getBytes(UTF_8))));
                    }
                });
            }
        }));
        bed.push("default", payload("Ends", "e1", "[]"));
        bed.push("default", payload("Fails", "f1", "[]", "\"retry\":0"));
        bed.push("default", payload("Unknown", "u1", "[]", "\"retry\":0"));

        bed.start(new Jobs());

        bed.awaitDrained("default");
        assertThat(happened()).isEqualTo(Map.of("Ends", "1", "Fails", "1"));
    }

    @LongTest
    @Test
    void ofAClearedQueueThatAnotherProcessLeft() {
        redis.texts().sadd("jobs:cleared", "one", "two");
        for (int i = 0; i < 130; i++) {
            redis.texts().lpush("jobs:cleared:one", "a" + i);
            redis.texts().lpush("jobs:cleared:two", "b" + i);
        }

        bed.start(new Jobs());

        await().atMost(PATIENCE).until(() -> redis.texts().exists("jobs:cleared") == 0);
        assertThat(happened()).isEqualTo(Map.of("deleted", "260"));
        assertThat(redis.texts().exists("jobs:cleared:one", "jobs:cleared:two")).isZero();
    }
}
