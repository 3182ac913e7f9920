package dev.jobs.limits;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.ends.Cancellations;
import dev.jobs.limits.Permits.Answer;
import dev.jobs.limits.Permits.Asking;
import dev.jobs.redis.Bytes;
import dev.jobs.store.Effect;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.Scripts;
import dev.jobs.store.Settlement;
import dev.jobs.store.Worker;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Nothing scarce is taken for jobs that must not be run, and they hold up nobody while they are parked. */
class StartConditionsIT {

    private static final String PAST = " e1000000";
    private static final String BATCH = "0123456789abcdef";
    /** When a job expires, in microseconds. */
    private static final String LATER = " e9000000000000000";

    private static final JobLimit ONE = new JobLimit("one", "", LimitNumbers.atOnce(1));
    private static final JobLimit API =
            new JobLimit("api", "", new LimitNumbers(null, new LimitRate(1, Duration.ofHours(1), 1)));
    private static final JobLimit BOTH =
            new JobLimit("both", "", new LimitNumbers(1, new LimitRate(10, Duration.ofHours(1), 10)));

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    private final Permits permits = new Permits(bed.connection, bed.keys);
    private final PermitEffects effects = new PermitEffects(bed.keys);
    private final ParkedJobs parked = new ParkedJobs(bed.connection, bed.keys);
    private final Cancellations cancellations = new Cancellations(bed.connection, bed.keys);
    private final Map<String, StartConditions> conditions = new TreeMap<>();
    private final Map<String, Long> times = new TreeMap<>();
    private final List<Effect> starts = new ArrayList<>();
    private Worker worker;

    @BeforeEach
    void join() {
        bed.clear();
        worker = bed.worker("p").join();
    }

    /** A job is known by its bytes, which are its jid. */
    private void job(String jid, String its) {
        conditions.put(jid, new StartConditions(its, null));
        bed.push("mail", jid);
    }

    /** A job that takes the place of the one before it with its digest. */
    private void version(String digest, String jid, long time) {
        String twin = "jobs:twin:" + digest;
        String before = bed.redis.texts().hget(twin, "jid");
        if (before != null) {
            bed.redis.texts().hset(twin, "-" + before, "");
        }
        bed.redis.texts().hset(twin, "jid", jid);
        conditions.put(jid, new StartConditions(" j" + jid, digest));
        times.put(jid, time);
        bed.push("mail", jid);
    }

    private Asking asking(Claimed job, JobLimit... limits) {
        String jid = ScriptTestBed.text(job.payload());
        return new Asking(
                job.token(),
                job.queue(),
                times.getOrDefault(jid, 1L),
                List.of(limits),
                conditions.getOrDefault(jid, StartConditions.NONE),
                List.of());
    }

    private List<Answer> ask(List<Claimed> jobs, JobLimit... limits) {
        return permits.admit(
                        "p",
                        jobs.stream().map(job -> asking(job, limits)).toList(),
                        (job, giveBack) -> starts.add(giveBack))
                .orElseThrow();
    }

    private List<Answer> takeAndAsk(JobLimit... limits) {
        return ask(worker.take(100, "mail"), limits);
    }

    private void look() {
        for (List<String> due = due(); !due.isEmpty(); due = due()) {
            parked.look(due, Instant.now());
        }
    }

    private static List<String> due() {
        return bed.sets().due(100).looks().stream()
                .filter(limitId -> !limitId.isEmpty())
                .toList();
    }

    /** The next start is due. */
    private static void anHourPasses(String limitId) {
        long next = Long.parseLong(bed.redis.texts().hget("jobs:rate", limitId));
        bed.redis.texts().hset("jobs:rate", limitId, Long.toString(next - 3_600_000_000L));
        bed.redis.texts().zadd("jobs:wake", 1, limitId);
    }

    private List<String> parkedAt(String limit) {
        return bed.members("jobs:parked:" + limit).stream()
                .map(member -> ScriptTestBed.text(
                        LimitStates.waiting(ScriptTestBed.bytes(member)).payload()))
                .toList();
    }

    private static void cancelBatch() {
        bed.redis.texts().zadd("jobs:batches:cancelled", 1, BATCH);
    }

