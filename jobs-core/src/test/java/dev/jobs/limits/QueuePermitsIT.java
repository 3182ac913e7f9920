package dev.jobs.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.limits.Permits.Answer;
import dev.jobs.limits.Permits.Asking;
import dev.jobs.store.ClaimGate;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.store.JobClaims.Reply;
import dev.jobs.store.JobClaims.Status;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.Settlement;
import dev.jobs.store.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How jobs of queues with limits are claimed, and how other workers learn that there is room. */
class QueuePermitsIT {

    private static final JobLimit OF_MAIL = new JobLimit("queue:mail", "", null);
    private static final String PERMITS = "jobs:permits:queue:mail";
    private static final String BELL = "jobs:bell:mail";

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    private final Permits permits = new Permits(bed.connection, bed.keys);
    private final PermitEffects effects = new PermitEffects(bed.keys);
    private final ParkedJobs parked = new ParkedJobs(bed.connection, bed.keys);
    private final LimitStates states = new LimitStates(bed.connection, bed.keys);
    private Worker worker;
    private Worker other;

    @BeforeEach
    void join() {
        bed.clear();
        worker = limited("p", 2);
        other = limited("q", 2);
    }

    private static Worker limited(String id, Integer most) {
        Worker worker = bed.worker(id).join();
        worker.limits.add(new QueueLimit("mail", most));
        return worker;
    }

    private Settlement done(Worker holder, Claimed job) {
        return Settlement.done(job.token()).with(effects.of(holder.id, job.queue(), List.of(OF_MAIL)));
    }

    private static boolean rang() {
        return bed.redis.texts().del(BELL) == 1;
    }

    private static Reply exchange(Worker worker, int want, List<String> queues, Settlement... settlements) {
        return worker.exchange(0, want, 1, queues, List.of(settlements));
    }

    @Test
    void noMoreAreTakenThanTheLimitAllowsAndOtherQueuesAreServed() {
        bed.push("mail", "a", "b", "c");
        bed.push("low", "x", "y");

        Reply reply = exchange(worker, 10, List.of("mail", "low"));

        assertThat(Worker.payloads(reply.claimed())).containsExactly("a", "b", "x", "y");
        assertThat(reply.shut()).isEqualTo(new ClaimGate.Shut(List.of("mail"), List.of()));
        assertThat(bed.queue("mail")).containsExactly("c");
        assertThat(bed.members(PERMITS)).containsExactly("\np\n0:1:1:mail", "\np\n0:1:2:mail");
        assertThat(bed.redis.texts().hgetall("jobs:permitted:p"))
                .isEqualTo(Map.of("0:1:1:mail", "queue:mail\n", "0:1:2:mail", "queue:mail\n"));
        assertThat(exchange(other, 10, List.of("low", "mail")).shut().full()).containsExactly("mail");
        assertThat(bed.queue("mail")).containsExactly("c");
    }

    @Test
    void aRepeatedCallTakesNoMorePermits() {
        bed.push("mail", "a", "b", "c");
        Reply first = exchange(worker, 1, List.of("mail"));

        Reply again = worker.repeat(worker.last());

        assertThat(again.status()).isEqualTo(Status.REPLAY);
        assertThat(again.shut()).isNull();
        assertThat(again.claimed()).hasSameSizeAs(first.claimed());
        assertThat(bed.members(PERMITS)).hasSize(1);
    }

    @Test
    void noMoreAreTakenThanThereAreThreads() {
        worker.threads = 1;
        bed.push("mail", "a", "b");
        bed.push("low", "x");

        Reply reply = exchange(worker, 10, List.of("mail", "low"));

        assertThat(Worker.payloads(reply.claimed())).containsExactly("a", "x");
        assertThat(reply.shut().full()).as("others may take more").isEmpty();
    }

    @Test
    void whatOneJobLeavesTheSameCallTakes() {
        bed.push("mail", "a", "b", "c", "d");
        List<Claimed> two = exchange(worker, 2, List.of("mail")).claimed();

        Reply reply = exchange(worker, 1, List.of("mail"), done(worker, two.get(0)));

        assertThat(Worker.payloads(reply.claimed())).containsExactly("c");
        assertThat(reply.shut().full()).containsExactly("mail");
        assertThat(bed.members(PERMITS)).hasSize(2);
        assertThat(rang()).as("others have nothing to do").isFalse();
    }

    @Test
    void theBellRingsForWhatACallLeaves() {
        bed.push("mail", "a", "b", "c", "d");
        List<Claimed> two = exchange(worker, 2, List.of("mail")).claimed();

        exchange(worker, 0, List.of(), done(worker, two.get(0)));
        assertThat(rang()).isTrue();
        exchange(worker, 1, List.of("low"), done(worker, two.get(1)));
        assertThat(rang()).as("it was not full any more").isFalse();

        assertThat(bed.redis.texts().keys("jobs:permit*")).isEmpty();
        assertThat(exchange(other, 10, List.of("mail")).claimed()).hasSize(2);
    }

