package dev.jobs.interop;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.RetryPolicy;
import dev.jobs.RetryRule;
import dev.jobs.admin.JobSet;
import dev.jobs.engine.CapsuleConfig;
import dev.jobs.interop.Turns.Side;
import dev.jobs.retries.RetryDecisions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Jobs with retry rules go to and fro between both sides: Ruby retries by its own hook and keeps the rule as it is, Java
 * obeys it, and each changes nothing but what a failure has to.
 */
@NeedsSidekiq
class RetryRulesIT {

    private static final String QUEUE = "rules";
    private static final String OTHER_QUEUE = "other-rules";

    private static final long DAY = 86_400;

    /** Ruby's hook says an hour; it adds at most 10 s for each failure so far. */
    private static final long HOUR = 3_600;

    /** What each failure writes on both sides. */
    private static final List<String> FAILURE = List.of("error_message", "error_class", "retry_count");

    /** Java also keeps what earlier attempts threw. */
    private static final String OF_JAVA = "past_attempts";

    @AutoClose
    private static final InteropTestBed bed = new InteropTestBed("retry-rules");

    private static final RubyApi api = bed.api();

    private static final RetryPolicy rules = new RetryDecisions(
            JobRegistry.of(bed.jobs),
            named -> {
                throw new AssertionError("no annotation names a policy");
            },
            new SecureRandom());

    private final Turns turns = new Turns(
            bed,
            api,
            queue -> bed.engine(
                    JobHooks.none().with(RetryPolicy.class, rules), CapsuleConfig.of("default", 1, List.of(queue))));

    @BeforeEach
    void empty() {
        bed.redis.del("queue:" + QUEUE, "queue:" + OTHER_QUEUE, "retry", "dead");
    }

    /** Lets the job fail on a side, which changes nothing but what it must. Returns the stored text. */
    private String fail(Side side, String jid, String before, String set) {
        boolean again = InteropTestBed.payload(before).has("failed_at");
        return again
                ? fail(side, QUEUE, jid, before, set, "retried_at", "enqueued_at")
                : fail(side, QUEUE, jid, before, set, "failed_at");
    }

    private String fail(Side side, String queue, String jid, String before, String set, String... changing) {
        String after = turns.take(side, queue, jid, set);
        List<String> all = new ArrayList<>(FAILURE);
        all.addAll(List.of(changing));
        if (side == Side.JAVA) {
            all.add(OF_JAVA);
        }
        Turns.assertSameBut(all, before, after);
        assertThat(InteropTestBed.payload(after).text("error_class"))
                .isEqualTo(side == Side.JAVA ? "java.lang.IllegalStateException" : "RuntimeError");
        return after;
    }

    /** @param days what the rule says of this failure; for Java */
    private static void assertWaits(Side side, String stored, long days, int failures) {
        double seconds = Objects.requireNonNull(bed.redis.zscore("retry", stored)) - now();
        assertThat(InteropTestBed.payload(stored).integer("retry_count")).isEqualTo(failures - 1);
        if (side == Side.JAVA) {
            assertThat(seconds).as("the rule says").isCloseTo(days * DAY, Offset.offset(60.0));
        } else {
            assertThat(seconds).as("the hook says").isCloseTo(HOUR + 5 * failures, Offset.offset(60.0));
        }
    }

    private static double now() {
        List<String> time = bed.redis.time();
        return Long.parseLong(time.get(0)) + Long.parseLong(time.get(1)) / 1e6;
    }

