package dev.jobs.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.limits.Permits.Answer;
import dev.jobs.limits.Permits.Asking;
import dev.jobs.redis.Bytes;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.Settlement;
import dev.jobs.store.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** How jobs are parked at limits of how many run at once, and go on. */
class PermitsIT extends PermitTestBed {

    @AutoClose
    @RegisterExtension
    static final ScriptTestBed bed = new ScriptTestBed();

    PermitsIT() {
        super(bed);
    }

    /** Only people said how many may run, and take it back. */
    @Test
    void jobsOfALimitThatIsNoMoreGoOn() {
        JobLimit called = new JobLimit("called", "", null);
        LimitStates states = new LimitStates(bed.connection, bed.keys);
        states.set("called", LimitNumbers.atOnce(1));
        bed.push("mail", "a", "b", "c");
        List<Claimed> jobs = worker.take(3, "mail");
        assertThat(ask(jobs, called)).containsExactly(Answer.ADMITTED, Answer.PARKED, Answer.PARKED);

        assertThat(states.reset("called")).isTrue();
        worker.settle(done(jobs.get(0), called));
        parked.look(bed.sets().due(10).looks(), Instant.now());
        parked.look(bed.sets().due(10).looks(), Instant.now());

        assertThat(bed.members("jobs:parked:called")).isEmpty();
        assertThat(bed.queue("mail")).containsExactlyInAnyOrder("b", "c");
        assertThat(states.forget("called")).isTrue();
        assertThat(states.names()).isEmpty();
    }

    /** Those of scripts included. */
    private static long commands(Runnable call) {
        long before = commands();
        call.run();
        return commands() - before;
    }