    @Test
    void theBellRingsThoughACallTakesOtherJobs() {
        bed.push("mail", "a", "b", "c");
        List<Claimed> two = exchange(worker, 2, List.of("mail")).claimed();
        bed.push("low", "x");

        exchange(worker, 1, List.of("low", "mail"), done(worker, two.get(0)));

        assertThat(rang()).isTrue();
        assertThat(bed.queue("mail")).containsExactly("c");
    }

    @Test
    void theBellKeepsNoKeyForLong() {
        bed.push("mail", "a", "b", "c");
        List<Claimed> two = exchange(worker, 2, List.of("mail")).claimed();
        exchange(worker, 0, List.of(), done(worker, two.get(0)));

        assertThat(bed.redis.texts().pttl(BELL)).isBetween(1L, 60_000L);
    }

    @Test
    void aDeadWorkersPermitsComeBackWithItsJobs() {
        bed.push("mail", "a", "b", "c");
        exchange(worker, 2, List.of("mail"));

        bed.redis.texts().zadd("jobs:beats", -1, "p");
        bed.leases().reap("p");

        assertThat(bed.redis.texts().keys("jobs:permit*")).isEmpty();
        assertThat(rang()).isTrue();
        assertThat(Worker.payloads(exchange(other, 10, List.of("mail")).claimed()))
                .containsExactlyInAnyOrder("a", "b");
    }

    /** Somebody deleted what the process held, so nothing gives its permits back. */
    @Test
    void permitsOfAProcessThatIsGoneAreDropped() {
        permits.declare(Map.of("queue:mail", LimitNumbers.atOnce(2)));
        bed.push("mail", "a", "b", "c");
        exchange(worker, 2, List.of("mail"));
        bed.redis.texts().del("jobs:in:p");
        parked.look(List.of(""), Instant.now());
        assertThat(bed.members(PERMITS)).as("of a process that is known").hasSize(2);

        bed.redis.texts().zrem("jobs:beats", "p");
        parked.look(List.of(""), Instant.now());

        assertThat(bed.members(PERMITS)).isEmpty();
        assertThat(rang()).isTrue();
    }

    @Test
    void whatPeopleSetCountsAtOnceAndRings() {
        bed.push("mail", "a", "b", "c", "d");
        exchange(worker, 2, List.of("mail"));

        assertThat(states.set("queue:mail", LimitNumbers.atOnce(3))).isTrue();

        assertThat(rang()).isTrue();
        assertThat(states.queues()).containsExactly("mail");
        assertThat(exchange(other, 10, List.of("mail")).claimed()).hasSize(1);

        states.set("queue:low", LimitNumbers.atOnce(7));
        assertThat(states.queues()).containsExactlyInAnyOrder("mail", "low");
        states.reset("queue:mail");
        assertThat(states.queues()).containsExactly("low");
        assertThat(states.forget("queue:low")).isTrue();
        assertThat(states.queues()).isEmpty();
        assertThat(bed.redis.texts().hgetall("jobs:limits")).isEqualTo(Map.of("d:queue:mail", "2"));
    }

    @Test
    void aLoweredLimitCutsOffNothing() {
        bed.push("mail", "a", "b", "c");
        List<Claimed> two = exchange(worker, 2, List.of("mail")).claimed();
        states.set("queue:mail", LimitNumbers.atOnce(1));
        rang();

        Reply reply = exchange(worker, 1, List.of("mail"), done(worker, two.get(0)));

        assertThat(reply.claimed()).isEmpty();
        assertThat(rang()).as("it is still full").isFalse();
        assertThat(exchange(worker, 1, List.of("mail"), done(worker, two.get(1)))
                        .claimed())
                .hasSize(1);
    }

    /** A worker whose configuration has no limit knows only that people set one, or that others declare one. */
    @Test
    void aWorkerWithoutANumberTakesThatOfOthers() {
        Worker third = limited("r", null);
        bed.push("mail", "a", "b", "c", "d", "e");
        assertThat(exchange(third, 1, List.of("mail")).claimed())
                .as("nobody knows a number")
                .hasSize(1);
        assertThat(bed.redis.texts().keys("jobs:permit*")).isEmpty();

        exchange(worker, 1, List.of("mail"));

        assertThat(exchange(third, 5, List.of("mail")).claimed()).hasSize(1);
        assertThat(bed.redis.texts().hget("jobs:limits", "d:queue:mail")).isEqualTo("2");
        assertThat(bed.redis.texts().zscore("jobs:wake", "")).isZero();
    }

