package dev.jobs.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.redis.JobClaims.Claimed;
import dev.jobs.redis.Permits.Answer;
import dev.jobs.redis.Permits.Asking;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How jobs are parked at limits and go on. */
class PermitsIT {

    private static final JobLimit SHOP = new JobLimit("shop", "5", 2);
    private static final JobLimit ERP = new JobLimit("erp", "", 1);

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    private final Permits permits = new Permits(bed.connection, bed.keys);
    private final PermitEffects effects = new PermitEffects(bed.keys);
    private final ParkedJobs parked = new ParkedJobs(bed.connection, bed.keys);
    private Worker worker;

    @BeforeEach
    void join() {
        bed.clear();
        worker = bed.worker("p").join();
    }

    private List<Answer> ask(List<Claimed> jobs, JobLimit... limits) {
        return permits.admit(
                        "p",
                        jobs.stream()
                                .map(job -> new Asking(job.token(), job.queue(), 1, List.of(limits), List.of()))
                                .toList())
                .orElseThrow();
    }

    private Settlement done(Claimed job, JobLimit... limits) {
        return Settlement.done(job.token()).with(effects.of("p", job.token(), job.queue(), List.of(limits)));
    }

    @Test
    void noMoreJobsGoOnThanThereAreFreePermits() {
        bed.push("mail", "a", "b", "c", "d", "e");
        List<Claimed> jobs = worker.take(5, "mail");
        assertThat(ask(jobs, SHOP))
                .containsExactly(Answer.ADMITTED, Answer.ADMITTED, Answer.PARKED, Answer.PARKED, Answer.PARKED);
        bed.redis.texts().zrem("jobs:permits:shop", "5\np\n" + jobs.get(0).token());

        parked.look(List.of("shop\n5"), Instant.now());

        assertThat(bed.queue("mail")).containsExactly("c");
        assertThat(bed.members("jobs:parked:shop")).hasSize(2);
        assertThat(bed.redis.texts().zscore("jobs:wake", "shop\n5")).isGreaterThan(bed.now());
    }

    /** Somebody deleted what the process held, so nothing gives its permit back. */
    @Test
    void aPermitOfAProcessThatIsGoneIsDropped() {
        bed.push("mail", "a", "b");
        ask(worker.take(2, "mail"), ERP);
        bed.redis.texts().del("jobs:in:p");
        parked.look(List.of(""), Instant.now());
        assertThat(bed.members("jobs:permits:erp"))
                .as("of a process that is known")
                .hasSize(1);

        bed.redis.texts().zrem("jobs:beats", "p");
        parked.look(List.of(""), Instant.now());
        parked.look(List.of("erp\n"), Instant.now());

        assertThat(bed.members("jobs:permits:erp")).isEmpty();
        assertThat(bed.queue("mail")).containsExactly("b");
    }

    @Test
    void severalGoOnInTheirOrder() {
        bed.push("mail", "a", "b", "c", "d", "e");
        ask(worker.take(5, "mail"), SHOP);
        bed.redis.texts().del("jobs:permits:shop");

        parked.look(List.of("shop\n5"), Instant.now());

        assertThat(bed.queue("mail")).containsExactly("c", "d");
    }

    private void park(String queue, int time, String job) {
        bed.redis.texts().zadd("jobs:parked:erp", 0, String.format("\n%016d\n%s\n1\n%s", time, queue, job));
    }

    @Test
    void aPausedQueueHoldsUpNoOther() {
        bed.redis.texts().hset("jobs:limits", "s:erp", "2");
        for (int i = 0; i < 99; i++) {
            park("paused", i, "p" + i);
        }
        park("mail", 100, "a");
        park("low", 101, "b");
        bed.redis.texts().sadd("paused", "paused");

        parked.look(List.of("erp\n"), Instant.now());

        assertThat(bed.queue("mail")).containsExactly("a");
        assertThat(bed.queue("paused")).isEmpty();
        assertThat(bed.members("jobs:parked:erp"))
                .as("b is behind the first 100")
                .hasSize(100);

        bed.redis.texts().zadd("jobs:wake", bed.now() + 60, "");
        assertThat(new JobQueues(bed.connection, bed.keys).resume("paused")).isTrue();
        parked.look(bed.sets().due(10).limits(), Instant.now());
        parked.look(bed.sets().due(10).limits(), Instant.now());

        assertThat(bed.queue("paused")).containsExactly("p0", "p1");
    }

    @Test
    void aPermitOfAJobOfAPausedQueueGoesToAnotherQueue() {
        bed.push("mail", "a", "b");
        List<Claimed> jobs = worker.take(2, "mail");
        ask(jobs, ERP);
        park("low", 2, "c");
        bed.redis.texts().sadd("paused", "mail");

        worker.settle(done(jobs.get(0), ERP));
        assertThat(bed.queue("mail")).isEmpty();
        parked.look(bed.sets().due(10).limits(), Instant.now());

        assertThat(bed.queue("low")).containsExactly("c");
        assertThat(bed.queue("mail")).isEmpty();
    }

