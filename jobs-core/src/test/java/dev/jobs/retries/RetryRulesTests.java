package dev.jobs.retries;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.Job;
import dev.jobs.JobDefinition;
import dev.jobs.JobDefinitionException;
import dev.jobs.JobRegistry;
import dev.jobs.Payload;
import dev.jobs.RetryPolicy;
import dev.jobs.RetryRule;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the annotation says of a job, and what it can't say. */
class RetryRulesTests {

    @Retry(maxRetries = 3, delay = "1m")
    @Retention(RetentionPolicy.RUNTIME)
    @interface Patient {}

    static final class Jobs {

        @Job
        @Retry(
                maxRetries = 8,
                delay = "10s",
                multiplier = 2,
                maxDelay = "1h30m",
                jitter = "500ms",
                includes = IOException.class,
                excludes = FileNotFoundException.class)
        void all() {}

        @Job
        @Patient
        void composed() {}

        @Job
        @Retry(maxRetries = 0)
        void never() {}

        @Job(retry = 5)
        @Retry(delay = "10s")
        void often() {}

        @Job(retryFor = 60)
        @Retry(policy = Own.class)
        void forAWhile() {}

        @Job
        void plain() {}
    }

    static final class Own implements RetryPolicy {

        @Override
        public Decision decide(Payload payload, int count, Throwable failure) {
            return null;
        }
    }

    private static JobDefinition job(String name) {
        return JobRegistry.of(new Jobs()).find("Jobs." + name).orElseThrow();
    }

    @Test
    void theAnnotationIsRead() {
        assertThat(job("all").options()).containsEntry("retry", 8);
        assertThat(job("all").rule(DeclaredRetry.class))
                .isEqualTo(new DeclaredRetry(
                        List.of(IOException.class),
                        List.of(FileNotFoundException.class),
                        new RetryRule(Duration.ofSeconds(10), 2, Duration.ofMinutes(90), Duration.ofMillis(500), null),
                        null,
                        ""));
        assertThat(job("never").options()).containsEntry("retry", 0);
        assertThat(job("forAWhile").rule(DeclaredRetry.class).policy()).isEqualTo(Own.class);
    }

    @Test
    void itMayStandOnAnAnnotation() {
        assertThat(job("composed").options()).containsEntry("retry", 3);
        assertThat(job("composed").rule(DeclaredRetry.class).delays())
                .isEqualTo(RetryRule.after(Duration.ofMinutes(1)));
    }

    @Test
    void whatItLeavesOutIsThatOfTheJob() {
        assertThat(job("often").options()).containsEntry("retry", 5);
        assertThat(job("forAWhile").options()).containsEntry("retry_for", 60L).doesNotContainKey("retry");
        assertThat(job("plain").options()).containsOnlyKeys("queue");
        assertThat(job("plain").rule(DeclaredRetry.class)).isNull();
    }

    static final class Wrong {

        @Job
        @Retry
        void nothing() {}

        @Job
        @Retry(maxRetries = 1001)
        void many() {}

        @Job
        @Retry(maxRetries = Job.NONE)
        void none() {}

        @Job(retry = 5)
        @Retry(maxRetries = 3)
        void twoNumbers() {}

        @Job(retryFor = 60)
        @Retry(maxRetries = 3)
        void numberAndTime() {}

        @Job
        @Retry(multiplier = 2)
        void multiplierAlone() {}

        @Job
        @Retry(maxRetries = 3, maxDelay = "1h")
        void maxDelayAlone() {}

        @Job
        @Retry(jitter = "1s")
        void jitterAlone() {}

        @Job
        @Retry(policy = Own.class, policyName = "own")
        void twoPolicies() {}

        @Job
        @Retry(policyName = "own", delay = "10s")
        void policyAndDelay() {}

        @Job
        @Retry(policy = Own.class, multiplier = 2)
        void policyAndMultiplier() {}

        @Job
        @Retry(delay = "soon")
        void noTime() {}

        @Job
        @Retry(delay = "0s")
        void noDelay() {}

        @Job
        @Retry(delay = "10s", maxDelay = "99999d")
        void longDelay() {}

        @Job
        @Retry(delay = "10s", jitter = "-1s")
        void negativeJitter() {}

        @Job
        @Retry(delay = "10s", multiplier = 0.5)
        void shrinking() {}

        @Job
        @Retry(delay = "10s", maxDelay = "5s")
        void lessThanTheFirst() {}

        @Job
        @Retry(includes = FileNotFoundException.class, excludes = IOException.class)
        void inAndOut() {}
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    nothing             | its @Retry says nothing
                    many                | its @Retry(maxRetries) is 1001
                    none                | its @Retry(maxRetries) is -1
                    twoNumbers          | its @Retry(maxRetries) is 3, and its @Job(retry) is 5
                    numberAndTime       | its @Retry(maxRetries) is 3, and its @Job(retryFor) is 60
                    multiplierAlone     | its @Retry says how delays grow, and has no delay
                    maxDelayAlone       | its @Retry says how delays grow, and has no delay
                    jitterAlone         | its @Retry says how delays grow, and has no delay
                    twoPolicies         | its @Retry has the policy dev.jobs.retries.RetryRulesTests$Own and the policyName
                    policyAndDelay      | its @Retry has a policy, which decides when the job is retried, and a delay
                    policyAndMultiplier | its @Retry has a policy, which decides when the job is retried, and a delay
                    noTime              | its @Retry(delay) is 'soon'
                    noDelay             | its @Retry(delay) is '0s'
                    longDelay           | its @Retry(maxDelay) is '99999d'
                    negativeJitter      | its @Retry(jitter) is '-1s'
                    shrinking           | in its @Retry, 'multiplier' must be 1 to 1,000 but was 0.5
                    lessThanTheFirst    | in its @Retry, 'maxDelay' must not be less than the delay of PT10S but was PT5S
                    inAndOut            | its @Retry includes java.io.FileNotFoundException and excludes java.io.IOException
                    """)
    void whatCannotWorkFailsTheStartWithAWayOut(String name, String message) throws NoSuchMethodException {
        Method method = Wrong.class.getDeclaredMethod(name);
        Job job = Objects.requireNonNull(method.getAnnotation(Job.class));

        assertThatThrownBy(() -> JobDefinition.of(job, Wrong.class, method, List.of(), arguments -> null))
                .isInstanceOfSatisfying(JobDefinitionException.class, e -> assertThat(e.action())
                        .isNotBlank())
                .hasMessageContaining(name + " can't be used: " + message);
    }

    static final class NoJob {

        @Retry(delay = "10s")
        void forgotten() {}
    }

    @Test
    void aMethodThatIsNoJobFailsTheStart() {
        assertThatThrownBy(() -> JobRegistry.of(new NoJob()))
                .isInstanceOf(JobDefinitionException.class)
                .hasMessageContaining("forgotten has no effect: the method is not a @Job");
    }
}
