package dev.jobs.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.jobs.JobHooks;
import dev.jobs.PayloadTimes;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.RunParts;
import dev.jobs.leases.Lease;
import dev.jobs.leases.ProcessLeases.Timing;
import dev.jobs.redis.CallBounds;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.Effect;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.store.JobClaims.Reply;
import dev.jobs.store.JobClaims.Status;
import dev.jobs.store.Settlement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class HeldJobsTests {

    private static final Timing TIMING = new Timing(Duration.ofSeconds(20));

    private static final EngineEnvironment SYSTEM = EngineEnvironment.system();

    /** The monotonic clock. */
    private final AtomicLong nanos = new AtomicLong();

    /** Its threads do nothing, so that the jobs stay where the test finds them. */
    private final EngineEnvironment environment = new EngineEnvironment(
            SYSTEM.clock(), nanos::get, SYSTEM.random(), work -> new Thread(() -> {}), SYSTEM.outOfMemory());

    private final Lease lease = new Lease(() -> "me", TIMING, environment.nanoTime());
    private final RunContext context = RunContext.of(
            environment,
            PayloadTimes.MILLISECONDS,
            JobHooks.none(),
            EngineTestBed.unlimited(),
            RunParts.effects(new RedisKeys(""), EngineTestBed.unlimited(), List.of()),
            lease,
            3,
            new AtomicInteger());
    private final ThreadPool.Share share =
            new ThreadPools().join(CapsuleConfig.of("default", 3, List.of("default")), context, () -> {});
    private final HeldJobs held = new HeldJobs(share, new IdleWait(context), CallBounds.STANDARD, context);

    private ClaimedJob finishedJob() {
        return finishedJob("0:1:1");
    }

    private ClaimedJob finishedJob(String token) {
        ClaimedJob job = claimedJob(token);
        job.begin(0);
        job.finish();
        return job;
    }

    @Test
    void aProcessorDoesNotWaitForTheSettlementOfAJobThatWasLostJustBefore() throws Exception {
        ClaimedJob job = finishedJob();
        held.loseAll();

        CompletableFuture<Boolean> settled = held.settleAndAwait(job, Settlement.done(job.token()));

        assertThat(settled).isCompletedWithValue(false);
    }

    @Test
    void aProcessorWaitsForTheSettlementOfAJobThatIsStillHeld() throws Exception {
        ClaimedJob job = finishedJob();

        CompletableFuture<Boolean> settled = held.settleAndAwait(job, Settlement.done(job.token()));

        assertThat(settled).isNotDone();
        held.awaited().release();
        assertThat(settled).isCompletedWithValue(false);
    }

    @Test
    void aJobNeedsAThreadBesideThoseThatRunJobsOrNotifyListeners() throws Exception {
        share.start(job -> true);
        share.notifies();
        ClaimedJob first = finishedJob("0:1:1");
        assertThat(share.threads()).hasSize(2);
        held.settle(first, Settlement.done(first.token()));
        held.notified();
        finishedJob("0:1:2");
        finishedJob("0:1:3");
        assertThat(share.threads()).hasSize(2);
        finishedJob("0:1:4");
        assertThat(share.threads()).hasSize(3);
    }

    private ClaimedJob claimedJob(String token) {
        held.take(new Claimed(token, "default", "{}".getBytes(UTF_8), 0), lease.current(), true);
        return share.takeReady().get(0);
    }

    @Test
    void onlyJobsThatACallCanNotCarryAskAgainAtOnce() {
        AtomicInteger wakes = new AtomicInteger();
        AskingJobs asking = new AskingJobs(share, CallBounds.STANDARD, wakes::incrementAndGet);
        for (int i = 1; i <= 101; i++) {
            asking.add(claimedJob("0:1:" + i));
        }

        assertThat(asking.some(job -> !job.token().equals("0:1:1"))).hasSize(100);
        assertThat(wakes).as("the other one waits for something else").hasValue(0);
        assertThat(asking.some(job -> true)).hasSize(100);
        assertThat(wakes).hasValue(1);
    }

    @Test
    void anExchangeCarriesTwoHundredAcks() throws Exception {
        for (int i = 1; i <= 300; i++) {
            ClaimedJob job = finishedJob("0:1:" + i);
            held.settle(job, Settlement.done(job.token()));
        }

        assertThat(held.takeSettlements(lease.current())).hasSize(200);
        assertThat(held.isBehind()).isFalse();
        assertThat(held.takeSettlements(lease.current())).hasSize(100);
    }

    @Test
    void anExchangeCarriesAHundredOtherSettlements() throws Exception {
        for (int i = 1; i <= 350; i++) {
            ClaimedJob job = finishedJob("0:1:" + i);
            held.settle(job, Settlement.discarded(job.token()));
        }

        assertThat(held.takeSettlements(lease.current())).hasSize(100);
        assertThat(held.isBehind()).isTrue();
        assertThat(held.takeSettlements(lease.current())).hasSize(100);
        assertThat(held.isBehind()).isFalse();
    }

    /** Or else jobs would come in without any end while the retry set is broken. */
    @Test
    void aJobThatCannotBeSettledTakesUpAThreadUntilItIsSettled() throws Exception {
        int free = held.room(0);
        ClaimedJob job = finishedJob();
        held.settle(job, Settlement.retried(job.token(), Duration.ZERO, new byte[0]));
        List<ClaimedJob> batch = held.takeSettlements(lease.current());

        held.settled(batch, answer(-1));
        assertThat(held.room(0)).isEqualTo(free - 1);
        held.settled(batch, answer(1));
        assertThat(held.room(0)).isEqualTo(free);
    }

    /** Or else Redis would hold a job that nobody knows here, and it would run again. */
    @Test
    void aJobWhoseSettlementWasRefusedInAnAnswerThatWasLostIsHeld() throws Exception {
        ClaimedJob job = finishedJob();
        CompletableFuture<Boolean> settled =
                held.settleAndAwait(job, Settlement.retried(job.token(), Duration.ZERO, new byte[0]));
        List<ClaimedJob> batch = held.takeSettlements(lease.current());

        held.settled(batch, answer(Status.REPLAY, -1));

        assertThat(held.has(job.token())).isTrue();
        assertThat(settled).isCompletedWithValue(false);
        held.settled(batch, answer(Status.REPLAY, 1));
        assertThat(held.has(job.token())).isFalse();
    }

    private static Reply answer(int move) {
        return answer(Status.OK, move);
    }

    private static Reply answer(Status status, int move) {
        return new Reply(status, 0, List.of(move), 0, List.of(), List.of(), null);
    }

    @Test
    void aBatchIsToldOfAJobThatGoesBackWithoutHavingRun() {
        String payload = "{\"class\":\"A\",\"args\":[],\"jid\":\"00c0ffee00c0ffee00000001\",\"jb\":1}";
        held.take(new Claimed("0:1:1", "default", payload.getBytes(UTF_8), 0), lease.current(), true);

        held.atStop().handBackAll();

        assertThat(held.takeSettlements(lease.current())).singleElement().satisfies(job -> assertThat(
                        job.settlement().effects())
                .extracting(Effect::kind)
                .containsExactly("batch"));
    }

    @Test
    void aJobOutsideABatchGoesBackWithoutEffects() {
        held.take(new Claimed("0:1:1", "default", "{}".getBytes(UTF_8), 0), lease.current(), true);

        held.atStop().handBackAll();

        assertThat(held.takeSettlements(lease.current()))
                .singleElement()
                .satisfies(job -> assertThat(job.settlement().effects()).isEmpty());
    }

    /** Redis had claimed it when the stop began, and the answer was still on its way. */
    @Test
    void aJobThatComesWhileAllGoBackGoesBackToo() {
        held.atStop().handBackAll();

        held.take(new Claimed("0:1:1", "default", "{}".getBytes(UTF_8), 0), lease.current(), true);

        assertThat(held.takeSettlements(lease.current())).singleElement().satisfies(job -> {
            assertThat(job.token()).isEqualTo("0:1:1");
            assertThat(job.isOurs()).isFalse();
        });
        assertThat(held.share().ready()).isZero();
    }

    /** So that the queue is as it was before, and each start is the latest one when it is given back. */
    @Test
    void jobsThatDidNotBeginGoBackInReverseOrderWithTheirStarts() {
        List<String> claimed = new ArrayList<>();
        for (int exchange = 1; exchange <= 2; exchange++) {
            nanos.incrementAndGet(); // jobs of one exchange may come at the same time
            for (int i = 1; i <= 12; i++) {
                String token = "0:" + exchange + ":" + i + ":default";
                String start = (100 * i + 100) + "\n" + 100 * i;
                held.take(
                        new Claimed(token, "default", "{}".getBytes(UTF_8), 0, "api\n", start), lease.current(), true);
                claimed.add(token);
            }
        }

        held.atStop().handBackAll();

        List<ClaimedJob> back = held.takeSettlements(lease.current());
        Collections.reverse(claimed);
        assertThat(back).extracting(ClaimedJob::token).containsExactlyElementsOf(claimed);
        assertThat(back).allSatisfy(job -> assertThat(job.settlement().effects())
                .extracting(Effect::kind)
                .containsExactly("start", "permit"));
    }

    /** Its thread may wait for Redis before the code of the application begins, which has not used the start then. */
    @Test
    void aJobThatBeganGivesItsStartBackUnlessItReachedItsCode() {
        for (boolean reached : List.of(true, false)) {
            held.take(
                    new Claimed("0:1:" + reached, "default", "{}".getBytes(UTF_8), 0, "api\n", "200\n100"),
                    lease.current(),
                    true);
        }
        held.all().forEach(job -> {
            assertThat(job.begin(1)).isTrue();
            if (job.token().endsWith("true")) {
                assertThat(job.reachesCode()).isTrue();
            }
        });

        List<ClaimedJob> running = held.atStop().handBackAll();

        assertThat(running).hasSize(2).allSatisfy(job -> assertThat(job.reachesCode())
                .as("whether its code may run")
                .isEqualTo(job.token().endsWith("true")));
        assertThat(held.takeSettlements(lease.current()))
                .extracting(job -> job.token().endsWith("true"), job -> job.settlement().effects().stream()
                        .map(Effect::kind)
                        .toList())
                .containsExactlyInAnyOrder(tuple(true, List.of("permit")), tuple(false, List.of("start", "permit")));
    }
}
