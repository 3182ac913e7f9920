package dev.jobs.results;

import static dev.jobs.store.ScriptTestBed.bytes;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.Payload;
import dev.jobs.results.JobReports.Report;
import dev.jobs.store.Effect;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.Settlement;
import dev.jobs.store.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The effects that keep results, tell clients, and keep what jobs report. */
class ResultEffectsIT {

    private static final byte[] DONE = bytes("{\"state\":\"done\"}");

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    private final ResultEffects effects = new ResultEffects(bed.keys);
    private final JobReports reports = new JobReports(bed.connection, bed.keys);
    private final JobResults results = new JobResults(bed.connection, bed.connection, bed.keys);
    private Worker worker;

    @BeforeEach
    void join() {
        worker = bed.worker("one").join();
    }

    @AfterEach
    void empty() {
        bed.clear();
    }

    private static Payload job(String jid) {
        return Payload.of(
                Map.of("class", "A", "args", List.of(), "jid", jid, "keep_result", 60.5, "reply_to", "client"));
    }

    private String take(Payload job) {
        bed.redis.bytes().lpush(bytes("queue:mail"), job.bytes());
        return worker.takeOne("mail").token();
    }

    private Settlement done(String token, String jid) {
        return Settlement.done(token).with(effects.of(job(jid), DONE));
    }

    private static List<String> told() {
        return bed.redis.texts().lrange("jobs:replies:client", 0, -1);
    }

    @Test
    void aSettlementKeepsTheResultAndTellsTheClientOnce() {
        String token = take(job("1"));

        worker.settle(done(token, "1"));
        worker.repeat(worker.last());
        worker.settle(done(token, "1"));

        assertThat(bed.redis.bytes().get(bytes("jobs:result:1"))).isEqualTo(DONE);
        assertThat(bed.redis.texts().pttl("jobs:result:1")).isBetween(50_000L, 60_500L);
        assertThat(told()).containsExactly("1");
        assertThat(bed.redis.texts().pttl("jobs:replies:client")).isBetween(50_000L, 60_000L);
        assertThat(results.next("client")).containsExactly("1");
        assertThat(results.next("client")).isEmpty();
    }

    @Test
    void aHundredEndsAreToldByOneCommand() {
        IntStream.range(0, 100).forEach(i -> bed.redis
                .bytes()
                .lpush(bytes("queue:mail"), job("j" + i).bytes()));
        List<Settlement> ends = new ArrayList<>();
        worker.take(100, "mail")
                .forEach(each -> ends.add(
                        done(each.token(), Payload.parse(each.payload()).jid())));
        long pushes = bed.redis.calls("rpush");
        long sets = bed.redis.calls("set");

        worker.settle(ends.toArray(Settlement[]::new));

        assertThat(bed.redis.calls("rpush") - pushes).isEqualTo(1);
        assertThat(bed.redis.calls("set") - sets).isEqualTo(100);
        assertThat(results.next("client")).hasSize(100).doesNotHaveDuplicates();
    }

    @Test
    void keysOfAnotherTypeKeepNoJob() {
        bed.redis.texts().hset("jobs:result:1", "no", "text");
        bed.redis.texts().set("jobs:replies:client", "no list");
        bed.redis.texts().set("jobs:log:1", "no list");
        String token = take(job("1"));

        List<Effect> all = new ArrayList<>(effects.of(job("1"), DONE));
        all.add(JobReports.effect(new ResultKeys(bed.keys), "1", new Report("1 2 3", List.of("1 1 1 a"))));
        worker.settle(Settlement.done(token).with(all));

        assertThat(bed.books().inFlight()).isZero();
        assertThat(results.find("1")).isEqualTo(DONE);
        assertThat(bed.redis.texts().get("jobs:progress:1")).isEqualTo("1 2 3");
    }

    @Test
    void aFullRedisTakesTheResult() {
        String token = take(job("1"));
        bed.fill();
        try {
            worker.settle(done(token, "1"));
        } finally {
            bed.drain();
        }

        assertThat(results.find("1")).isEqualTo(DONE);
    }

    @Test
    void onlyWhatOurClientsWriteIsHeeded() {
        assertThat(effects.of(job("1").bytes())).hasSize(1);
        assertThat(effects.of(job("1").with("keep_result", "long").bytes())).isEmpty();
        assertThat(effects.of(job("1").with("keep_result", 0).bytes())).isEmpty();
        assertThat(effects.of(job("1").with("keep_result", 1e9).bytes())).isEmpty();
        assertThat(effects.of(job("1").with("reply_to", 5).bytes())).isEmpty();
        assertThat(effects.of(job("1").with("reply_to", "a:b").bytes())).isEmpty();
        assertThat(effects.of(job("1").without("jid").bytes())).isEmpty();
        assertThat(effects.of(job("1").without("reply_to").bytes()).get(0).keys())
                .hasSize(1);
        assertThat(effects.of(bytes("{\"keep_result\":"))).isEmpty();
    }

    private void note(String token, Report news) {
        reports.note("one", List.of(new JobReports.Running(token, "1", news)));
    }

    @Test
    void linesThatAreSentAgainAreKeptOnce() {
        String token = take(job("1"));
        note(token, new Report("1 9 1", List.of("5 1 10 a", "5 2 10 b")));
        note(token, new Report("2 9 1", List.of("5 1 10 a", "5 2 10 b", "5 3 10 c")));
        note(token, new Report("", List.of("5 2 10 b"))); // overtaken

        worker.settle(Settlement.done(token)
                .with(List.of(JobReports.effect(
                        new ResultKeys(bed.keys), "1", new Report("", List.of("5 3 10 c", "5 4 10 d"))))));
        note(token, new Report("3 9 1", List.of("5 5 10 late")));

        assertThat(reports.find("1").lines()).containsExactly("5 1 10 a", "5 2 10 b", "5 3 10 c", "5 4 10 d");
        assertThat(reports.find("1").progress()).isEqualTo("2 9 1");
    }

    @Test
    void aLaterExecutionBeginsANewEvenIfItsClockIsBehind() {
        String token = take(job("1"));
        note(token, new Report("", List.of("900 7 910 a")));
        note(token, new Report("", List.of("100 1 110 b")));

        assertThat(new String(bed.redis.bytes().lindex(bytes("jobs:log:1"), -1), UTF_8))
                .isEqualTo("100 1 110 b");
        assertThat(reports.find("1").lines()).hasSize(2);
    }
}
