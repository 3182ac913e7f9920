package dev.jobs.interop;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.RetryPolicy;
import dev.jobs.RetryRule;
import dev.jobs.admin.JobSet;
import dev.jobs.engine.CapsuleConfig;
import dev.jobs.retries.RetryDecisions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A job whose call has a retry rule moves between both sides: Ruby keeps the rule, Java obeys it. */
@NeedsSidekiq
class RetryRulesIT {

    private static final String RULE = "{\"delay\":86400,\"multiplier\":2.0}";

    @AutoClose
    private static final InteropTestBed bed = new InteropTestBed("retry-rules");

    @Test
    @Tag("sidekiq-11.2")
    @Tag("sidekiq-11.3")
    void rubyRetriesByItsOwnHookAndJavaByTheRule() {
        RetryPolicy rules = new RetryDecisions(
                JobRegistry.of(bed.jobs),
                named -> {
                    throw new AssertionError("no annotation names a policy");
                },
                new SecureRandom());
        bed.engine(JobHooks.none().with(RetryPolicy.class, rules), CapsuleConfig.of("default", 1, List.of("java")));
        bed.rubyWorker("worker", "-q", "ruby");
        RetryRule rule = RetryRule.after(Duration.ofDays(1)).multiplier(2).maxRetries(5);
        String jid = Objects.requireNonNull(bed.elsewhere
                .queue("ruby")
                .with("retry_queue", "java")
                .retry(rule)
                .enqueue("Interop::Fail", 1));

        String inRuby = bed.awaitIn("retry", jid);
        double waits = score(inRuby) - now();

        assertThat(rule(inRuby)).isEqualTo(RULE);
        assertThat(InteropTestBed.payload(inRuby).integer("retry")).isEqualTo(5);
        assertThat(InteropTestBed.payload(inRuby).text("error_class")).isEqualTo("RuntimeError");
        assertThat(waits).as("an hour, says its hook").isLessThan(4_000);

        double before = now();
        bed.admin.sets().runNow(JobSet.RETRY, InteropTestBed.bytes(inRuby));
        bed.awaitPerformed(jid);
        String inJava = bed.awaitIn("retry", jid);

        assertThat(rule(inJava)).isEqualTo(RULE);
        assertThat(InteropTestBed.payload(inJava).text("error_class")).isEqualTo("java.lang.IllegalStateException");
        assertThat(score(inJava)).isBetween(before + 86_400, now() + 86_400);
    }

    private static String rule(String payload) {
        byte[] member = InteropTestBed.payload(payload).raw("jobs_retry");
        return member == null ? "" : new String(member, UTF_8);
    }

    private static double score(String payload) {
        return Objects.requireNonNull(bed.redis.zscore("retry", payload));
    }

    private static double now() {
        List<String> time = bed.redis.time();
        return Long.parseLong(time.get(0)) + Long.parseLong(time.get(1)) / 1e6;
    }
}