    @ParameterizedTest
    @EnumSource
    @Tag("sidekiq-11.1")
    @Tag("sidekiq-11.2")
    @Tag("sidekiq-11.3")
    void aJobWithTheRuleOfItsCallIsRetriedByBothSidesInTurn(Side first) {
        RetryRule rule = RetryRule.after(Duration.ofDays(1))
                .multiplier(2)
                .maxDelay(Duration.ofDays(30))
                .jitter(Duration.ofMillis(1_500))
                .maxRetries(3);
        String jid = Objects.requireNonNull(
                bed.elsewhere.queue(QUEUE).retry(rule).enqueue("Interop::Fail", List.of("é😀", 1.0)));
        String pushed = bed.queued(QUEUE, jid).get(0);
        assertThat(member(pushed, "jobs_retry"))
                .isEqualTo("{\"delay\":86400,\"multiplier\":2.0,\"max_delay\":2592000,\"jitter\":1.5}");
        assertThat(member(pushed, "retry")).isEqualTo("3");

        String once = fail(first, jid, pushed, "retry");
        assertWaits(first, once, 1, 1);

        turns.makeDue(first.other(), jid);
        String twice = fail(first.other(), jid, once, "retry");
        assertWaits(first.other(), twice, 2, 2);

        turns.makeDue(first, jid);
        String again = fail(first, jid, twice, "retry");
        assertWaits(first, again, 4, 3);

        turns.makeDue(first.other(), jid);
        fail(first.other(), jid, again, "dead");
        assertThat(bed.in("retry", jid)).isEmpty();
    }

    /** Nothing of it is in the payload but the number of retries, so a job that Ruby pushed has the delays too. */
    @ParameterizedTest
    @EnumSource
    @Tag("sidekiq-11.1")
    @Tag("sidekiq-11.2")
    void theRuleOfAnAnnotationDecidesForJobsThatEitherSidePushed(Side pushes) {
        String jid = pushes == Side.JAVA
                ? Objects.requireNonNull(bed.client.queue(QUEUE).enqueue("Interop::Ruled", "é😀"))
                : api.enqueue(QUEUE, "Interop::Ruled", "é😀");
        String pushed = bed.queued(QUEUE, jid).get(0);
        assertThat(InteropTestBed.payload(pushed).has("jobs_retry")).isFalse();
        assertThat(member(pushed, "retry")).isEqualTo(pushes == Side.JAVA ? "2" : "true");

        String inJava = fail(Side.JAVA, jid, pushed, "retry");
        assertWaits(Side.JAVA, inJava, 2, 1);

        turns.makeDue(Side.RUBY, jid);
        String inRuby = fail(Side.RUBY, jid, inJava, "retry");
        assertWaits(Side.RUBY, inRuby, 0, 2);

        turns.makeDue(Side.JAVA, jid);
        if (pushes == Side.JAVA) {
            fail(Side.JAVA, jid, inRuby, "dead");
        } else {
            assertWaits(Side.JAVA, fail(Side.JAVA, jid, inRuby, "retry"), 18, 3);
        }
    }

    /** Each side moves a failed job of the other one to another queue, and to that queue once it is due. */
    @ParameterizedTest
    @EnumSource
    @Tag("sidekiq-11.1")
    @Tag("sidekiq-11.2")
    @Tag("sidekiq-20.1")
    void aJobThatTheOtherSideMovedIsRetriedByItsOwnRule(Side owner) {
        String jid = owner == Side.JAVA
                ? Objects.requireNonNull(bed.client.queue(QUEUE).enqueue("Interop::Ruled", "é😀"))
                : api.enqueue(QUEUE, "Interop::Fail", "é😀");
        String failed = fail(owner, jid, bed.queued(QUEUE, jid).get(0), "retry");
        String queue = QUEUE;
        if (owner == Side.RUBY) { // which has no such operation
            assertThat(bed.admin.sets().move(JobSet.RETRY, InteropTestBed.bytes(failed), OTHER_QUEUE))
                    .isNotNull();
            queue = OTHER_QUEUE;
        }

        turns.makeDue(owner.other(), jid);
        String moved = turns.promote(owner.other(), queue, jid);
        Turns.assertSameBut(List.of("enqueued_at", "queue"), failed, moved);
        assertThat(member(moved, "queue")).isEqualTo('"' + queue + '"');

        String again = fail(owner, queue, jid, moved, "retry", "retried_at");
        assertWaits(owner, again, 6, 2);
    }

    private static String member(String payload, String name) {
        byte[] member = InteropTestBed.payload(payload).raw(name);
        return member == null ? "" : new String(member, UTF_8);
    }
}
