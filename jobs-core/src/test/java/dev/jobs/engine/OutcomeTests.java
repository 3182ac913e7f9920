package dev.jobs.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobListener.Ending;
import dev.jobs.Payload;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.store.ProcessLeases.Timing;
import java.time.Duration;
import java.time.Instant;
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
                new Outcome.Retried(PAYLOAD, Duration.ofSeconds(15), FAILURE),
                new Outcome.Dead(PAYLOAD.bytes(), true, FAILURE, PAYLOAD),
                new Outcome.Failed(FAILURE),
                new Outcome.Skipped(),
                new Outcome.Expired(Instant.EPOCH),
                new Outcome.Replaced(),
                new Outcome.Cancelled(null, List.of()),
                new Outcome.Discarded(PAYLOAD, FAILURE),
                new Outcome.Interrupted(PAYLOAD),
                new Outcome.Postponed(PAYLOAD, Duration.ofSeconds(1)),
                new Outcome.OverLimit(PAYLOAD, Duration.ofSeconds(1), FAILURE),
                new Outcome.TakenAway(FAILURE));
    }

    @ParameterizedTest
    @MethodSource("outcomes")
    void onlyWhatHasEndedLeavesNothing(Outcome outcome) {
        ClaimedJob job = new ClaimedJob(
                new Claimed("0:1:1", "default", PAYLOAD.bytes(), 0),
                new Incarnation("me", new Timing(Duration.ofSeconds(20)), () -> 0),
                0,
                () -> false);

        assertThat(outcome.settlement(job).isLast()).isEqualTo(LAST.contains(outcome.ending()));
    }

    @Test
    void thereAreNoOthers() {
        assertThat(outcomes().stream().map(Object::getClass))
                .containsExactlyInAnyOrderElementsOf(
                        Stream.of(Outcome.class.getPermittedSubclasses()).toList());
    }
}
