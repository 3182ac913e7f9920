package dev.jobs.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.limits.Permits.Answer;
import dev.jobs.limits.Permits.Asking;
import dev.jobs.lists.JobQueues;
import dev.jobs.proof.LongTest;
import dev.jobs.store.Effect;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.Settlement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How jobs are parked at limits of how many start in a time, and go on. */
class RatesIT extends PermitTestBed {

    @AutoClose
    @RegisterExtension
    static final ScriptTestBed bed = new ScriptTestBed();

    RatesIT() {
        super(bed);
    }

    @Test
    void aBurstStartsAtOnceAndOthersAtTheirTime() {
        JobLimit api = rated("api", 1, Duration.ofHours(1), 2);
        bed.push("mail", "a", "b", "c", "d", "e");
        double before = bed.now();
        assertThat(ask(worker.take(5, "mail"), api))
                .containsExactly(Answer.ADMITTED, Answer.ADMITTED, Answer.PARKED, Answer.PARKED, Answer.PARKED);
        assertThat(wake("api\n")).isBetween(before + 3_599.9, bed.now() + 3_600);
        parked.look(bed.sets().due(10).looks(), Instant.now());
        parked.look(List.of("api\n"), Instant.now());
        assertThat(bed.queue("mail")).as("it is too early").isEmpty();

        pass("api\n", Duration.ofHours(1));
        double looked = bed.now();
        parked.look(bed.sets().due(10).looks(), Instant.now());

        assertThat(bed.queue("mail")).containsExactly("c");
        assertThat(wake("api\n")).as("in case c is lost").isBetween(looked + 4, bed.now() + 6);
        assertThat(ask(worker.take(5, "mail"), api)).containsExactly(Answer.ADMITTED);
        bed.redis.texts().zadd("jobs:wake", 1, "api\n");
        parked.look(bed.sets().due(10).looks(), Instant.now());
        assertThat(bed.queue("mail")).isEmpty();
        assertThat(wake("api\n")).isGreaterThan(bed.now() + 3_000);
    }

    @Test
    void asManyGoOnAsMayStart() {
        JobLimit api = rated("api", 1, Duration.ofHours(1), 3);
        bed.push("mail", "1", "2", "3", "a", "b", "c", "d", "e");
        ask(worker.take(8, "mail"), api);

        pass("api\n", Duration.ofMinutes(125)); // two, and a little
        parked.look(bed.sets().due(10).looks(), Instant.now());
        assertThat(bed.queue("mail")).containsExactly("a", "b");

        pass("api\n", Duration.ofHours(9)); // no more than a burst
        parked.look(bed.sets().due(10).looks(), Instant.now());
        assertThat(bed.queue("mail")).containsExactly("c", "d", "e", "a", "b");
    }

    /** Those that were moved have not started yet: the next look is only for the time since. */
    @Test
    void aLookDoesNotMoveJobsForATimeForWhichOthersWereMoved() {
        JobLimit api = rated("api", 10, Duration.ofMinutes(1), 5);
        bed.push("mail", "1", "2", "3", "4", "5", "a", "b", "c", "d", "e");
        ask(worker.take(10, "mail"), api);
        bed.redis.texts().hset("jobs:rate", "api\n", Long.toString((long) (bed.now() * 1e6) - 13_000_000));
        bed.redis.texts().zadd("jobs:wake", bed.now() - 13, "api\n");
        parked.look(bed.sets().due(10).looks(), Instant.now());
        assertThat(bed.queue("mail")).containsExactly("a", "b", "c");

        bed.redis.texts().zadd("jobs:wake", bed.now() - 0.01, "api\n");
        parked.look(bed.sets().due(10).looks(), Instant.now());

        assertThat(bed.queue("mail")).containsExactly("d", "a", "b", "c");
    }

    /** It can't tell that apart from a job that somebody deleted, whose start must not take an hour longer. */
    @Test
    void aLookSecondsLaterMovesOneMoreForAStartThatIsNotTaken() {
        JobLimit api = rated("api", 1, Duration.ofHours(1), 1);
        bed.push("mail", "1", "a", "b", "c");
        ask(worker.take(4, "mail"), api);
        parked.look(bed.sets().due(10).looks(), Instant.now()); // at all keys, for the next minute
        pass("api\n", Duration.ofHours(1));
        parked.look(bed.sets().due(10).looks(), Instant.now());
        assertThat(bed.queue("mail")).containsExactly("a");
        assertThat(bed.sets().due(10).looks()).as("not before some seconds").isEmpty();

        assertThat(wake("api\n")).isLessThan(bed.now() + 6);
        bed.redis.texts().zadd("jobs:wake", bed.now(), "api\n");
        parked.look(bed.sets().due(10).looks(), Instant.now());

        assertThat(bed.queue("mail")).containsExactly("b", "a");
        assertThat(ask(worker.take(2, "mail"), api)).containsExactly(Answer.ADMITTED, Answer.PARKED);
        bed.redis.texts().zadd("jobs:wake", bed.now(), "api\n");
        parked.look(bed.sets().due(10).looks(), Instant.now());
        assertThat(bed.queue("mail")).as("one has started").isEmpty();
        assertThat(wake("api\n")).isGreaterThan(bed.now() + 3_000);
    }