    @ParameterizedTest
    @ValueSource(strings = {"api", "one"})
    void aJobThatMustNotBeRunTakesNothing(String limit) {
        JobLimit its = limit.equals("api") ? API : ONE;
        cancelBatch();
        cancellations.cancel("cancelled", Instant.now());
        job("expired", PAST + " jexpired");
        job("cancelled", " e9000000000000000 jcancelled");
        job("skipped", " b" + BATCH + " jskipped");
        version("digest", "replaced", 1);
        version("digest", "runs", 2);

        assertThat(takeAndAsk(its))
                .containsExactly(Answer.EXPIRED, Answer.CANCELLED, Answer.SKIPPED, Answer.REPLACED, Answer.ADMITTED);
        assertThat(bed.inFlight("p")).as("the process ends them").hasSize(5);
        assertThat(bed.redis.texts().hlen("jobs:permitted:p")).isEqualTo(1);
        assertThat(bed.redis.texts().zcard("jobs:permits:" + limit)).isEqualTo(1);
        assertThat(parkedAt(limit)).isEmpty();
    }

    /** What can't be known keeps no job from being run. */
    @Test
    void keysOfAnotherTypeCancelNothing() {
        bed.redis.texts().set("jobs:cancelled", "odd");
        bed.redis.texts().set("jobs:batches:cancelled", "odd");
        bed.redis.texts().set("jobs:twin:digest", "odd");
        conditions.put("a", new StartConditions(" b" + BATCH + " ja", "digest"));
        bed.push("mail", "a", "b");

        assertThat(takeAndAsk(API)).containsExactly(Answer.ADMITTED, Answer.PARKED);
    }

    @Test
    void aJobThatHasItsPermitKeepsItIfTheCallIsRepeated() {
        job("a", " ja");
        List<Claimed> jobs = worker.take(1, "mail");
        assertThat(ask(jobs, API)).containsExactly(Answer.ADMITTED);
        cancellations.cancel("a", Instant.now());

        assertThat(ask(jobs, API)).as("its worker decides").containsExactly(Answer.ADMITTED);
    }

    @ParameterizedTest
    @CsvSource({"api, 3", "api, 250", "one, 3", "one, 250"})
    void parkedJobsThatMustNotBeRunHoldUpNobody(String limit, int count) {
        JobLimit its = limit.equals("api") ? API : ONE;
        bed.push("mail", "first");
        takeAndAsk(its);
        for (int i = 0; i < count; i++) {
            String jid = String.format("over-%03d", i);
            job(jid, (i % 3 == 0 ? " b" + BATCH : "") + (i % 3 == 1 ? LATER : "") + " j" + jid);
        }
        job("runs", " jruns");
        while (bed.redis.texts().llen("queue:mail") > 0) {
            assertThat(takeAndAsk(its)).containsOnly(Answer.PARKED);
        }
        cancelBatch();
        IntStream.range(0, count)
                .filter(i -> i % 3 == 2)
                .forEach(i -> cancellations.cancel(String.format("over-%03d", i), Instant.now()));
        theTimeOfParkedJobsIsOver(limit);

        if (limit.equals("api")) {
            anHourPasses("api\n");
        } else {
            worker.settle(Settlement.done("0:1:1:mail").with(effects.of("p", "mail", List.of(ONE))));
        }
        look();

        assertThat(parkedAt(limit)).isEmpty();
        assertThat(bed.queue("mail").get(0)).isEqualTo("runs");
        List<Answer> answers = new ArrayList<>();
        while (bed.redis.texts().llen("queue:mail") > 0) {
            answers.addAll(takeAndAsk(its));
        }
        assertThat(answers).hasSize(count + 1).startsWith(Answer.ADMITTED).containsOnlyOnce(Answer.ADMITTED);
        assertThat(answers)
                .contains(Answer.EXPIRED, Answer.SKIPPED, Answer.CANCELLED)
                .doesNotContain(Answer.PARKED);
    }

    private void theTimeOfParkedJobsIsOver(String limit) {
        byte[] parked = ("jobs:parked:" + limit).getBytes(ISO_8859_1);
        bed.redis.bytes().zrangeWithScores(parked, 0, -1).forEach(each -> {
            String member = new String(each.getValue(), ISO_8859_1);
            bed.redis.bytes().zrem(parked, each.getValue());
            bed.redis
                    .bytes()
                    .zadd(parked, each.getScore(), member.replace(LATER, PAST).getBytes(ISO_8859_1));
        });
        conditions.replaceAll((jid, its) -> new StartConditions(its.text().replace(LATER, PAST), its.digest()));
    }