    @Test
    void aJobThatIsParkedAtItsOwnLimitGivesThePermitOfItsQueueBack() {
        JobLimit shop = new JobLimit("shop", "5", LimitNumbers.atOnce(1));
        bed.push("mail", "a", "b", "c");
        List<Claimed> two = exchange(worker, 2, List.of("mail")).claimed();
        List<Asking> asking = two.stream()
                .map(job ->
                        new Asking(job.token(), "mail", 1L, List.of(shop), effects.of("p", "mail", List.of(OF_MAIL))))
                .toList();

        assertThat(permits.admit("p", asking)).contains(List.of(Answer.ADMITTED, Answer.PARKED));
        assertThat(permits.admit("p", asking)).contains(List.of(Answer.ADMITTED, Answer.GONE));

        assertThat(rang()).isTrue();
        assertThat(bed.members(PERMITS)).containsExactly("\np\n0:1:1:mail");
        assertThat(bed.redis.texts().hgetall("jobs:permitted:p"))
                .isEqualTo(Map.of("0:1:1:mail", "queue:mail\n\nshop\n5"));
        assertThat(Worker.payloads(exchange(other, 1, List.of("mail")).claimed()))
                .containsExactly("c");
    }

    @Test
    void aJobThatGoesOnAtItsOwnLimitHasThePermitOfItsQueueAsWell() {
        JobLimit shop = new JobLimit("shop", "5", LimitNumbers.atOnce(1));
        bed.push("mail", "a", "b");
        List<Claimed> two = exchange(worker, 2, List.of("mail")).claimed();
        permits.admit(
                "p",
                two.stream()
                        .map(job -> new Asking(
                                job.token(), "mail", 1L, List.of(shop), effects.of("p", "mail", List.of(OF_MAIL))))
                        .toList());

        Claimed job = two.get(0);
        Reply reply = exchange(
                worker,
                1,
                List.of("mail"),
                Settlement.done(job.token()).with(effects.of("p", "mail", List.of(shop, OF_MAIL))));

        assertThat(reply.claimed()).hasSize(1);
        Claimed next = reply.claimed().get(0);
        assertThat(next.permit()).isEqualTo("shop\n5");
        assertThat(bed.redis.texts().hgetall("jobs:permitted:p"))
                .isEqualTo(Map.of(next.token(), "queue:mail\n\nshop\n5"));
        assertThat(bed.members(PERMITS)).containsExactly("\np\n" + next.token());

        bed.redis.texts().zadd("jobs:beats", -1, "p");
        bed.leases().reap("p");
        assertThat(bed.redis.texts().keys("jobs:permit*")).isEmpty();
    }

    @Test
    void howeverAJobLeavesItsPermitIsFree() {
        bed.push("mail", "a", "b", "c", "d", "e", "f");
        states.set("queue:mail", LimitNumbers.atOnce(6));
        List<Claimed> all = exchange(worker, 6, List.of("mail")).claimed();
        List<Settlement> ends = List.of(
                Settlement.done(all.get(0).token()),
                Settlement.failed(all.get(1).token()),
                Settlement.retried(
                        all.get(2).token(), Duration.ofDays(1), all.get(2).payload()),
                Settlement.postponed(
                        all.get(3).token(), Duration.ofDays(1), all.get(3).payload()),
                Settlement.handedBack(all.get(4).token(), "mail", true),
                Settlement.interrupted(all.get(5).token(), "mail", all.get(5).payload()));
        for (int i = 0; i < ends.size(); i++) {
            exchange(worker, 0, List.of(), ends.get(i).with(effects.of("p", "mail", List.of(OF_MAIL))));
            assertThat(bed.members(PERMITS)).hasSize(5 - i);
        }
        assertThat(bed.redis.texts().keys("jobs:permit*")).isEmpty();
    }

    @Test
    void aKeyOfTheWrongTypeKeepsOnlyThatQueueBack() {
        bed.redis.texts().set(PERMITS, "text");
        bed.push("mail", "a");
        bed.push("low", "x");

        Reply reply = exchange(worker, 10, List.of("mail", "low"));

        assertThat(Worker.payloads(reply.claimed())).containsExactly("x");
        assertThat(reply.shut()).isEqualTo(new ClaimGate.Shut(List.of(), List.of("mail")));
        assertThat(bed.queue("mail")).containsExactly("a");
    }

    @Test
    void aFullRedisStillGivesAndTakesPermits() {
        bed.push("mail", "a", "b", "c");
        List<Claimed> two = exchange(worker, 2, List.of("mail")).claimed();
        bed.fill();
        try {
            assertThat(exchange(worker, 1, List.of("mail"), done(worker, two.get(0)))
                            .claimed())
                    .hasSize(1);
            assertThat(bed.members(PERMITS)).hasSize(2);
        } finally {
            bed.drain();
        }
    }
}