    /** Else the second one would be before the first in the queue, and take its start. */
    @Test
    void theLookAtAllKeysMovesNoneForAStartForWhichOneWasJustMoved() {
        JobLimit api = rated("api", 1, Duration.ofHours(1), 1);
        bed.push("mail", "1", "a", "b");
        ask(worker.take(3, "mail"), api);
        parked.look(List.of(""), Instant.now());
        pass("api\n", Duration.ofHours(1));

        parked.look(List.of("api\n", ""), Instant.now().plusSeconds(61));
        parked.look(bed.sets().due(10).looks(), Instant.now());

        assertThat(bed.queue("mail")).containsExactly("a");
        assertThat(wake("api\n")).as("in case a is lost").isLessThan(bed.now() + 6);

        new JobQueues(bed.connection, bed.keys).lookAtAll();
        parked.look(bed.sets().due(10).looks(), Instant.now());
        parked.look(bed.sets().due(10).looks(), Instant.now());
        assertThat(bed.queue("mail")).as("somebody asked").containsExactly("b", "a");
    }

    @Test
    void jobsDoNotStayParkedWhenTheClockIsSetBackByADay() {
        JobLimit api = rated("api", 1, Duration.ofMinutes(1), 1);
        bed.push("mail", "1", "a");
        ask(worker.take(2, "mail"), api);
        parked.look(bed.sets().due(10).looks(), Instant.now());
        assertThat(bed.sets().due(10).looks()).as("what is due is done").isEmpty();
        bed.redis.texts().hset("jobs:rate", "api\n", Long.toString((long) ((bed.now() + 86_400) * 1e6)));
        bed.redis.texts().zincrby("jobs:wake", 86_400, "api\n");
        bed.redis.texts().zincrby("jobs:wake", 86_400, "");

        parked.look(bed.sets().due(10).looks(), Instant.now());
        parked.look(bed.sets().due(10).looks(), Instant.now());

        assertThat(bed.queue("mail")).containsExactly("a");
        assertThat(bed.sets().due(10).looks()).isEmpty();
    }

    /** It comes before the leader has looked, or before what the leader moved has started. */
    @Test
    void aNewerJobTakesNoStartFromAParkedOne() {
        JobLimit api = rated("api", 1, Duration.ofHours(1), 1);
        bed.push("mail", "a", "old", "next");
        ask(worker.take(3, "mail"), api);
        pass("api\n", Duration.ofHours(1));

        bed.push("mail", "new");
        Claimed late = worker.takeOne("mail");
        assertThat(permits.admit("p", List.of(new Asking(late.token(), "mail", 2L, List.of(api), List.of()))))
                .contains(List.of(Answer.PARKED));
        parked.look(bed.sets().due(10).looks(), Instant.now());

        Claimed moved = worker.takeOne("mail");
        assertThat(ScriptTestBed.text(moved.payload())).isEqualTo("old");
        bed.push("mail", "newest");
        assertThat(permits.admit(
                        "p", List.of(new Asking(worker.takeOne("mail").token(), "mail", 2L, List.of(api), List.of()))))
                .contains(List.of(Answer.PARKED));
        assertThat(ask(List.of(moved), api)).containsExactly(Answer.ADMITTED);
    }

    /** Jobs wait at a hundred keys, and those of a paused queue are passed by. */
    @LongTest
    @ParameterizedTest
    @ValueSource(strings = {"paused", "mail"})
    void askingReadsFewOfTheParkedJobs(String queue) {
        String ballast = "x".repeat(100_000);
        bed.redis.texts().sadd("paused", "paused");
        for (int key = 0; key < 100; key++) {
            for (int job = 0; job < 10; job++) {
                String member = String.format("%d\n%016d\n%s\n1\n", key, job, queue);
                bed.redis.texts().zadd("jobs:parked:api", 0, member + job + ballast);
            }
            bed.redis.texts().zadd("jobs:wake", 1, "api\n" + key);
        }
        bed.push("mail", IntStream.range(0, 100).mapToObj(i -> "job " + i).toArray(String[]::new));
        LimitNumbers rate = new LimitNumbers(null, new LimitRate(9, Duration.ofHours(1), 9));
        List<Asking> asking = new ArrayList<>();
        for (Claimed job : worker.take(100, "mail")) {
            List<JobLimit> limit = List.of(new JobLimit("api", String.valueOf(asking.size()), rate));
            asking.add(new Asking(job.token(), "mail", 20L, limit, List.of()));
        }
        bed.redis.texts().configResetstat();

        List<Answer> answers = permits.admit("p", asking).orElseThrow();

        assertThat(bed.redis.texts().info("commandstats")).as("a megabyte").contains("cmdstat_zrangebylex:calls=11,");
        assertThat(answers.get(0)).isEqualTo(queue.equals("paused") ? Answer.ADMITTED : Answer.PARKED);
    }