    @Test
    void jobsThatMustNotBeRunLeaveTheirLimitAlsoFromBehindOthers() {
        bed.push("mail", "first");
        takeAndAsk(API);
        for (int i = 0; i < 150; i++) {
            String jid = String.format("job-%03d", i);
            times.put(jid, 10L + i);
            job(jid, (i % 2 == 0 ? " b" + BATCH : "") + " j" + jid);
        }
        bed.redis.texts().lpush("queue:low", "stays");
        conditions.put("stays", new StartConditions(" b" + BATCH, null));
        while (bed.redis.texts().llen("queue:mail") > 0) {
            takeAndAsk(API);
        }
        ask(worker.take(1, "low"), API);
        bed.redis.texts().sadd("paused", "low");
        cancelBatch();
        ParkedSweep sweep = new ParkedSweep(bed.connection, bed.keys);

        sweep.begin();
        while (sweep.isUnderWay()) {
            sweep.step();
        }

        assertThat(bed.queue("mail")).hasSize(75).allMatch(jid -> jid.matches("job-\\d\\d[02468]"));
        assertThat(parkedAt("api")).hasSize(76).contains("stays", "job-001");
        assertThat(bed.redis.texts().smembers("queues")).contains("mail");
        assertThat(takeAndAsk(API)).containsOnly(Answer.SKIPPED).hasSize(75);
    }

    /** Else the next one would go on only after some seconds, in case the job that went on is lost. */
    @Test
    void theNextJobGoesOnAtOnceIfTheOneThatWentOnIsCancelledMeanwhile() {
        bed.push("mail", "first");
        takeAndAsk(API);
        job("a", " ja");
        job("b", " jb");
        takeAndAsk(API);
        anHourPasses("api\n");
        look();
        assertThat(bed.queue("mail")).containsExactly("a");
        cancellations.cancel("a", Instant.now());

        assertThat(takeAndAsk(API)).containsExactly(Answer.CANCELLED);
        look();

        assertThat(bed.queue("mail")).containsExactly("b");
        assertThat(takeAndAsk(API)).containsExactly(Answer.ADMITTED);
    }

    @Test
    void aJobTakesThePlaceOfTheOneThatItReplaces() {
        bed.push("mail", "first");
        takeAndAsk(API);
        version("digest", "v1", 10);
        times.put("other", 20L);
        bed.push("mail", "other");
        takeAndAsk(API);
        for (int i = 2; i < 20; i++) {
            version("digest", "v" + i, 10L * i + 10);

            assertThat(takeAndAsk(API)).containsExactly(Answer.PARKED);

            assertThat(parkedAt("api")).containsExactly("v" + i, "other");
            assertThat(bed.queue("mail")).containsExactly("v" + (i - 1));
            List<Claimed> replaced = worker.take(5, "mail");
            assertThat(ask(replaced, API)).containsExactly(Answer.REPLACED);
            settleReplaced(replaced.get(0));
            assertThat(bed.redis.texts().hkeys("jobs:twin:digest")).containsExactlyInAnyOrder("jid", "at");
        }
        anHourPasses("api\n");
        look();

        assertThat(bed.queue("mail")).containsExactly("v19");
        assertThat(takeAndAsk(API))
                .as("older than the other one, as it has the place")
                .containsExactly(Answer.ADMITTED);
        assertThat(parkedAt("api")).containsExactly("other");
    }

    @Test
    void aJobTakesThePlaceOfTheOneThatItReplacesAlsoAmongThoseOfOneMillisecond() {
        bed.push("mail", "first");
        takeAndAsk(API);
        times.put("w", 10L);
        times.put("x", 10L);
        bed.push("mail", "w");
        version("digest", "v1", 10);
        bed.push("mail", "x");
        takeAndAsk(API);

        version("digest", "v2", 10);
        takeAndAsk(API);

        assertThat(parkedAt("api")).containsExactly("w", "v2", "x");
    }

