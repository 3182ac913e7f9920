package dev.jobs.retries;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.Job;
import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.Payload;
import dev.jobs.RetryPolicy;
import dev.jobs.retries.RetriesAhead.Decider;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What is said of a job before it fails. */
class RetriesAheadTests {

    static final class Jobs {

        @Job("Own")
        @Retry(delay = "10s", multiplier = 2, jitter = "3s")
        void own() {}

        @Job("Named")
        @Retry(policyName = "patient")
        void named() {}

        @Job("Plain")
        void plain() {}

        @Job(value = "Twice", retry = 2)
        void twice() {}
    }

    private static RetriesAhead ahead(String name, String payload, int failures, RetryPolicy... forAll) {
        JobRegistry registry = JobRegistry.of(new Jobs());
        List<RetryPolicy> policies = new ArrayList<>(List.of(forAll));
        policies.add(0, new RetryDecisions(registry, named -> (stored, count, failure) -> null, new Random(1)));
        return RetriesAhead.of(
                Payload.parse(payload.getBytes(UTF_8)),
                registry.find(name).orElse(null),
                JobHooks.none().with(RetryPolicy.class, policies),
                failures,
                3);
    }

    private static List<String> waits(RetriesAhead ahead) {
        return ahead.waits().stream()
                .map(each -> each.least() + " to " + each.longest())
                .toList();
    }

    @Test
    void theDelaysOfTheRuleThatDecides() {
        RetriesAhead own = ahead("Own", "{\"retry\":25}", 0);
        assertThat(own.decides()).isEqualTo(Decider.ANNOTATION);
        assertThat(waits(own)).containsExactly("PT10S to PT13S", "PT14S to PT26S", "PT28S to PT52S");

        RetriesAhead call = ahead("Own", "{\"retry\":true,\"jobs_retry\":{\"delay\":5}}", 7);
        assertThat(call.decides()).isEqualTo(Decider.CALL);
        assertThat(call.retries()).isNull();
        assertThat(waits(call)).containsExactly("PT5S to PT5S", "PT5S to PT5S", "PT5S to PT5S");
    }

    @Test
    void noneBeyondTheLastRetry() {
        assertThat(waits(ahead("Own", "{\"retry\":2}", 0))).hasSize(2);
        assertThat(waits(ahead("Own", "{\"retry\":2}", 1))).containsExactly("PT14S to PT26S");
        assertThat(waits(ahead("Own", "{\"retry\":2}", 2))).isEmpty();
        assertThat(ahead("Own", "{\"retry\":2}", 2).retries()).isEqualTo(2);
        assertThat(waits(ahead("Own", "{\"retry\":-5}", 0))).isEmpty();
    }

    @Test
    void noneOfAJobThatIsDiscardedAtItsFirstFailure() {
        RetriesAhead discarded = ahead("Plain", "{\"retry\":false}", 0);
        assertThat(discarded.retries()).isZero();
        assertThat(discarded.waits()).isEmpty();
    }

    @Test
    void aTimeOfRetriesReplacesTheirNumber() {
        RetriesAhead timed = ahead("Own", "{\"retry\":1,\"retry_for\":3600}", 2);
        assertThat(timed.retries()).isNull();
        assertThat(waits(timed)).hasSize(3);
    }

    @Test
    void theNumberOfTheMethodIfThePayloadHasNone() {
        assertThat(ahead("Twice", "{}", 0).retries()).isEqualTo(2);
        assertThat(waits(ahead("Twice", "{}", 1))).hasSize(1);
        assertThat(ahead("Twice", "{\"retry\":5}", 0).retries()).isEqualTo(5);
    }

    @Test
    void nothingOfANamedPolicyAndTheFormulaForAllOthers() {
        RetriesAhead named = ahead("Named", "{}", 0);
        assertThat(named.decides()).isEqualTo(Decider.POLICY);
        assertThat(named.policy()).isEqualTo("patient");
        assertThat(named.waits()).isEmpty();

        RetriesAhead plain = ahead("Plain", "{\"retry\":true}", 0);
        assertThat(plain.decides()).isEqualTo(Decider.DEFAULT);
        assertThat(waits(plain)).containsExactly("PT15S to PT24S", "PT16S to PT35S", "PT31S to PT1M");
    }

    @Test
    void nothingOfWhatAPolicyForAllJobsMaySay() {
        RetryPolicy forAll = (payload, count, failure) -> null;

        RetriesAhead plain = ahead("Twice", "{}", 0, forAll);
        assertThat(plain.decides()).isEqualTo(Decider.POLICY_FOR_ALL);
        assertThat(plain.waits()).isEmpty();
        assertThat(plain.retries()).isEqualTo(2);
        assertThat(ahead("Own", "{}", 0, forAll).decides()).isEqualTo(Decider.ANNOTATION);
        RetriesAhead unknown = ahead("unknown", "{\"retry\":true}", 0, forAll);
        assertThat(unknown.decides()).isEqualTo(Decider.OTHERS);
        assertThat(unknown.waits()).hasSize(3);
    }
}
