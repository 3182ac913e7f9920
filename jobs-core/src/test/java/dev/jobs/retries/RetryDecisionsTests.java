package dev.jobs.retries;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.Job;
import dev.jobs.JobRegistry;
import dev.jobs.JobUpcaster;
import dev.jobs.JobUpcaster.Stored;
import dev.jobs.Payload;
import dev.jobs.RetryPolicy.Decision;
import dev.jobs.codec.ArgumentException;
import dev.jobs.ends.JobTimeoutException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Which rule decides about a failed job, and how. */
class RetryDecisionsTests {

    private static final IOException FAILURE = new IOException("gone");

    static final class Jobs {

        @Job(value = "Prices.load", aliases = "OldPrices")
        @Retry(
                delay = "10s",
                multiplier = 3,
                includes = {IOException.class, JobTimeoutException.class},
                excludes = FileNotFoundException.class)
        void load(int shop) {}

        @Job("Named")
        @Retry(policyName = "own")
        void named() {}

        @Job("Picky")
        @Retry(excludes = IllegalArgumentException.class)
        void picky() {}

        @Job("Plain")
        void plain() {}
    }

    private final JobRegistry registry = JobRegistry.of(new Jobs());
    private Decision own = Decision.retryIn(Duration.ofSeconds(77));
    private final RetryDecisions decisions = decisions(registry);

    private RetryDecisions decisions(JobRegistry known) {
        return new RetryDecisions(
                known,
                named -> {
                    assertThat(named.policyName()).isEqualTo("own");
                    return (payload, count, failure) -> own;
                },
                new Random(1));
    }

    private Decision decide(String members, int count, Throwable failure) {
        return decisions.decide(Payload.parse(("{" + members + "}").getBytes(UTF_8)), count, failure);
    }

    private static Decision after(long seconds, String who) {
        return Decision.retryAfter(Duration.ofSeconds(seconds)).by(who);
    }

    @Test
    void theDelaysOfTheAnnotationAreExact() {
        assertThat(decide("\"class\":\"Prices.load\"", 0, FAILURE)).isEqualTo(after(10, "@Retry"));
        assertThat(decide("\"class\":\"Prices.load\"", 2, FAILURE)).isEqualTo(after(90, "@Retry"));
        assertThat(decide("\"class\":\"OldPrices\"", 1, FAILURE)).isEqualTo(after(30, "@Retry"));
        assertThat(decide("\"class\":\"Sidekiq::ActiveJob::Wrapper\",\"wrapped\":\"Prices.load\"", 0, FAILURE))
                .isEqualTo(after(10, "@Retry"));
    }

    @Test
    void theMethodThatAnUpcasterLeadsToDecides() {
        JobUpcaster renamed = JobUpcaster.of("Prices.fetch", job -> new Stored("Prices.load", job.arguments()));

        assertThat(decisions(registry.withUpcasters(renamed))
                        .decide(Payload.parse("{\"class\":\"Prices.fetch\",\"args\":[]}".getBytes(UTF_8)), 0, FAILURE))
                .isEqualTo(after(10, "@Retry"));
    }

    @Test
    void theRuleOfTheCallComesBeforeTheAnnotation() {
        String rule = ",\"jobs_retry\":{\"delay\":5,\"multiplier\":2}";

        assertThat(decide("\"class\":\"Prices.load\"" + rule, 1, FAILURE)).isEqualTo(after(10, "the call"));
        assertThat(decide("\"class\":\"Named\"" + rule, 0, FAILURE)).isEqualTo(after(5, "the call"));
        assertThat(decide("\"class\":\"Plain\"" + rule, 0, FAILURE)).isEqualTo(after(5, "the call"));
        assertThat(decide("\"class\":\"of another application\"" + rule, 0, FAILURE))
                .isEqualTo(after(5, "the call"));
    }