    /** Else what is known of it would stay for a month. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void nothingStaysOfAReplaceableJobThatWasParkedAndHasBegunOrEnded(boolean begins) {
        bed.push("mail", "first");
        takeAndAsk(API);
        version("digest", "v1", 10);
        takeAndAsk(API);
        assertThat(bed.redis.texts().hkeys("jobs:twin:digest")).containsExactlyInAnyOrder("jid", "at");
        anHourPasses("api\n");
        look();
        Claimed job = worker.takeOne("mail");
        ask(List.of(job), API);

        if (begins) {
            bed.connection.callForOne(
                    Scripts.script("begin"),
                    ScriptOutputType.INTEGER,
                    new byte[][] {
                        bed.keys.key("unique:digest"), bed.keys.key("jobs:twin:digest"), bed.keys.inFlight(worker.id)
                    },
                    new byte[][] {Bytes.of("v1"), Bytes.of("0"), Bytes.of(job.token())});
        } else {
            settleReplaced(job);
        }

        assertThat(bed.redis.texts().exists("jobs:twin:digest")).isZero();
    }

    private void settleReplaced(Claimed job) {
        String jid = ScriptTestBed.text(job.payload());
        worker.settle(Settlement.skipped(job.token())
                .with(List.of(new Effect(
                        "replaceable",
                        List.of(bed.keys.key("unique:digest"), bed.keys.key("jobs:twin:digest")),
                        "",
                        List.of(Bytes.of(jid), Bytes.of("1000"))))));
    }

    @Test
    void aJobThatStartsAtOnceLetsTheOneThatItReplacesLeaveItsLimit() {
        bed.push("mail", "first");
        takeAndAsk(API);
        version("digest", "v1", 10);
        takeAndAsk(API);
        bed.redis.texts().hdel("jobs:rate", "api\n");
        bed.redis.texts().zrem("jobs:wake", "api\n");
        version("digest", "v2", 20);

        assertThat(takeAndAsk(API)).containsExactly(Answer.ADMITTED);

        assertThat(parkedAt("api")).isEmpty();
        assertThat(bed.queue("mail")).containsExactly("v1");
    }

    @Test
    void aStartThatCameWithAPermitIsGivenBackByAJobThatDoesNotRun() {
        bed.push("mail", "first", "next");
        assertThat(takeAndAsk(BOTH)).containsExactly(Answer.ADMITTED, Answer.PARKED);
        String before = bed.redis.texts().hget("jobs:rate", "both\n");
        Claimed next = worker.exchange(
                        0,
                        1,
                        1,
                        List.of("mail"),
                        List.of(Settlement.done("0:1:1:mail").with(effects.of("p", "mail", List.of(BOTH)))))
                .claimed()
                .get(0);
        assertThat(next.permit()).isEqualTo("both\n");
        assertThat(bed.redis.texts().hget("jobs:rate", "both\n")).isNotEqualTo(before);

        List<Effect> all = new ArrayList<>(List.of(effects.start(next.permit(), next.start())));
        all.addAll(effects.of("p", "mail", List.of(BOTH)));
        worker.settle(Settlement.skipped(next.token()).with(all));

        assertThat(bed.redis.texts().hget("jobs:rate", "both\n")).isEqualTo(before);
        assertThat(bed.redis.texts().zcard("jobs:permits:both")).isZero();
    }

    @Test
    void noPermitIsHandedToAParkedJobThatMustNotBeRun() {
        bed.push("mail", "first");
        takeAndAsk(BOTH);
        job("over", " jover");
        job("runs", " jruns");
        takeAndAsk(BOTH);
        cancellations.cancel("over", Instant.now());
        String before = bed.redis.texts().hget("jobs:rate", "both\n");

        List<Claimed> claimed = worker.exchange(
                        0,
                        5,
                        1,
                        List.of("mail"),
                        List.of(Settlement.done("0:1:1:mail").with(effects.of("p", "mail", List.of(BOTH)))))
                .claimed();
        look();

        assertThat(claimed).isEmpty();
        assertThat(bed.redis.texts().hget("jobs:rate", "both\n")).isEqualTo(before);
        assertThat(takeAndAsk(BOTH)).containsExactly(Answer.ADMITTED, Answer.CANCELLED);
    }
}
