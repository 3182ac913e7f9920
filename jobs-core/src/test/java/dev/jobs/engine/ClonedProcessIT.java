package dev.jobs.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.assembly.EngineTestBed;
import dev.jobs.engine.ClaimLine.Exchange;
import dev.jobs.redis.CallBounds;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.store.JobClaims;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.store.JobClaims.Reply;
import dev.jobs.store.JobClaims.Status;
import dev.jobs.testing.RedisFixture;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two copies of one process go on with the same identity and the same numbers. */
class ClonedProcessIT {

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    @AutoClose
    private final EngineTestBed bed = new EngineTestBed(redis);

    private final ChoreTestBed process = new ChoreTestBed(bed);
    private final ChoreTestBed clone = new ChoreTestBed(bed);

    @BeforeEach
    void begin() {
        redis.flush();
        redis.texts().zadd("jobs:beats", 1, "me");
        bed.push("default", EngineTestBed.payload("Note", "j1", "[]"));
        bed.push("default", EngineTestBed.payload("Note", "j2", "[]"));
    }

    @AfterEach
    void close() {
        process.close();
        clone.close();
    }

    private ClaimLine line(ChoreTestBed of) {
        JobClaims claims = new JobClaims(
                of.connection, of.keys, bed.environment.clock(), new DeadSetBounds(100, Duration.ofDays(1)), 2);
        return new ClaimLine(bed.config.capsules().get(0), 0, claims, new FetcherPauses(), of.context);
    }

    private Exchange next(ClaimLine line, ChoreTestBed of) {
        HeldJobs held = new HeldJobs(
                new ThreadPools().join(bed.config.capsules().get(0), of.context, () -> {}),
                new IdleWait(of.context),
                CallBounds.STANDARD,
                of.context);
        return line.next(of.lease.current(), List.of(), 1, 0, held, "", false);
    }

    private static Reply carryOut(ClaimLine line, Exchange exchange) throws InterruptedException {
        return Objects.requireNonNull(line.carryOut(exchange, () -> true));
    }

    @Test
    void theSecondToMakeACallLearnsOfTheOtherAndGetsNoJobOfIt() throws Exception {
        ClaimLine line = line(process);
        Exchange exchange = next(line, process);
        ClaimLine ofClone = line(clone);
        Exchange same = next(ofClone, clone);
        assertThat(same.request().number()).isEqualTo(exchange.request().number());

        Reply first = carryOut(line, exchange);
        Reply second = carryOut(ofClone, same);

        assertThat(first.status()).isEqualTo(Status.OK);
        assertThat(first.claimed()).hasSize(1);
        assertThat(second.status()).isEqualTo(Status.STALE);
        assertThat(second.claimed()).isEmpty();
    }

    /** As the driver, a proxy or the engine itself may do. */
    @Test
    void aRepetitionIsNotTakenForAClone() throws Exception {
        ClaimLine line = line(process);
        Exchange exchange = next(line, process);
        Reply first = carryOut(line, exchange);

        Reply again = carryOut(line, exchange);
        Reply withdrawn = carryOut(line, exchange.withdrawn());

        assertThat(List.of(again.status(), withdrawn.status())).containsOnly(Status.REPLAY);
        assertThat(List.of(again, withdrawn)).allSatisfy(reply -> assertThat(reply.claimed())
                .extracting(Claimed::token)
                .containsExactly(first.claimed().get(0).token()));
    }
}