    @Test
    void aJobWithoutATimeTakesItsTurn() {
        JobLimit api = rated("api", 1, Duration.ofHours(1), 1);
        bed.push("mail", "a", "b", "c");
        List<Claimed> jobs = worker.take(3, "mail");
        for (Claimed job : jobs) {
            permits.admit("p", List.of(new Asking(job.token(), "mail", null, List.of(api), List.of())));
        }
        assertThat(bed.members("jobs:parked:api")).hasSize(2);
        pass("api\n", Duration.ofHours(1));
        parked.look(bed.sets().due(10).looks(), Instant.now());

        Claimed next = worker.takeOne("mail");

        assertThat(ScriptTestBed.text(next.payload())).isEqualTo("b");
        assertThat(permits.admit("p", List.of(new Asking(next.token(), "mail", null, List.of(api), List.of()))))
                .contains(List.of(Answer.ADMITTED));
    }

    @Test
    void aRepeatedCallIsOneStart() {
        JobLimit api = rated("api", 1, Duration.ofHours(1), 2);
        bed.push("mail", "a", "b");
        List<Claimed> jobs = worker.take(2, "mail");
        ask(jobs.subList(0, 1), api);

        assertThat(ask(jobs, api)).containsExactly(Answer.ADMITTED, Answer.ADMITTED);
    }

    private Map<Integer, Effect> startsOf(List<Claimed> jobs, JobLimit limit) {
        Map<Integer, Effect> starts = new HashMap<>();
        List<Asking> asking = jobs.stream()
                .map(job -> new Asking(job.token(), job.queue(), 1L, List.of(limit), List.of()))
                .toList();
        assertThat(permits.admit("p", asking, starts::put).orElseThrow()).containsOnly(Answer.ADMITTED);
        return starts;
    }

    private Settlement back(Claimed job, Effect start, JobLimit limit) {
        List<Effect> all = new ArrayList<>(List.of(start));
        all.addAll(effects.of("p", job.queue(), List.of(limit)));
        return Settlement.handedBack(job.token(), job.queue(), false).with(all);
    }

    @Test
    void jobsThatGoBackBeforeTheyBeganGiveTheirStartsBackTheNewestFirst() {
        JobLimit api = rated("api", 1, Duration.ofHours(1), 2);
        bed.push("mail", "a", "b", "c");
        List<Claimed> jobs = worker.take(2, "mail");
        Map<Integer, Effect> starts = startsOf(jobs, api);

        worker.settle(back(jobs.get(1), starts.get(1), api), back(jobs.get(0), starts.get(0), api));

        assertThat(ask(worker.take(3, "mail"), api)).containsExactly(Answer.ADMITTED, Answer.ADMITTED, Answer.PARKED);
    }

    @Test
    void aStartStaysUsedUpOnceAnotherOneWasTaken() {
        JobLimit api = rated("api", 1, Duration.ofHours(1), 2);
        bed.push("mail", "a", "b");
        List<Claimed> jobs = worker.take(2, "mail");
        Effect start = startsOf(jobs.subList(0, 1), api).get(0);
        ask(jobs.subList(1, 2), api);

        worker.settle(back(jobs.get(0), start, api));

        assertThat(ask(worker.take(1, "mail"), api)).containsExactly(Answer.PARKED);
    }

    @Test
    void aRepeatedCallTellsOfNoStart() {
        JobLimit api = rated("api", 1, Duration.ofHours(1), 2);
        bed.push("mail", "a");
        List<Claimed> jobs = worker.take(1, "mail");

        assertThat(startsOf(jobs, api)).hasSize(1);
        assertThat(startsOf(jobs, api)).isEmpty();
    }

    @Test
    void aStartThatCannotBeGivenBackKeepsNoJob() {
        JobLimit api = rated("api", 1, Duration.ofHours(1), 2);
        bed.push("mail", "a");
        List<Claimed> jobs = worker.take(1, "mail");
        Effect start = startsOf(jobs, api).get(0);
        bed.redis.texts().del("jobs:rate");
        bed.redis.texts().set("jobs:rate", "x");

        assertThat(worker.settle(back(jobs.get(0), start, api)).moves()).containsExactly(1);

        assertThat(bed.queue("mail")).containsExactly("a");
        assertThat(bed.redis.texts().get("jobs:rate")).isEqualTo("x");
    }