    private static long commands() {
        return bed.redis
                .texts()
                .info("commandstats")
                .lines()
                .filter(line -> line.contains("calls=") && !line.startsWith("cmdstat_info"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^=]*calls=(\\d+),.*", "$1")))
                .sum();
    }

    /** A limit that isn't full must not cost several commands for each job. */
    @Test
    void aHundredJobsShareCommands() {
        JobLimit wide =
                new JobLimit("wide", "", new LimitNumbers(1_000, new LimitRate(1_000, Duration.ofHours(1), 1_000)));
        bed.push("mail", IntStream.range(0, 100).mapToObj(i -> "job " + i).toArray(String[]::new));
        List<Claimed> jobs = worker.take(100, "mail");

        assertThat(commands(() -> assertThat(ask(jobs, wide)).containsOnly(Answer.ADMITTED)))
                .isLessThan(25);
        assertThat(bed.members("jobs:permits:wide")).hasSize(100);
        List<Settlement> ends = jobs.stream().map(job -> done(job, wide)).toList();
        assertThat(commands(() -> worker.settle(ends.toArray(Settlement[]::new))))
                .as("one for each job, which tells whether it came too late")
                .isBetween(100L, 125L);

        assertThat(bed.redis.texts().keys("jobs:permit*")).isEmpty();
    }

    @Test
    void jobsOfSeveralKeysThatEndTogetherLetTheirOwnKeysGoOn() {
        JobLimit other = new JobLimit("shop", "6", LimitNumbers.atOnce(2));
        bed.push("mail", "a5", "a6", "b5", "b6", "c5", "c6", "d5", "d6");
        List<Claimed> jobs = worker.take(8, "mail");
        for (Claimed job : jobs) {
            ask(List.of(job), ScriptTestBed.text(job.payload()).endsWith("5") ? SHOP : other);
        }
        assertThat(bed.members("jobs:parked:shop")).hasSize(4);
        Settlement first = done(jobs.get(0), SHOP);

        worker.settle(first, done(jobs.get(1), other), done(jobs.get(2), SHOP), first);

        assertThat(bed.queue("mail")).containsExactlyInAnyOrder("c5", "d5", "c6");
        assertThat(bed.members("jobs:permits:shop")).hasSize(1);
    }

    /** As those of a bulk call are. */
    @Test
    void jobsOfOneMillisecondGoOnInTheOrderInWhichTheyWereParked() {
        List<String> pushed = jobs(0, 25).stream()
                .sorted(Comparator.comparing(
                        job -> new StringBuilder(job).reverse().toString()))
                .toList();
        bed.push("mail", pushed.toArray(String[]::new));
        ask(worker.take(13, "mail"), ERP);
        ask(worker.take(12, "mail"), ERP);
        LimitStates states = new LimitStates(bed.connection, bed.keys);
        assertThat(states.waiting("erp", "", 0, 100).items())
                .extracting(job -> Bytes.text(job.payload()))
                .containsExactlyElementsOf(pushed.subList(1, 25));
        bed.redis.texts().hset("jobs:limits", "s:erp", "25");

        parked.look(List.of("erp\n"), Instant.now());

        assertThat(bed.queue("mail")).containsExactlyElementsOf(pushed.subList(1, 25));
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
        parked.look(bed.sets().due(10).looks(), Instant.now());

        assertThat(bed.queue("low")).containsExactly("c");
        assertThat(bed.queue("mail")).isEmpty();
    }

    @Test
    void aJobThatWaitsElsewhereLeavesItsPlaceToOthersAtOnce() {
        bed.push("mail", "a", "b", "c");
        List<Claimed> jobs = worker.take(3, "mail");
        assertThat(ask(jobs.subList(0, 1), ERP)).containsExactly(Answer.ADMITTED);
        JobLimit single = new JobLimit("single", "", LimitNumbers.atOnce(1));
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

        assertThat(next).singleElement().satisfies(job -> assertThat(job.permit() != null)
                .isTrue());
        assertThat(bed.members("jobs:permits:erp"))
                .containsExactly("\np\n" + next.get(0).token());
        assertThat(worker.repeat(worker.last()).claimed())
                .singleElement()
                .satisfies(job -> assertThat(job.permit() != null).isFalse());
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

        assertThat(next).singleElement().satisfies(job -> assertThat(job.permit())
                .isEqualTo("shop\n5"));
        assertThat(bed.queue("mail")).containsExactly("same");
        assertThat(bed.redis.texts().zscore("jobs:wake", "shop\n5")).isGreaterThan(bed.now());
    }

    @Test
    void howeverAJobLeavesTheNextOneGoesOn() {
        bed.push("mail", "a", "b", "c", "d", "e", "f", "g", "h");
        JobLimit many = new JobLimit("many", "", LimitNumbers.atOnce(8));
        List<Claimed> all = worker.take(8, "mail");
        ask(all, many);
        bed.push("mail", jobs(0, 8).toArray(String[]::new));
        ask(worker.take(8, "mail"), many);
        assertThat(bed.members("jobs:parked:many")).hasSize(8);
        List<Settlement> ends = List.of(
                Settlement.done(all.get(0).token()),
                Settlement.failed(all.get(1).token()),
                Settlement.discarded(all.get(2).token()),
                Settlement.skipped(all.get(3).token()),
                Settlement.dead(all.get(4).token(), all.get(4).payload(), true),
                Settlement.retried(
                        all.get(5).token(), Duration.ofDays(1), all.get(5).payload()),
                Settlement.postponed(
                        all.get(6).token(), Duration.ofDays(1), all.get(6).payload()),
                Settlement.handedBack(all.get(7).token(), "low", true));
        for (int i = 0; i < ends.size(); i++) {
            worker.settle(ends.get(i).with(effects.of("p", "mail", List.of(many))));
            assertThat(bed.members("jobs:permits:many")).hasSize(7 - i);
            assertThat(bed.queue("mail")).as("after %s", ends.get(i).kind()).hasSize(i + 1);
        }
        assertThat(bed.redis.texts().keys("jobs:permit*")).isEmpty();
        assertThat(bed.members("jobs:parked:many")).isEmpty();
    }

    @Test
    void thePermitsOfADeadProcessAreFreeWithItsJobs() {
        Worker dead = bed.worker("dead").join();
        bed.push("mail", "a", "b");
        List<Claimed> taken = dead.take(1, "mail");
        permits.admit("dead", List.of(new Asking(taken.get(0).token(), "mail", 1L, List.of(ERP), List.of())));
        assertThat(ask(worker.take(1, "mail"), ERP)).containsExactly(Answer.PARKED);

        bed.redis.texts().zadd("jobs:beats", -1, "dead");
        bed.leases().reap("dead");

        assertThat(bed.redis.texts().keys("jobs:permit*")).isEmpty();
        parked.look(bed.sets().due(10).looks(), Instant.now());
        assertThat(bed.queue("mail")).containsExactlyInAnyOrder("a", "b");
    }

    /** Nobody asks for the permit that was left to it, so the leader looks again. */
    @Test
    void aDeletedJobThatWasToGoOnKeepsNoOtherWaiting() {
        bed.push("mail", "a", "lost", "next");
        List<Claimed> jobs = worker.take(3, "mail");
        ask(jobs, ERP);
        worker.settle(done(jobs.get(0), ERP));
        assertThat(bed.queue("mail")).containsExactly("lost");
        bed.redis.texts().del("queue:mail");
        parked.look(bed.sets().due(10).looks(), Instant.now());
        assertThat(bed.queue("mail")).as("too early").isEmpty();

        bed.redis.texts().zincrby("jobs:wake", -6, "erp\n");
        parked.look(bed.sets().due(10).looks(), Instant.now());

        assertThat(bed.queue("mail")).containsExactly("next");
    }

    @Test
    void aProcessThatWasGivenUpGetsNone() {
        bed.push("mail", "a");
        List<Claimed> jobs = worker.take(1, "mail");
        bed.redis.texts().zadd("jobs:beats", -1, "p");

        assertThat(permits.admit("p", List.of(new Asking(jobs.get(0).token(), "mail", 1L, List.of(ERP), List.of()))))
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
        JobLimit api = rated("api", 1, Duration.ofHours(1), 2);
        bed.push("mail", "a", "b");
        List<Claimed> jobs = worker.take(2, "mail");
        bed.fill();
        try {
            assertThat(ask(jobs, api, ERP)).containsExactly(Answer.ADMITTED, Answer.PARKED);
            assertThat(worker.settle(done(jobs.get(0), api, ERP)).moves()).containsExactly(1);
        } finally {
            bed.drain();
        }
        assertThat(bed.queue("mail")).containsExactly("b");
        assertThat(bed.redis.texts().keys("jobs:permit*")).isEmpty();
    }
}