    @Test
    void aRuleThatCannotBeReadIsLeftOut() {
        assertThat(decide("\"class\":\"Prices.load\",\"jobs_retry\":{\"delay\":-5}", 0, FAILURE))
                .isEqualTo(after(10, "@Retry"));
        assertThat(decide("\"class\":\"Plain\",\"jobs_retry\":[]", 0, FAILURE)).isNull();
    }

    @Test
    void aFailureThatIsNotRetriedEndsTheJobAlsoIfTheCallSaysWhen() {
        Decision given = Decision.kill().by("@Retry");

        assertThat(decide("\"class\":\"Prices.load\"", 0, new IllegalStateException()))
                .isEqualTo(given);
        assertThat(decide("\"class\":\"Prices.load\"", 0, new FileNotFoundException()))
                .isEqualTo(given);
        assertThat(decide("\"class\":\"Prices.load\",\"jobs_retry\":{\"delay\":5}", 0, new FileNotFoundException()))
                .isEqualTo(given);
        assertThat(decide("\"class\":\"Picky\"", 0, new IllegalArgumentException()))
                .isEqualTo(given);
        assertThat(decide("\"class\":\"Picky\"", 0, FAILURE)).isNull();
    }

    @Test
    void causesCountAsWithSpring() {
        assertThat(decide("\"class\":\"Prices.load\"", 0, new UncheckedIOException(FAILURE)))
                .isEqualTo(after(10, "@Retry"));
        assertThat(decide("\"class\":\"Prices.load\"", 0, new UncheckedIOException(new FileNotFoundException())))
                .isEqualTo(Decision.kill().by("@Retry"));
        RuntimeException one = new RuntimeException("one");
        RuntimeException other = new RuntimeException("other", one);
        one.initCause(other);
        assertThat(decide("\"class\":\"Prices.load\"", 0, one))
                .isEqualTo(Decision.kill().by("@Retry"));
    }

    @Test
    void aTimeoutIsAFailureLikeAnyOther() {
        assertThat(decide("\"class\":\"Prices.load\"", 0, timeout(FAILURE))).isEqualTo(after(10, "@Retry"));
        assertThat(decide("\"class\":\"Picky\"", 0, timeout(null))).isNull();
    }

    private static JobTimeoutException timeout(Throwable cause) {
        return new JobTimeoutException("late", Duration.ofSeconds(1), new StackTraceElement[0], cause);
    }

    @Test
    void whatTheMethodMayThrowSaysNothingOfArgumentsThatCannotBeRead() {
        assertThat(decide("\"class\":\"Prices.load\"", 0, new ArgumentException("not a number")))
                .isEqualTo(after(10, "@Retry"));
    }

    @Test
    void aNamedPolicyDecidesOrLeavesItToTheNext() {
        assertThat(decide("\"class\":\"Named\"", 0, FAILURE)).isEqualTo(own.by("policy own"));

        own = Decision.discard().by("the shop");
        assertThat(decide("\"class\":\"Named\"", 0, FAILURE)).isEqualTo(own);

        own = null;
        assertThat(decide("\"class\":\"Named\"", 0, FAILURE)).isNull();
    }

    @Test
    void nothingIsDecidedAboutOtherJobs() {
        assertThat(decide("\"class\":\"Plain\"", 0, FAILURE)).isNull();
        assertThat(decide("\"class\":\"unknown\"", 0, FAILURE)).isNull();
        assertThat(decide("\"class\":7", 0, FAILURE)).isNull();
        assertThat(decide("", 0, FAILURE)).isNull();
    }

    @Test
    void withoutAnAnnotationNoJobIsLookedUp() {
        List<String> lookedUp = new ArrayList<>();
        JobUpcaster counting = JobUpcaster.of("Plain", job -> {
            lookedUp.add(job.name());
            return job;
        });
        RetryDecisions none = decisions(JobRegistry.of().withUpcasters(counting));

        assertThat(none.decide(Payload.parse("{\"class\":\"Plain\"}".getBytes(UTF_8)), 0, FAILURE))
                .isNull();
        assertThat(lookedUp).isEmpty();
    }
}