    @Test
    void aJobThatWaitsElsewhereLeavesItsPlaceToOthersAtOnce() {
        bed.push("mail", "a", "b", "c");
        List<Claimed> jobs = worker.take(3, "mail");
        assertThat(ask(jobs.subList(0, 1), ERP)).containsExactly(Answer.ADMITTED);
        JobLimit single = new JobLimit("single", "", 1);
        bed.redis.texts().zadd("jobs:parked:single", 0, "\n0000000000000001\nmail\n1\nwaits");

        assertThat(ask(jobs.subList(1, 2), single, ERP)).containsExactly(Answer.PARKED);

        assertThat(bed.redis.texts().zscore("jobs:wake", "single\n")).isZero();
    }

    @Test
    void equalBytesAreTwoJobs() {
        bed.push("mail", "a", "same", "same");
        List<Claimed> jobs = worker.take(3, "mail");

        assertThat(ask(jobs, ERP)).containsExactly(Answer.ADMITTED, Answer.PARKED, Answer.PARKED);

        assertThat(bed.members("jobs:parked:erp")).hasSize(2);
    }

    @Test
    void theSameCallGivesThePermitToTheNextJob() {
        bed.push("mail", "a", "b");
        List<Claimed> jobs = worker.take(2, "mail");
        ask(jobs, ERP);

        List<Claimed> next = worker.exchange(0, 1, 0, List.of("mail"), List.of(done(jobs.get(0), ERP)))
                .claimed();

        assertThat(next).singleElement().satisfies(job -> assertThat(job.place() != null)
                .isTrue());
        assertThat(bed.members("jobs:permits:erp"))
                .containsExactly("\np\n" + next.get(0).token());
        assertThat(worker.repeat(worker.last()).claimed())
                .singleElement()
                .satisfies(job -> assertThat(job.place() != null).isFalse());
        assertThat(ask(next, ERP)).containsExactly(Answer.ADMITTED);
        assertThat(bed.members("jobs:permits:erp")).hasSize(1);
        assertThat(bed.books().conservationError()).isZero();
    }

    /** Of two that end, each lets one of two equal jobs go on: the claim knows them apart by their bytes only. */
    @Test
    void equalBytesAreHandedOverOnceAndTheOtherIsLookedAtLater() {
        bed.push("mail", "a", "b", "same", "same");
        List<Claimed> jobs = worker.take(4, "mail");
        assertThat(ask(jobs, SHOP)).containsExactly(Answer.ADMITTED, Answer.ADMITTED, Answer.PARKED, Answer.PARKED);

        List<Claimed> next = worker.exchange(
                        0, 1, 0, List.of("mail"), List.of(done(jobs.get(0), SHOP), done(jobs.get(1), SHOP)))
                .claimed();

        assertThat(next).singleElement().satisfies(job -> assertThat(job.place())
                .isEqualTo("shop\n5"));
        assertThat(bed.queue("mail")).containsExactly("same");
        assertThat(bed.redis.texts().zscore("jobs:wake", "shop\n5")).isGreaterThan(bed.now());
    }

    @Test
    void aProcessThatWasGivenUpGetsNone() {
        bed.push("mail", "a");
        List<Claimed> jobs = worker.take(1, "mail");
        bed.redis.texts().zadd("jobs:beats", -1, "p");

        assertThat(permits.admit("p", List.of(new Asking(jobs.get(0).token(), "mail", 1, List.of(ERP), List.of()))))
                .isEmpty();
        assertThat(bed.redis.texts().keys("jobs:permit*")).isEmpty();
    }

    @Test
    void aBrokenKeyKeepsTheJobWhereItIs() {
        bed.push("mail", "a");
        List<Claimed> jobs = worker.take(1, "mail");
        bed.redis.texts().set("jobs:parked:erp", "x");

        assertThat(ask(jobs, ERP)).containsExactly(Answer.BROKEN);

        assertThat(bed.inFlight("p")).hasSize(1);
    }

    @Test
    void aFullRedisParksAndReleases() {
        bed.push("mail", "a", "b");
        List<Claimed> jobs = worker.take(2, "mail");
        bed.fill();
        try {
            assertThat(ask(jobs, ERP)).containsExactly(Answer.ADMITTED, Answer.PARKED);
            assertThat(worker.settle(done(jobs.get(0), ERP)).moves()).containsExactly(1);
        } finally {
            bed.drain();
        }
        assertThat(bed.queue("mail")).containsExactly("b");
        assertThat(bed.redis.texts().keys("jobs:permit*")).isEmpty();
    }
}