    @Test
    void noStartIsTakenUnlessAllLimitsLetTheJobStart() {
        JobLimit api = rated("api", 1, Duration.ofHours(1), 1);
        bed.push("mail", "a", "b", "c");
        List<Claimed> jobs = worker.take(3, "mail");
        ask(jobs.subList(0, 1), ERP);

        assertThat(ask(jobs.subList(1, 2), api, ERP)).containsExactly(Answer.PARKED);

        assertThat(bed.redis.texts().exists("jobs:rate")).isZero();
        assertThat(ask(jobs.subList(2, 3), api, api)).containsExactly(Answer.ADMITTED);
        assertThat(Long.parseLong(bed.redis.texts().hget("jobs:rate", "api\n")))
                .as("named twice, taken once")
                .isLessThan((long) ((bed.now() + 3_601) * 1e6));
    }

    @Test
    void aPermitIsHandedOverOnlyIfTheRateLetsTheNextJobStart() {
        JobLimit both = new JobLimit("both", "", new LimitNumbers(1, new LimitRate(1, Duration.ofHours(1), 2)));
        bed.push("mail", "a", "b", "c");
        List<Claimed> jobs = worker.take(3, "mail");
        ask(jobs, both);
        assertThat(bed.redis.texts().zscore("jobs:wake", "both\n"))
                .as("a permit will come")
                .isNull();

        List<Claimed> next = worker.exchange(0, 1, 0, List.of("mail"), List.of(done(jobs.get(0), both)))
                .claimed();
        assertThat(next).singleElement().satisfies(job -> assertThat(job.permit())
                .isEqualTo("both\n"));
        assertThat(worker.exchange(0, 1, 0, List.of("mail"), List.of(done(next.get(0), both)))
                        .claimed())
                .isEmpty();

        assertThat(bed.queue("mail")).isEmpty();
        assertThat(bed.members("jobs:permits:both")).isEmpty();
        assertThat(wake("both\n")).isBetween(bed.now() + 3_500, bed.now() + 3_600);
    }

    @Test
    void aRaisedRateCountsAtOnce() {
        JobLimit api = rated("api", 1, Duration.ofDays(1), 1);
        bed.push("mail", "a", "b", "c");
        ask(worker.take(3, "mail"), api);
        LimitStates states = new LimitStates(bed.connection, bed.keys);
        assertThat(states.next("api", "")).isGreaterThan(Duration.ofHours(23));
        assertThat(states.next("api", "other")).isZero();

        assertThat(states.set("api", new LimitNumbers(null, new LimitRate(1, Duration.ofMillis(1), 1))))
                .isTrue();
        assertThat(states.set("api", LimitNumbers.atOnce(7))).isTrue();
        await().until(() -> {
            parked.look(bed.sets().due(10).looks(), Instant.now());
            return !bed.queue("mail").isEmpty();
        });

        assertThat(bed.queue("mail")).contains("b");
        assertThat(states.read("api", 10, null).set())
                .isEqualTo(new LimitNumbers(7, new LimitRate(1, Duration.ofMillis(1), 1)));
        assertThat(states.reset("api")).isTrue();
        assertThat(states.read("api", 10, null).set()).isEqualTo(LimitNumbers.NONE);
    }

    /** The jobs have permits from the time in which there was a limit on them. */
    @Test
    void theEndOfAJobLetsNoneGoOnThatWaitsForItsTime() {
        JobLimit api = rated("api", 1, Duration.ofHours(1), 1);
        LimitStates states = new LimitStates(bed.connection, bed.keys);
        states.set("api", LimitNumbers.atOnce(9));
        bed.push("mail", "a", "b", "c");
        List<Claimed> jobs = worker.take(3, "mail");
        ask(jobs, api);
        states.reset("api");
        pass("api\n", Duration.ofHours(1)); // one may start; the leader looks soon

        worker.settle(done(jobs.get(0), api));

        assertThat(bed.members("jobs:parked:api")).hasSize(2);
        parked.look(List.of("api\n"), Instant.now());
        assertThat(bed.queue("mail")).containsExactly("b");
    }

    @Test
    void aBrokenKeyOfRatesKeepsTheJobWhereItIs() {
        bed.push("mail", "a");
        bed.redis.texts().set("jobs:rate", "x");

        assertThat(ask(worker.take(1, "mail"), rated("api", 1, Duration.ofHours(1), 1)))
                .containsExactly(Answer.BROKEN);

        parked.look(List.of("", "api\n"), Instant.now());
        assertThat(bed.inFlight("p")).hasSize(1);
    }
}
