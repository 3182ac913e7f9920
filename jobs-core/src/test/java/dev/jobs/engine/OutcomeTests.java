package dev.jobs.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobListener.Ending;
import dev.jobs.Payload;
import dev.jobs.leases.Incarnation;
import dev.jobs.leases.ProcessLeases.Timing;
import dev.jobs.store.JobClaims.Claimed;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What Redis is told of each outcome. */
class OutcomeTests {

    private static final Payload PAYLOAD =
            Payload.parse("{\"class\":\"A\",\"args\":[],\"jid\":\"0123456789abcdef01234567\"}".getBytes(UTF_8));
    private static final Throwable FAILURE = new IllegalStateException("boom");

    private static final ClaimedJob JOB = new ClaimedJob(
            new Claimed("0:1:1", "default", PAYLOAD.bytes(), 0),
            new Incarnation("me", new Timing(Duration.ofSeconds(20)), () -> 0),
            0,
            () -> false);

    /** The ends of which nothing is left. */
    private static final Set<Ending> LAST = EnumSet.of(
            Ending.DONE,
            Ending.FAILED,
            Ending.DISCARDED,
            Ending.SKIPPED,
            Ending.CANCELLED,
            Ending.EXPIRED,
            Ending.REPLACED);

    static List<Outcome> outcomes() {
        return List.of(
                new Outcome.Done(List.of()),
                new FailedOutcome.Retried(PAYLOAD, Duration.ofSeconds(15), FAILURE, null),
                new FailedOutcome.Dead(PAYLOAD.bytes(), true, FAILURE, PAYLOAD, null),
                new FailedOutcome.Failed(FAILURE),
                new EarlyOutcome.Ended(Ending.CANCELLED, "", null, null, false, List.of()),
                EarlyOutcome.Ended.notRun(Ending.EXPIRED, "", null),
                new FailedOutcome.Discarded(PAYLOAD, FAILURE, null),
                new EarlyOutcome.Interrupted(PAYLOAD, true),
                new EarlyOutcome.Later(Ending.POSTPONED, "", PAYLOAD, Duration.ofSeconds(1), null),
                new EarlyOutcome.Later(Ending.OVER_LIMIT, "", PAYLOAD, Duration.ofSeconds(1), FAILURE),
                new FailedOutcome.TakenAway(FAILURE));
    }

    @ParameterizedTest
    @MethodSource("outcomes")
    void onlyWhatHasEndedLeavesNothing(Outcome outcome) {
        assertThat(outcome.settlement(JOB).isLast()).isEqualTo(LAST.contains(outcome.ending()));
    }

    @Test
    void onlyWhatThrewCountsAmongThoseThatWait() {
        Outcome waits = new EarlyOutcome.Later(Ending.POSTPONED, "", PAYLOAD, Duration.ofSeconds(1), null);
        Outcome threw = new EarlyOutcome.Later(Ending.OVER_LIMIT, "", PAYLOAD, Duration.ofSeconds(1), FAILURE);

        assertThat(waits.settlement(JOB).processed()).isZero();
        assertThat(threw.settlement(JOB).processed()).isOne();
    }

    @Test
    void thereAreNoOthers() {
        assertThat(outcomes().stream().map(Object::getClass).distinct())
                .containsExactlyInAnyOrderElementsOf(records(Outcome.class).toList());
    }

    private static Stream<Class<?>> records(Class<?> outcome) {
        return outcome.isRecord()
                ? Stream.of(outcome)
                : Stream.of(outcome.getPermittedSubclasses()).flatMap(OutcomeTests::records);
    }
}
